internal import LocalStore
public import Records

/// The result of an edit of a record that may have changed since the user saw it.
public struct AppliedEdit: Sendable, Equatable {
    /// The record after the edit.
    public let record: Record
    /// What happened.
    public let outcome: Outcome

    /// The key of the record.
    public var key: RecordKey { record.key }
    /// Its title; its id if it has none.
    public var title: String { record.titleOrID }

    /// The possible results. New cases may be added.
    public enum Outcome: Sendable, Equatable {
        /// Nothing was edited.
        case unchanged
        /// The record was edited.
        case edited
        /// The record had been deleted; the edit revived it.
        case revived
        /// The record had changed since the user saw it, and both edits were merged. `conflicts`: the fields of which
        /// only one edit could be kept.
        case merged(conflicts: [String])
    }
}

extension Notebook {
    /// Edits a record that the user saw in the state `seen`, for example in a form. Changes since then, which a sync or
    /// another process made, are merged with the edit by the rules of the record type, like the edits of two devices.
    ///
    ///     let edited = try await notebook.edit([.set(.rating, 4), .remove(.review)], seen: book)
    ///
    /// - Parameters:
    ///   - changes: The fields to change. A field that has the value in `seen` is not changed.
    ///   - seen: The record as it was shown.
    ///   - command: The command as the journal shows it.
    /// - Throws: As ``Transaction/edit(_:seen:)``, and `LocalStoreError`.
    public func edit(_ changes: FieldChanges, seen: Record, command: String = "edit") async throws -> AppliedEdit {
        try await self.command(command) { try $0.edit(changes, seen: seen) }
    }
}

extension Notebook.Transaction {
    /// Edits a record that the user saw in the state `seen`, and merges the edit with the changes since then. A record
    /// that was deleted since is revived: an edit wins over a deletion. A field of which only one value can be kept
    /// gets the new one, and both values are in a conflict.
    ///
    /// - Parameters:
    ///   - changes: The fields to change. A field that has the value in `seen` is not changed.
    ///   - seen: The record as it was shown.
    /// - Throws: As ``edit(_:_:)``.
    @discardableResult
    public func edit(_ changes: FieldChanges, seen: Record) throws -> AppliedEdit {
        // A form may pass all its fields. Those that the user left alone must not get a new clock.
        let patch = seen.fields.applying(changes.json).patch(from: seen.fields)
        return try edit(seen.key, patch, base: seen.fields)
    }

    /// Edits a record like ``edit(_:seen:)``, also if the state that the user saw is unknown.
    ///
    /// - Parameter base: The fields that the user saw; nil: unknown, so both values of each field that differs are
    ///   kept.
    func edit(_ key: RecordKey, _ patch: JSONObject, base: JSONObject?) throws -> AppliedEdit {
        let now = try record(key)
        if patch.isEmpty {
            return AppliedEdit(record: now ?? Record(key: key, fields: base ?? [:]), outcome: .unchanged)
        }
        // Checked before the merge, whose result may contain values of other clients.
        try FieldLimits.checkKinds(of: patch, on: base ?? now?.fields ?? [:], types.catalog(for: key.collection))
        try checkLinks(of: key, patch)
        guard let now else {
            return AppliedEdit(record: try edit(key, (base ?? [:]).applying(patch), moments: [:]), outcome: .revived)
        }
        let merged = MergedEdit(
            patch, on: now, base: base, type: types[key.collection], at: try cache.tick(after: now))
        let record = try edit(key, merged.patch, moments: merged.moments)
        for conflict in merged.conflicts.map({ ConflictRecord($0, in: key) }) {
            try edit(conflict.key, conflict.fields, moments: [:])
        }
        let outcome: AppliedEdit.Outcome =
            now.deleted ? .revived : merged.isMerge ? .merged(conflicts: merged.conflicts.map(\.field)) : .edited
        return AppliedEdit(record: record, outcome: outcome)
    }
}

/// An edit, applied to a record that may have changed since the user saw it. Pure.
struct MergedEdit: Sendable, Equatable {
    /// The fields to change in the present record; `null` removes one.
    let patch: JSONObject
    /// The clocks of the changed fields.
    let moments: [String: HLC]
    /// The fields of which only one edit could be kept, with both values.
    let conflicts: [FieldConflict]
    /// Whether the record had changed, so that a merge was necessary.
    let isMerge: Bool

    /// Merges an edit with a record by the merge rules of its type, like the edits of two devices.
    ///
    /// - Parameters:
    ///   - edit: The changed fields; `null` removes one.
    ///   - base: The fields that the user saw; nil: unknown, so both values of each field that differs are kept.
    ///   - now: The present record; for a tombstone, its last live state.
    ///   - type: The record type.
    ///   - moment: The clock of the edit, later than all clocks of the record.
    init(_ edit: JSONObject, on now: Record, base: JSONObject?, type: RecordType, at moment: HLC) {
        guard base != now.fields else {
            self.init(patch: edit, moments: [:], conflicts: [], isMerge: false)
            return
        }
        var clock = FieldClocks()
        clock.stamp(edit.names, at: moment)
        let mine = ThreeWayMerge.Side(fields: (base ?? now.fields).applying(edit), clock: clock)
        // Without a base, the fields that the user left unchanged keep their present values.
        let common = base ?? now.fields.applying(JSONObject(edit.names.map { ($0, .null) }))
        let merged = ThreeWayMerge.merge(
            base: .init(fields: common, clock: FieldClocks()), mine: mine,
            theirs: .init(fields: now.fields, clock: now.clock), type: type)
        let patch = merged.fields.patch(from: now.fields)
        let moments = patch.names.compactMap { name in merged.clock[name].map { (name, $0) } }
        self.init(
            patch: patch, moments: Dictionary(moments) { first, _ in first }, conflicts: merged.conflicts,
            isMerge: true)
    }

    private init(patch: JSONObject, moments: [String: HLC], conflicts: [FieldConflict], isMerge: Bool) {
        (self.patch, self.moments, self.conflicts, self.isMerge) = (patch, moments, conflicts, isMerge)
    }
}
