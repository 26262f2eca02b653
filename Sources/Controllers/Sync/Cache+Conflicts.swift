internal import ControllerKit
internal import LocalStore
internal import Records
internal import struct Records.Record

/// A conflict, and whether somebody has settled it.
struct NamedConflict: Sendable {
    let conflict: ConflictRecord
    let isSettled: Bool

    /// Nil for a record of another kind, and for one that was settled so long ago that it has been deleted.
    init?(_ record: Record) {
        guard record.key.collection == ConflictRecord.type.collection,
            let conflict = ConflictRecord(id: record.key.id, fields: record.fields),
            !(record.deleted && conflict.settled != nil)
        else { return nil }
        self.conflict = conflict
        isSettled = record.deleted || conflict.settled != nil
    }
}

// Finding and settling conflicts: the choice becomes an edit like any other, in one transaction with the end of the
// conflict.
extension Cache {
    /// The title of a record, deleted ones included; the id of one without.
    func title(of key: RecordKey) throws -> String { try cached(key)?.record[.title] ?? key.id }

    /// The conflict of this number or prefix; of a prefix that fits none in the inbox, a settled one.
    ///
    /// - Throws: `Failure` of category `notFound` that says what to do.
    func conflict(_ reference: String, listing: String) throws -> NamedConflict {
        var named: [NamedConflict] = []
        switch Reference(reference) {
        case .number(let number):
            let key = try self.listing(terminal: listing).dropFirst(number - 1).first
            named = try key.flatMap { try cached($0) }.flatMap { NamedConflict($0.record) }.map { [$0] } ?? []
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
        let found = try namedConflicts().filter { $0.conflict.id.hasPrefix(prefix) }
        let open = found.filter { !$0.isSettled }
        return open.isEmpty ? found : open
    }

    /// All conflicts of which the values are held, settled ones included, in no particular order.
    func namedConflicts() throws -> [NamedConflict] {
        let collection = ConflictRecord.type.collection
        return try (records(in: [collection]) + tombstones(in: collection)).compactMap { NamedConflict($0) }
    }

    /// Makes the decision a new edit, and notes in the conflict that it is settled.
    ///
    /// - Parameters:
    ///   - revive: whether a record that was deleted meanwhile shall be back, as it was last seen here.
    ///   - now: when this is.
    /// - Throws: `Failure` when it can't be done; then the conflict stays.
    func settle(_ named: NamedConflict, _ decision: ConflictDecision, revive: Bool, now: Timestamp) throws {
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
        case .value(let value, let source):
            guard !isGone || revive else {
                throw Failure(
                    .conflict,
                    "“\(try title(of: key))” has been deleted meanwhile. Add --revive to bring it back with this value, or "
                        + "choose `keep` to leave it deleted.")
            }
            // What stood in the record once may stand there again, whatever a person may enter.
            let isFormer = value != nil && (source == .former || source == .lines)
            _ = try checkedEdit(key, [field: value ?? .null], isFormer: isFormer)
        case .keep:
            if isGone, revive { try edit(key, [:]) }
        }
        try noteSettled(named.conflict.key, at: now)
    }

    /// The record stays and says so, for all devices. One that the server refused would be refused again: it goes, and its
    /// tombstone keeps the values here.
    private func noteSettled(_ key: RecordKey, at now: Timestamp) throws {
        guard let held = try cached(key), !held.record.deleted else { return }
        if held.pending?.rejection != nil { return try delete(key) }
        try edit(key, [ConflictRecord.settledField: .string(now.description)])
    }
}
