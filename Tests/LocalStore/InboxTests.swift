import LocalStore
import Records
import struct Records.Record
import TestSupport
import Testing

@Suite struct InboxTests {
    private let store: LocalStore

    init() throws { store = try .inMemory() }

    /// Receives a conflict of this device's edit from the server.
    private func bring(
        _ id: String, version: Int64 = 1, resolvedBy device: String? = nil,
        at modifiedAt: String = "2026-11-21T05:00:00.000Z",
        mine: Bool = true
    ) throws {
        try store.writeNow { cache in
            let mine = mine ? try cache.device() : "another"
            var clock = FieldClocks(all: moment(5, "there"))
            var fields: JSONObject = [
                "collection": "tasks", "record": "aa", "field": "title",
                "earlier": ["value": "a", "clock": .string(moment(1, mine).description)],
                "later": ["value": "b", "clock": .string(moment(5, "there").description)],
            ]
            if let device {
                fields["settled"] = "2026-11-21T05:00:00Z"
                clock.stamp(["settled"], at: moment(9, device))
            }
            let record = Record(
                key: ConflictRecord.key(id), version: version, modifiedAt: modifiedAt, modifiedBy: "there",
                fields: fields, clock: clock)
            try cache.store(CachedRecord(record: record), for: record.key)
        }
    }

    /// Removes what a sync removes at its end and, afterwards, a list of the conflicts.
    ///
    /// - Parameter serverTime: The server's time at the sync, in milliseconds since 1970.
    private func syncEndsAndConflictsAreListed(at serverTime: UInt64) throws {
        try store.writeNow { cache throws in
            _ = try cache.replica.purgeTombstones(at: serverTime)
            _ = try cache.conflicts.forgetOldConflicts()
        }
    }

    @Test func `open conflicts are those that are not resolved`() throws {
        try bring("a")
        try bring("b", resolvedBy: "there")
        try bring("c")
        try store.writeNow { try $0.delete(ConflictRecord.key("c")) }
        #expect(try store.readNow { try $0.conflicts.openCount() } == 1)
    }

    @Test func `resolved elsewhere are those of this device's edits, by others, received since the last look`()
        throws
    {
        let device = try store.writeNow { try $0.device() }
        try bring("a", version: 3, resolvedBy: "there")
        try bring("b", version: 4, resolvedBy: device)
        try bring("c", version: 5, resolvedBy: "there", mine: false)
        #expect(try store.writeNow { try $0.conflicts.conflictsResolvedElsewhere() } == 1)
        _ = try store.writeNow { try $0.conflicts.noteResolvedShown() }
        #expect(try store.writeNow { try $0.conflicts.conflictsResolvedElsewhere() } == 0)
        try bring("d", version: 6, resolvedBy: "there")
        #expect(try store.writeNow { try $0.conflicts.conflictsResolvedElsewhere() } == 1)
    }

    @Test func `resolved ones are deleted after 90 days of the server's clock, open ones never`() throws {
        try bring("old", resolvedBy: "there", at: "2026-01-01T00:00:00.000Z")
        try bring("open", at: "2026-01-01T00:00:00.000Z")
        try bring("young", resolvedBy: "there", at: "2026-01-01T00:00:01.000Z")
        _ = try store.writeNow { try $0.conflicts.forgetOldConflicts() }
        #expect(try store.readNow { try $0.records(in: ["conflicts"]) }.count == 3, "the server's time is unknown")
        let april: UInt64 = 1_775_001_600_000
        try syncEndsAndConflictsAreListed(at: april - 86_400_000)
        #expect(try store.readNow { try $0.records(in: ["conflicts"]) }.count == 3)
        try syncEndsAndConflictsAreListed(at: april + 500)
        let left = try store.readNow { try $0.records(in: ["conflicts"]) }.map(\.key.id)
        #expect(Set(left) == ["open", "young"])
        #expect(try store.readNow { try $0.outbox.sendable(limit: 9) }.map(\.record.key.id) == ["old"])
        #expect(try store.readNow { try $0.journal.entries() }.isEmpty, "it is no command of the user")
    }
}
