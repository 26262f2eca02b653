internal import LocalStore
internal import Records
internal import struct Records.Record

/// How what a command did to one record is taken back: decided from what the command changed and what the record is now.
///
/// Undoing is an edit that merges with what came since as edits of two devices do: the base is what the command made, one
/// side what was before, the other what is now. Where that can't keep both, the later edit stays and the person is told.
struct UndoPlan: Equatable {
    /// What to do with the record.
    var action: Action
    /// What stays as somebody made it since; nil: all is taken back.
    var left: Left?

    enum Action: Equatable {
        /// It is as before the command already, or must stay as it is.
        case nothing
        /// Change these fields; `null` removes one.
        case edit(JSONObject)
        /// Make it anew, with these fields and no others.
        case revive(JSONObject)
        case delete
    }

    enum Left: Equatable {
        /// Fields that were changed since, by name.
        case fields([String])
        /// The record was deleted since.
        case deleted
        /// The command made the record, and it was edited since.
        case edited
    }

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
        // It came back meanwhile, and somebody else deleted it: that is theirs to take back.
        case (true, false, nil) where isDeletedElsewhere: self.init(action: .nothing, left: .deleted)
        case (true, false, nil): self.init(action: .revive(change.before))
        case (false, _, let fields?):
            let isAsMade = fields == change.after
            self.init(action: isAsMade ? .delete : .nothing, left: isAsMade ? nil : .edited)
        // It is there again, or gone again: somebody else has taken it back.
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

extension Cache {
    /// Does to a record what a plan says.
    func carryOut(_ plan: UndoPlan, on change: JournalChange) throws {
        switch plan.action {
        case .nothing: break
        case .edit(let patch): try edit(change.key, patch, space: change.space)
        case .revive(let fields): try revive(change.key, fields, space: change.space)
        case .delete:
            let record = try cached(change.key, space: change.space)?.record
            let wasDerived = record.map { types[change.key.collection].policy.mayComeAgain($0) } ?? false
            try wasDerived ? takeBack(change.key, space: change.space) : delete(change.key, space: change.space)
        }
    }

    /// Makes a record what these fields say and nothing else, whether it is there, deleted, or unknown.
    @discardableResult
    func revive(_ key: RecordKey, _ fields: JSONObject, space: Int64 = Cache.personal) throws -> Record {
        let held = try cached(key, space: space)?.record.fields ?? [:]
        return try edit(key, fields.patch(from: held), space: space)
    }
}
