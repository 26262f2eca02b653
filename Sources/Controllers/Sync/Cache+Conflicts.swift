internal import ControllerKit
internal import LocalStore
internal import Records

// Settling a conflict: the choice becomes an edit like any other, in one transaction with the end of the conflict.
extension Cache {
    /// The title of a record, deleted ones included; the id of one without.
    func title(of key: RecordKey) throws -> String { try cached(key)?.record.fields["title"]?.string ?? key.id }

    /// The conflict of this number or prefix.
    ///
    /// - Throws: `Failure` of category `notFound` that says what to do.
    func conflict(_ reference: String, listing: String) throws -> ConflictRecord {
        let all = try records(in: [ConflictRecord.type.collection])
        let named: [ConflictRecord]
        switch Reference(reference) {
        case .number(let number):
            let id = try self.listing(terminal: listing).dropFirst(number - 1).first?.id
            named = all.filter { $0.key.id == id }.compactMap { ConflictRecord(id: $0.key.id, fields: $0.fields) }
        case .prefix(let prefix):
            named = all.filter { !prefix.isEmpty && $0.key.id.hasPrefix(prefix.lowercased()) }
                .compactMap { ConflictRecord(id: $0.key.id, fields: $0.fields) }
        }
        guard let conflict = named.first else {
            throw Failure(.notFound, "There is no conflict “\(reference)”, or it is settled. See `conflicts`.")
        }
        guard named.count == 1 else {
            throw Failure(.notFound, "“\(reference)” fits several conflicts. Give its number in `conflicts`.")
        }
        return conflict
    }

    /// Makes the choice a new edit, and takes the conflict away.
    ///
    /// - Throws: `Failure` when the choice can't be made; then the conflict stays.
    func settle(_ conflict: ConflictRecord, _ choice: ConflictsScreen.Choice) throws {
        if let value = try Self.value(of: choice, in: conflict.conflict, device: device()) {
            guard let record = try cached(conflict.record)?.record, !record.deleted else {
                throw Failure(
                    .conflict,
                    "“\(try title(of: conflict.record))” has been deleted meanwhile. Choose `keep` to leave it so.")
            }
            _ = try checkedEdit(conflict.record, [conflict.conflict.field: value])
        }
        try delete(conflict.key)
    }

    /// The chosen value; null removes the field, nil leaves it.
    private static func value(
        of choice: ConflictsScreen.Choice, in conflict: FieldConflict, device: String
    ) throws -> JSONValue? {
        let isEarlierMine = conflict.earlier.moment?.device == device
        let isLaterMine = conflict.later.moment?.device == device
        switch choice {
        case .keep: return nil
        case .earlier: return conflict.earlier.value ?? .null
        case .later: return conflict.later.value ?? .null
        case .mine, .theirs:
            guard isEarlierMine != isLaterMine else {
                throw Failure(.usage, "Neither or both of these edits are this device's. Say `earlier` or `later`.")
            }
            return ((choice == .mine) == isEarlierMine ? conflict.earlier.value : conflict.later.value) ?? .null
        case .both:
            guard let first = conflict.earlier.value?.string, let second = conflict.later.value?.string else {
                throw Failure(.usage, "Only texts can be kept both. Say `earlier` or `later`.")
            }
            return .string(first + (conflict.field == "body" ? "\n" : " / ") + second)
        }
    }
}
