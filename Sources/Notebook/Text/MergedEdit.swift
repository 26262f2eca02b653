internal import Records

/// What a person's edit of a text comes to on a record that may have changed since the text was made. Pure.
struct MergedEdit: Sendable, Equatable {
    /// What is to be changed in the record as it is now; `null` removes a field.
    let patch: JSONObject
    /// The moments of the fields that are changed.
    let moments: [String: HLC]
    /// What couldn't stay of both edits.
    let conflicts: [FieldConflict]
    /// Whether anything was there to be merged with.
    let isMerge: Bool

    /// Puts an edit on top of a record, merged by the rules of its kind as the edits of two devices are.
    ///
    /// - Parameters:
    ///   - edit: what the person changed; `null` removes a field.
    ///   - base: the fields that the person saw; nil: unknown, so both values of each field that differs are kept.
    ///   - now: the record as it is; of a tombstone the last live state.
    ///   - moment: when the edit is made, after all that the record has seen.
    init(_ edit: JSONObject, on now: Record, base: JSONObject?, type: RecordType, at moment: HLC) {
        guard base != now.fields else {
            self.init(patch: edit, moments: [:], conflicts: [], isMerge: false)
            return
        }
        var clock = FieldClocks()
        clock.stamp(edit.names, at: moment)
        let mine = ThreeWayMerge.Side(fields: (base ?? now.fields).applying(edit), clock: clock)
        // Without a base all that the person left as it is stays as it is now.
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
