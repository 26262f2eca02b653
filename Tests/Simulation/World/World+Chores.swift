import LocalStore
import Records
import struct Records.Record

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
