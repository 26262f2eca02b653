import LocalStore
import Records
import struct Records.Record
import SyncEngine

// Repeating tasks: the users' commands, and their invariants.
extension World {
    /// The first one of the only series.
    private static let first = RecordKey(collection: "tasks", id: "r0")

    /// Performs a user's command on a repeating task; `number` selects it among those for which it has an effect.
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

    /// The user creates a repeating task.
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

    /// Finds completed tasks without a next instance although the series has not ended, and those with two.
    func watch(seriesIn records: [Record], of account: String) {
        let keys = Set(records.map(\.key))
        for next in records.compactMap({ NextInstance.record(after: $0)?.key }) where !keys.contains(next) {
            if removals.wasDeleted(next, account: account) { continue }
            find(.brokenSeries, "\(next.id), the next instance, is missing")
        }
        let predecessors = records.compactMap { $0.fields["repeatOf"]?.string }
        for (id, all) in Dictionary(grouping: predecessors, by: \.self) where all.count > 1 {
            find(.brokenSeries, "\(all.count) next instances of \(id)")
        }
    }
}

extension Chore {
    /// Whether this event is possible for a live repeating task.
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
    /// Like the commands, with their effects.
    fileprivate func changeStatus(of before: Record?, _ key: RecordKey, _ patch: JSONObject) throws {
        try followUp(from: before, to: edit(key, patch))
    }
}

// MARK: Invariants at any time, not only about words
extension World {
    /// Checks the result of a sync.
    func watch(_ result: Result<SyncResult, any Error>, of device: Device) {
        switch result {
        case .success(let report):
            // A full read repairs every fault, and would hide it.
            if report.fullReads.contains(.resync(.digestMismatch)) {
                find(.wrongDigest, "\(device.name) read everything again because the digests differ")
            }
        case .failure(let error): judge(error, of: device)
        }
    }

    /// Finds removed values that have returned, and conflicts reported the wrong way round.
    func watch(_ records: [Record], of account: String) {
        // A restored backup may have tags that were removed since.
        if !schedule.forgetsDeletions, !schedule.restores {
            for tag in removals.returnedTags(in: records, account: account) { find(.comeback, "\(tag) has returned") }
        }
        if !schedule.forgetsDeletions {
            for conflict in removals.returnedConflicts(in: records, account: account) {
                find(.comeback, "\(conflict) has returned")
            }
        }
        for conflict in records where conflict.key.collection == "conflicts" {
            let clocks = ["earlier", "later"].compactMap { conflict.fields[$0]?.object?["clock"]?.string }
            // The texts sort in the order of their times.
            if clocks.count == 2, clocks[0] > clocks[1] {
                find(.wrongOrder, "the conflict \(conflict.key.id) has \(clocks[0]) before \(clocks[1])")
            }
        }
    }

    /// Finds clocks that the server should have lowered when they arrived.
    func watch(clocksOf records: [Record]) {
        let bound = server.latest + 60_000
        for record in records {
            for (field, moment) in record.clock.moments where Int64(moment.milliseconds) > bound + 1_000 {
                find(.futureClock, "\(field) of \(record.key.collection)/\(record.key.id) has the clock \(moment)")
            }
        }
    }
}

extension Schedule {
    /// Whether tombstones are purged, so that a device may miss a deletion.
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
