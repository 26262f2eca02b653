import LocalStore
import Records
import struct Records.Record
import SyncEngine

// Tasks that repeat: what people do with them, and what must be true of them.
extension World {
    /// The first one of the only series.
    private static let first = RecordKey(collection: "tasks", id: "r0")

    /// Lets the person do something with a task that repeats; `number` chooses it among those for which that is something new.
    func perform(_ chore: Chore, on number: Int, _ device: Device, _ step: Step) {
        guard let process = try? device.process(at: step.terminal) else { return device.noticeCut() }
        let read = try? process.store.readNow { cache in try cache.records(in: ["tasks"]).filter(\.comesAgain) }
        device.release(process)
        guard let series = read else { return }
        let title = JSONValue.string("w\(step.number)a")
        guard !series.isEmpty else { return begin(device, title, step) }
        let choice = series.filter { chore.fits($0) }.map(\.key).sorted { $0.id < $1.id }
        guard !choice.isEmpty else { return }
        let key = choice[number % choice.count]
        change(device, key, step) { cache, before in
            switch chore {
            case .complete:
                let end = Timestamp(seconds: Int64(device.now / 1_000))
                try cache.changeStatus(of: before, key, ["status": "completed", "end": .string(end.description)])
            case .reopen: try cache.changeStatus(of: before, key, ["status": "pending", "end": .null])
            case .retitle: try cache.edit(key, ["title": title])
            case .delete: try cache.delete(key)
            }
        }
    }

    /// The person makes a task that repeats.
    private func begin(_ device: Device, _ title: JSONValue, _ step: Step) {
        change(device, Self.first, step) { cache, _ in
            try cache.edit(
                Self.first,
                [
                    "title": title, "status": "pending", "due": "2026-11-22T08:00:00Z", "repeat": "daily",
                    "repeatZone": "Europe/Berlin",
                ])
        }
    }

    /// Looks for what was done and doesn't come again although nobody has ended the series, and for what comes twice.
    func watch(seriesIn records: [Record], of account: String) {
        let keys = Set(records.map(\.key))
        for next in records.compactMap({ NextInstance.record(after: $0)?.key }) where !keys.contains(next) {
            if removals.wasDeleted(next, account: account) { continue }
            find(.brokenSeries, "\(next.id), which comes next, is gone")
        }
        let predecessors = records.compactMap { $0.fields["repeatOf"]?.string }
        for (id, all) in Dictionary(grouping: predecessors, by: \.self) where all.count > 1 {
            find(.brokenSeries, "\(all.count) tasks come after \(id)")
        }
    }
}

extension Chore {
    /// Whether this can become of a live task that repeats.
    fileprivate func fits(_ record: Record) -> Bool {
        let isOpen = TaskRecord(fields: record.fields).status.isOpen
        return switch self {
        case .complete: isOpen
        case .reopen: !isOpen
        case .retitle, .delete: true
        }
    }
}

extension Record {
    fileprivate var comesAgain: Bool { !deleted && TaskRecord(fields: fields).rule != nil }
}

extension Cache {
    /// As the commands do it, with what follows.
    fileprivate func changeStatus(of before: Record?, _ key: RecordKey, _ patch: JSONObject) throws {
        try followUp(from: before, to: edit(key, patch))
    }
}

// What must be true all the time, and of more than the words.
extension World {
    /// Looks at what came of a sync.
    func watch(_ result: Result<SyncResult, any Error>, of device: Device) {
        switch result {
        case .success(let report):
            // Reading everything makes good whatever is wrong, and would hide it.
            if report.fullReads.contains(.resync(.digestMismatch)) {
                find(.wrongDigest, "\(device.name) read everything again because the digests differ")
            }
        case .failure(let error): judge(error, of: device)
        }
    }

    /// Looks for what was taken away and is back, and for conflicts told the wrong way round.
    func watch(_ records: [Record], of account: String) {
        // A restored backup may have tags that were removed since.
        if !schedule.forgetsDeletions, !schedule.restores {
            for tag in removals.returnedTags(in: records, account: account) { find(.comeback, "\(tag) is back") }
        }
        if !schedule.forgetsDeletions {
            for conflict in removals.returnedConflicts(in: records, account: account) {
                find(.comeback, "\(conflict) is back")
            }
        }
        for conflict in records where conflict.key.collection == "conflicts" {
            let clocks = ["earlier", "later"].compactMap { conflict.fields[$0]?.object?["clock"]?.string }
            // The texts sort as the moments do.
            if clocks.count == 2, clocks[0] > clocks[1] {
                find(.wrongOrder, "the conflict \(conflict.key.id) has \(clocks[0]) before \(clocks[1])")
            }
        }
    }

    /// Looks for clocks that the server should have lowered when they came.
    func watch(clocksOf records: [Record]) {
        let bound = server.latest + 60_000
        for record in records {
            for (field, moment) in record.clock.moments where Int64(moment.milliseconds) > bound + 1_000 {
                find(.futureClock, "\(field) of \(record.key.collection)/\(record.key.id) is of \(moment)")
            }
        }
    }
}

extension Schedule {
    /// Whether tombstones go, so that somebody may not hear of a deletion.
    fileprivate var forgetsDeletions: Bool {
        steps.contains { step in
            switch step.action {
            case .purge: true
            case .wait(let duration): duration > 80 * 86_400_000
            default: false
            }
        }
    }

    fileprivate var restores: Bool { steps.contains { $0.action == .restore } }
}
