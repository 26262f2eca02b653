internal import ControllerKit
internal import LocalStore
internal import Records

/// A conflict that was named, and whether somebody has settled it.
struct NamedConflict: Sendable {
    var conflict: ConflictRecord
    var isSettled: Bool
}

/// What shall stand in a conflict's field.
enum ConflictDecision: Sendable, Equatable {
    /// What stands there now.
    case keep
    /// This value; nil removes the field.
    case value(JSONValue?)
}

// Finding and settling conflicts: the choice becomes an edit like any other, in one transaction with the end of the
// conflict.
extension Cache {
    /// The title of a record, deleted ones included; the id of one without.
    func title(of key: RecordKey) throws -> String { try cached(key)?.record.fields["title"]?.string ?? key.id }

    /// The conflict of this number or prefix; of a prefix that fits none in the inbox, a settled one.
    ///
    /// - Throws: `Failure` of category `notFound` that says what to do.
    func conflict(_ reference: String, listing: String) throws -> NamedConflict {
        var named: [NamedConflict] = []
        switch Reference(reference) {
        case .number(let number):
            let key = try self.listing(terminal: listing).dropFirst(number - 1).first
            if let record = try key.flatMap({ try cached($0) })?.record,
                let conflict = ConflictRecord(id: record.key.id, fields: record.fields)
            {
                named = [NamedConflict(conflict: conflict, isSettled: record.deleted)]
            }
        case .prefix(let prefix):
            named = try conflicts(beginningWith: prefix.lowercased())
        }
        guard let first = named.first else {
            throw Failure(.notFound, "There is no conflict “\(reference)”. See `conflicts`.")
        }
        guard named.count == 1 else {
            throw Failure(.notFound, "“\(reference)” fits several conflicts. Give its number in `conflicts`.")
        }
        return first
    }

    private func conflicts(beginningWith prefix: String) throws -> [NamedConflict] {
        if prefix.isEmpty { return [] }
        let collection = ConflictRecord.type.collection
        let open = try records(in: [collection]).filter { $0.key.id.hasPrefix(prefix) }
        let found = try open.isEmpty ? tombstones(in: collection).filter { $0.key.id.hasPrefix(prefix) } : open
        return found.compactMap { record in
            ConflictRecord(id: record.key.id, fields: record.fields).map {
                NamedConflict(conflict: $0, isSettled: record.deleted)
            }
        }
    }

    /// Makes the decision a new edit, and takes the conflict away.
    ///
    /// - Parameter revive: whether a record that was deleted meanwhile shall be back, as it was last seen here.
    /// - Throws: `Failure` when it can't be done; then the conflict stays.
    func settle(_ named: NamedConflict, _ decision: ConflictDecision, revive: Bool) throws {
        let (key, field) = (named.conflict.record, named.conflict.conflict.field)
        let record = try cached(key)?.record
        let isGone = record?.deleted ?? true
        if decision == .keep, named.isSettled, !(revive && isGone) {
            throw Failure(.usage, "It is settled already. Choose one of its values to have that stand.")
        }
        if isGone, revive, record?.fields.isEmpty ?? true {
            throw Failure(.conflict, "Nothing of the deleted record is left on this device to bring back.")
        }
        switch decision {
        case .value(let value):
            guard !isGone || revive else {
                throw Failure(
                    .conflict,
                    "“\(try title(of: key))” has been deleted meanwhile. Add --revive to bring it back with this value, or "
                        + "choose `keep` to leave it deleted.")
            }
            _ = try checkedEdit(key, [field: value ?? .null])
        case .keep:
            if isGone, revive { try edit(key, [:]) }
        }
        try delete(named.conflict.key)
    }

    /// What a choice comes to.
    ///
    /// - Parameter typed: the text for `edit`.
    func decision(
        _ choice: ConflictsScreen.Choice, typed: String?, on conflict: ConflictRecord, dates: DateExpression.Context
    ) throws -> ConflictDecision {
        guard choice == .edit, let typed else {
            return try Self.decision(choice, on: conflict.conflict, device: device())
        }
        if typed.withoutLastLineEnd == (try draft(of: conflict).text.withoutLastLineEnd) {
            throw Failure(
                .usage,
                "The text is as it was offered, so the conflict stays. `resolve … keep` leaves the record as it stands."
            )
        }
        return .value(try conflict.conflict.value(typed: typed, dates: dates))
    }

    private static func decision(
        _ choice: ConflictsScreen.Choice, on conflict: FieldConflict, device: String
    ) throws -> ConflictDecision {
        let isEarlierMine = conflict.earlier.moment?.device == device
        let isLaterMine = conflict.later.moment?.device == device
        switch choice {
        case .keep, .edit: return .keep
        case .earlier: return .value(conflict.earlier.value)
        case .later: return .value(conflict.later.value)
        case .mine, .theirs:
            guard isEarlierMine != isLaterMine else {
                throw Failure(.usage, "Neither or both of these edits are this device's. Say `earlier` or `later`.")
            }
            return .value((choice == .mine) == isEarlierMine ? conflict.earlier.value : conflict.later.value)
        case .both:
            guard let first = conflict.earlier.value?.string, let second = conflict.later.value?.string else {
                throw Failure(.usage, "Only texts can be kept both. Say `earlier` or `later`.")
            }
            return .value(.string(first + (conflict.field == "body" ? "\n" : " / ") + second))
        }
    }
}
