internal import LocalStore
internal import Records
internal import struct Records.Record

/// Conflicts as a state shows them.
struct Inbox: Sendable {
    var rows: [ConflictsScreen.State.Row]
    var total: Int

    /// Which conflicts are shown, under which numbers: these stay, and what comes later has none until the next list.
    struct Shown: Sendable, Equatable {
        var ids: [Numbered]
        var areSettled: Bool
        /// Whether the values are shown whole.
        var isWhole = false

        struct Numbered: Sendable, Equatable {
            var number: Int
            var id: String
        }
    }

    init(_ cache: Cache, _ shown: Shown) throws {
        let facts = Facts(device: try cache.device(), names: try cache.deviceNames())
        total = try Self.ids(cache, settled: shown.areSettled).count
        rows = try shown.ids.compactMap { numbered in
            let record = try cache.cached(ConflictRecord.key(numbered.id))
            guard let record, let named = NamedConflict(record.record), named.isSettled == shown.areSettled else {
                return nil
            }
            return try .init(number: numbered.number, named.conflict, cache, facts, held: record, whole: shown.isWhole)
        }
    }

    /// The ids of all conflicts in the order of a list: those of a record together, the one with the oldest edit first;
    /// of settled ones the newest first.
    static func ids(_ cache: Cache, settled: Bool) throws -> [String] {
        let all = try cache.namedConflicts().filter { $0.isSettled == settled }.map(\.conflict)
            .sorted { ($0.clock.latest?.description ?? "", $0.id) < ($1.clock.latest?.description ?? "", $1.id) }
        if settled { return all.reversed().map(\.id) }
        var places: [RecordKey: Int] = [:]
        for (place, conflict) in all.enumerated() where places[conflict.record] == nil {
            places[conflict.record] = place
        }
        return all.enumerated().sorted {
            (places[$0.element.record] ?? 0, $0.offset) < (places[$1.element.record] ?? 0, $1.offset)
        }.map(\.element.id)
    }

    /// What is known of devices.
    struct Facts {
        /// This one's id.
        let device: String
        /// What others are called.
        let names: [String: String]
    }
}

extension ConflictsScreen.State.Row {
    fileprivate init(
        number: Int, _ conflict: ConflictRecord, _ cache: Cache, _ facts: Inbox.Facts, held: CachedRecord, whole: Bool
    ) throws {
        let found = conflict.conflict
        let record = try cache.cached(conflict.record)?.record
        let isGone = record?.deleted ?? true
        let hasChanged = record.map { !isGone && found.isOvertaken(in: $0) } ?? false
        let now = hasChanged ? record?.fields[found.field].map(\.shown) : nil
        let settling = conflict.settling(in: held)
        self.init(
            number: number, id: conflict.id, record: conflict.record.id, collection: conflict.record.collection,
            title: try cache.title(of: conflict.record).cut, isRecordDeleted: isGone, field: found.field,
            earlier: .init(found.earlier, facts, whole), later: .init(found.later, facts, whole),
            diff: Self.diff(found, whole), kept: found.kept.rawValue, hasChangedSince: hasChanged,
            now: whole ? now : now?.cut, settledAt: settling?.at,
            settledBy: settling.flatMap { facts.names[$0.device] ?? $0.device })
    }

    /// What differs, where both are texts (an absent one is empty) and one of them has several lines.
    private static func diff(_ conflict: FieldConflict, _ whole: Bool) -> TextDiff? {
        guard let old = (conflict.earlier.value ?? "").string, let new = (conflict.later.value ?? "").string,
            old.hasLines || new.hasLines
        else { return nil }
        return TextDiff(from: old, to: new, whole: whole)
    }
}

extension ConflictsScreen.State.Edit {
    fileprivate init(_ edit: FieldEdit, _ facts: Inbox.Facts, _ whole: Bool) {
        let shown = edit.value?.shown
        let device = edit.moment?.device
        self.init(
            value: whole ? shown : shown?.cut, isCut: !whole && shown != shown?.cut,
            at: edit.moment.map { Timestamp(seconds: Int64($0.milliseconds / 1_000)).description }, device: device,
            deviceName: device.flatMap { facts.names[$0] }, isMine: device == facts.device)
    }
}

extension ConflictRecord {
    /// When and on which device somebody settled it, as far as that is known. One that was deleted was put away by a device
    /// of an older kind; the server told when.
    fileprivate func settling(in held: CachedRecord) -> (at: String, device: String)? {
        if let settled { return held.record.clock[Self.settledField].map { (settled, $0.device) } }
        guard held.record.deleted, held.pending == nil else { return nil }
        return (held.record.modifiedAt, held.record.modifiedBy)
    }
}

extension FieldConflict {
    /// Whether the field was changed once more since the merge. A text with both versions has the clock after the later
    /// one's.
    func isOvertaken(in record: Record) -> Bool {
        switch kept {
        case .later: record.fields[field] != later.value
        case .both: record.clock[field] != later.moment?.next
        }
    }
}

extension JSONValue {
    /// A text as it is, anything else as JSON.
    var shown: String { string ?? text }
}
