import LocalStore
import Notebook
import Records
import Testing

@Suite("Lists of conflicts", .timeLimit(.minutes(5)))
struct ConflictListTests {
    /// The status and the automatic sync count conflicts, so they must notice.
    @Test("A list announces that resolved conflicts were shown, once", arguments: [(0, 0), (1, 1), (2, 0)])
    func announcement(calls: Int, announced: Int) async throws {
        let changes = try await changes(of: calls)
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == announced)
    }

    /// Returns the writes that the last of several lists announces. The stream ends, since its store does.
    private func changes(of calls: Int) async throws -> AsyncStream<Void> {
        let store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard)
        let moment = HLC(milliseconds: 5, device: "there")
        try store.writeNow { cache in
            let record = Record(
                key: ConflictRecord.key("a"), version: 3, modifiedAt: "2026-11-21T05:00:00.000Z", modifiedBy: "there",
                fields: [
                    "collection": "tasks", "record": "aa", "field": "title", "settled": "2026-11-21T05:00:00Z",
                    "earlier": ["value": "a", "clock": .string(moment.description)],
                    "later": ["value": "b", "clock": .string(moment.description)],
                ], clock: FieldClocks(all: moment))
            try cache.store(CachedRecord(record: record), for: record.key)
        }
        let notebook = Notebook(store: store, terminal: "test")
        for _ in 0..<max(0, calls - 1) { _ = try await notebook.conflicts(resolved: true) }
        let changes = store.changes(beginsAtOnce: false, interval: .milliseconds(1))
        _ = try await notebook.conflicts(resolved: calls > 0)
        return changes
    }
}
