internal import Notebook
internal import Records

extension ConflictsScreen.State.Row {
    init(_ listed: ListedConflict, in list: ConflictList, whole: Bool) {
        let conflict = listed.conflict
        let found = conflict.conflict
        let now = listed.hasChangedSince ? listed.record?.fields[found.field].map(\.shown) : nil
        self.init(
            number: listed.number, id: conflict.id, record: conflict.record.id, collection: conflict.record.collection,
            title: listed.title.cut, isRecordDeleted: listed.isRecordDeleted, field: found.field,
            earlier: .init(found.earlier, in: list, whole), later: .init(found.later, in: list, whole),
            diff: Self.diff(found, whole), kept: found.kept.rawValue, hasChangedSince: listed.hasChangedSince,
            now: whole ? now : now?.cut, settledAt: listed.resolution?.at,
            settledBy: listed.resolution.flatMap { list.deviceNames[$0.device] ?? $0.device })
    }

    /// What differs, if both are texts (an absent one is empty) and one of them has several lines.
    private static func diff(_ conflict: FieldConflict, _ whole: Bool) -> TextDiff? {
        guard let old = (conflict.earlier.value ?? "").string, let new = (conflict.later.value ?? "").string,
            old.hasLines || new.hasLines
        else { return nil }
        return TextDiff(from: old, to: new, whole: whole)
    }
}

extension ConflictsScreen.State.Edit {
    fileprivate init(_ edit: FieldEdit, in list: ConflictList, _ whole: Bool) {
        let shown = edit.value?.shown
        let device = edit.moment?.device
        self.init(
            value: whole ? shown : shown?.cut, isCut: !whole && shown != shown?.cut,
            at: edit.moment.map { Timestamp(seconds: Int64($0.milliseconds / 1_000)).description }, device: device,
            deviceName: device.flatMap { list.deviceNames[$0] }, isMine: device == list.device)
    }
}
