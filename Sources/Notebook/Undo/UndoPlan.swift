internal import LocalStore
internal import Records

/// How a change of one record is undone, decided from the change and the present record.
///
/// Undoing is an edit that is merged with later edits, as the edits of two devices are: the base is the record after the command,
/// one side the record before it, the other side the present record. Where both cannot be kept, the later edit is kept and the
/// person is informed.
struct UndoPlan: Equatable {
    /// What to do with the record.
    var action: Action
    /// What is not undone, because it was changed later; nil: all is undone.
    var left: Left?

    enum Action: Equatable {
        /// It is as before the command already, or must stay as it is.
        case nothing
        /// Change these fields; `null` removes one.
        case edit(JSONObject)
        /// Create it again, with these fields and no others.
        case revive(JSONObject)
        case delete
    }

    typealias Left = RevertedCommand.Kept.Part

    /// - Parameters:
    ///   - now: the record as the person sees it, tombstones included; nil: nothing is known of it.
    ///   - isDeletedElsewhere: whether it is gone because another device deleted it.
    init(
        _ change: JournalChange, now: Record?, isDeletedElsewhere: Bool = false, types: RecordTypes
    ) {
        let fields = now.flatMap { $0.deleted ? nil : $0.fields }
        switch (change.wasLive, change.isLive, fields) {
        case (true, true, let fields?): self = Self.edit(change, now: fields, type: types[change.key.collection])
        case (true, true, nil): self.init(action: .nothing, left: .deleted)
        // It was restored in the meantime and deleted by another device, which can undo that deletion.
        case (true, false, nil) where isDeletedElsewhere: self.init(action: .nothing, left: .deleted)
        case (true, false, nil): self.init(action: .revive(change.before))
        case (false, _, let fields?):
            let isAsMade = fields == change.after
            self.init(action: isAsMade ? .delete : .nothing, left: isAsMade ? nil : .edited)
        // It exists again, or is gone again: another device has undone the command.
        case (true, false, _?), (false, _, nil): self.init(action: .nothing)
        }
    }

    private init(action: Action, left: Left? = nil) {
        self.action = action
        self.left = left
    }

    private static func edit(_ change: JournalChange, now: JSONObject, type: RecordType) -> UndoPlan {
        let side = { (fields: JSONObject) in ThreeWayMerge.Side(fields: fields, clock: FieldClocks()) }
        let changed = JSONObject(change.names.compactMap { name in now[name].map { (name, $0) } })
        let merge = ThreeWayMerge.merge(
            base: side(change.after), mine: side(change.before), theirs: side(changed), type: type)
        let left = merge.conflicts.map(\.field)
        var patch = merge.fields.patch(from: changed)
        for name in left { patch[name] = nil }
        return UndoPlan(
            action: patch.isEmpty ? .nothing : .edit(patch), left: left.isEmpty ? nil : .fields(left))
    }
}
