import Backend
import LocalStore
import Records
import struct Records.Record
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

/// Records of the server that are too large to be received.
@Suite struct OversizedTests {
    private static let limit = 2_000
    private let bench: Bench

    init() throws { bench = try Bench(largestRecord: Self.limit) }

    private let b = RecordKey(collection: "tasks", id: "b")

    /// The record of `key` in a state that is too large.
    private func large(_ version: Int64) -> Record {
        theirs(version, ["title": "Large", "body": .string(String(repeating: "x", count: Self.limit))])
    }

    /// A page is requested, is too large, and is requested again as a stream.
    private func expectLargePage(_ records: [Record], cursor: String = "c1", holding: [Record]) {
        bench.transport.expect(Bench.pull, failing: .tooLarge)
        bench.transport.expect(Bench.pull, answer: .changes(records, cursor: cursor, holding: holding))
    }

    private func oversized() throws -> [RecordKey] {
        try bench.store.readNow { try $0.replica.oversized().map(\.record.key) }
    }

    @Test func `a record that is too large is named and omitted, and the rest is received`() async throws {
        expectLargePage([large(3), theirs(4, key: b)], holding: [large(3), theirs(4, key: b)])
        let report = try await bench.sync()
        #expect(Array(report.oversized.keys) == [key])
        #expect(report.pulled == 1)
        #expect(try bench.cached(b)?.record.version == 4)
        #expect(try oversized() == [key])
    }

    @Test func `the digest stays comparable, so that nothing is read again`() async throws {
        expectLargePage([large(3)], holding: [large(3)])
        _ = try await bench.sync()
        bench.transport.expect(
            Bench.pull, answer: .changes([theirs(4, key: b)], holding: [large(3), theirs(4, key: b)]))
        #expect(try await bench.sync().fullReads.isEmpty)
    }

    @Test func `its last received state is kept, and is the base of a later merge`() async throws {
        try bench.store.hold(theirs(1, ["title": "Oil", "due": "today"]))
        expectLargePage([large(3)], holding: [large(3)])
        _ = try await bench.sync()
        #expect(try bench.cached()?.record.fields == ["title": "Oil", "due": "today"])
        try bench.edit(["due": "tomorrow"])
        bench.transport.expect(
            Bench.pull, answer: .changes([theirs(5, ["title": "Small", "due": "today"])], cursor: "c2"))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(6, clock: taken)]))
        _ = try await bench.sync()
        #expect(try bench.mutations(of: 3).map(\.action) == [.set(["due": "tomorrow"])])
        #expect(try bench.cached()?.record.fields == ["title": "Small", "due": "tomorrow"])
        #expect(try oversized().isEmpty)
    }

    @Test func `its edits are held back, with the reason, and others are sent`() async throws {
        try bench.store.hold(theirs(1))
        expectLargePage([large(3)], holding: [large(3)])
        _ = try await bench.sync()
        try bench.edit(["due": "today"])
        try bench.edit(["title": "Other"], of: b)
        bench.transport.expect(
            Bench.push, answer: .changes(results: [applied(4, clock: taken)], holding: [large(3), theirs(4, key: b)]))
        _ = try await bench.sync()
        #expect(try bench.mutations(of: 2).map(\.key) == [b])
        #expect(try bench.cached()?.pending?.rejection?.code == "too-large")
    }

    @Test func `a batch whose answer is too large returns to the outbox, and the changes are pulled`() async throws {
        try bench.store.hold(theirs(1))
        try bench.edit(["due": "today"])
        bench.transport.expect(Bench.push, failing: .tooLarge)
        expectLargePage([large(3)], holding: [large(3)])
        let report = try await bench.sync()
        #expect(Array(report.oversized.keys) == [key])
        #expect(try bench.store.readNow { try $0.outbox.batch() } == nil)
        #expect(try bench.cached()?.record.fields["due"] == "today")
        #expect(try bench.cached()?.pending?.rejection?.code == "too-large")
    }

    @Test func `a deletion of it is received, since a tombstone needs no contents`() async throws {
        expectLargePage([large(3)], holding: [large(3)])
        _ = try await bench.sync()
        var gone = theirs(4)
        (gone.deleted, gone.fields) = (true, [:])
        bench.transport.expect(Bench.pull, answer: .changes([gone], holding: []))
        _ = try await bench.sync()
        #expect(try oversized().isEmpty)
    }

    @Test func `a full read detects it`() async throws {
        try bench.store.hold(theirs(1), theirs(2, key: b))
        bench.transport.expect(Bench.pull, answer: .refusal(410, .cursorExpired))
        expectLargePage([large(3)], cursor: "c5", holding: [large(3)])
        bench.transport.expect(Bench.pull, answer: .refusal(410, .cursorExpired))
        _ = try await bench.sync()
        #expect(try bench.cached()?.record.version == 3)
        #expect(try bench.cached(b) == nil)
    }
}
