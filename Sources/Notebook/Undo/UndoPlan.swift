internal import LocalStore
internal import Records

/// The plan for undoing a change of one record, made from the change and the present record. Pure.
///
/// Undoing is an edit that is merged with later edits like the edits of two devices. The base is the record after the
/// command, one side is the record before it, and the other side is the present record. If both can't be kept, the
/// later edit is kept and the user is informed.
struct UndoPlan: Equatable {
    /// The action on the record.
    var action: Action
    /// The part that isn't undone, because it was changed later; nil: all is undone.
    var left: Left?

    enum Action: Equatable {
        /// No change: the record is already as before the command, or must stay as it is.
        case nothing
        /// Change these fields; `null` removes one.
        case edit(JSONObject)
        /// Create it again with exactly these fields.
        case revive(JSONObject)
        case delete
    }

    typealias Left = RevertedCommand.Kept.Part

    /// Plans the undoing of a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - now: The present record, which may be a tombstone; nil: the cache has nothing of it.
    ///   - isDeletedElsewhere: Whether another device deleted it.
    ///   - types: The record types.
    init(
        _ change: JournalChange, now: Record?, isDeletedElsewhere: Bool = false, types: RecordTypes
    ) {
        let fields = now.flatMap { $0.deleted ? nil : $0.fields }
        switch (change.wasLive, change.isLive, fields) {
        case (true, true, let fields?): self = Self.edit(change, now: fields, type: types[change.key.collection])
        case (true, true, nil): self.init(action: .nothing, left: .deleted)
        // It was restored in the meantime and deleted by another device. That device can undo its deletion.
        case (true, false, nil) where isDeletedElsewhere: self.init(action: .nothing, left: .deleted)
        case (true, false, nil): self.init(action: .revive(change.before))
        case (false, _, let fields?):
            let isAsMade = fields == change.after
            self.init(action: isAsMade ? .delete : .nothing, left: isAsMade ? nil : .edited)
        // It exists again, or is deleted again: another device has undone the command.
        case (true, false, _?), (false, _, nil): self.init(action: .nothing)
        }
    }

    private init(action: Action, left: Left? = nil) {
        self.action = action
        self.left = left
    }

    private static func edit(_ change: JournalChange, now: JSONObject, type: RecordType) -> UndoPlan {
        let side = { (fields: JSONObject) in ThreeWayMerge.Side(fields: fields, clock: FieldClocks()) }
        // Only the fields that the command changed: undoing concerns no other field.
        let changed = JSONObject(change.names.compactMap { name in now[name].map { (name, $0) } })
        let merge = ThreeWayMerge.merge(
            base: side(change.after), mine: side(change.before), theirs: side(changed), type: type)
        let left = merge.conflicts.map(\.field)
        var patch = merge.fields.patch(from: changed)
        // Of a field in conflict, the later edit is kept and reported. Undoing creates no stored conflict.
        for name in left { patch[name] = nil }
        return UndoPlan(
            action: patch.isEmpty ? .nothing : .edit(patch), left: left.isEmpty ? nil : .fields(left))
    }
}
