internal import Backend
internal import Notebook
internal import Records
internal import struct Records.Record

// What each revision did, found from the states that the server keeps: pure.
extension HistoryScreen.State.Revision {
    /// The unsent edits, if there are any, and the revisions below them.
    ///
    /// - Parameters:
    ///   - names: what devices are called, by id.
    static func all(
        _ revisions: Revisions, _ subject: HistorySubject, names: [String: String], types: RecordTypes
    ) -> [Self] {
        let (local, device) = (subject.local, subject.device)
        let catalog = types.catalog(for: local.record.key.collection)
        let states = revisions.records
        let kept = states.indices.map { index in
            let before = index + 1 < states.count ? states[index + 1] : nil
            return Self(
                states[index], after: before, isOldest: before == nil && revisions.more, device: device, names: names,
                catalog: catalog)
        }
        guard local.isUnsent else { return kept }
        var unsent = Self(
            local.record, after: local.acknowledged, isOldest: false, device: device, names: names, catalog: catalog)
        (unsent.version, unsent.at, unsent.device, unsent.isMine) = (nil, nil, device, true)
        unsent.deviceName = names[device]
        return [unsent] + kept
    }

    private init(
        _ state: Record, after before: Record?, isOldest: Bool, device: String, names: [String: String],
        catalog: FieldCatalog
    ) {
        let event = Self.event(state, after: before, isOldest: isOldest)
        let isKnown = event != .oldest && event != .deleted
        let old = before.map { $0.deleted ? [:] : $0.fields } ?? [:]
        self.init(
            version: state.version, event: event, at: state.modifiedAt, device: state.modifiedBy,
            deviceName: names[state.modifiedBy], isMine: state.modifiedBy == device,
            changes: isKnown ? HistoryScreen.State.Change.all(from: old, to: state.fields, catalog) : [])
    }

    private static func event(
        _ state: Record, after before: Record?, isOldest: Bool
    ) -> HistoryScreen.State.Event {
        if state.deleted { return .deleted }
        guard let before else { return isOldest ? .oldest : .made }
        return before.deleted ? .revived : .changed
    }
}

extension HistoryScreen.State.Change {
    /// The fields that differ, by name; not what an import remembers, which people are not shown.
    static func all(from old: JSONObject, to new: JSONObject, _ catalog: FieldCatalog) -> [Self] {
        new.patch(from: old).sortedNames.filter { $0 != Record.importMarkField }.map { name in
            Self(name, from: old[name], to: new[name], isMoment: catalog[name]?.kind.isMoment ?? false)
        }
    }

    private init(_ field: String, from old: JSONValue?, to new: JSONValue?, isMoment: Bool) {
        var diff: TextDiff?
        if let old = (old ?? "").string, let new = (new ?? "").string, old.hasLines || new.hasLines {
            diff = TextDiff(from: old, to: new)
        }
        self.init(field: field, from: old?.shown.cut, to: new?.shown.cut, diff: diff, isMoment: isMoment)
    }
}

extension HistoryScreen.State.Subject {
    init(_ record: Record) {
        self.init(
            id: record.key.id, collection: record.key.collection, title: record[.title] ?? "",
            isDeleted: record.deleted)
    }
}
