import Backend
import LocalStore
import Records
import struct Records.Record
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

/// SyncAPI.docc/Protocol.md, "After a restored backup": both sides share the past up to version 5.
@Suite struct RestoredTests {
    private let edit = FieldClocks(["*": moment(1), "title": moment(9)])

    @Test func `case 1: of what both sides had before, the server's is applied and edits are merged`() {
        #expect(CachedRecord.clean(theirs(4)).applyingRestored(theirs(50), shared: 5).next == .clean(theirs(50)))
        let edited = CachedRecord.clean(theirs(4)).edited(["due": "today"], 5)
        let next = edited.applyingRestored(theirs(50, ["title": "Oil"]), shared: 5).next
        #expect(next?.record.fields == ["title": "Oil", "due": "today"])
        #expect(next?.mutation?.base == 50)
    }

    @Test func `case 2: what the server has lost is sent again on top of what it has`() throws {
        let lost = CachedRecord.clean(theirs(9, ["title": "Oil"], clock: edit))
        let next = try #require(lost.applyingRestored(theirs(4), shared: 5).next)
        #expect(next.mutation == Mutation(key: key, base: 4, at: moment(9), action: .set(["title": "Oil"])))
        let same = CachedRecord.clean(theirs(9))
        #expect(same.applyingRestored(theirs(4), shared: 5).next == .clean(theirs(4)))
    }

    @Test func `case 2: a deletion that the server has lost is sent again, too`() throws {
        var tombstone = theirs(9, deleted: true)
        tombstone.fields = ["title": "Milk"]
        let next = try #require(CachedRecord.clean(tombstone).applyingRestored(theirs(4), shared: 5).next)
        #expect(next.mutation?.action == .delete && next.mutation?.base == 4)
        let absent = try #require(
            CachedRecord.clean(tombstone).applyingAbsence(from: .restored(shared: 5), isFormer: true))
        #expect(absent.mutation?.action == .delete && absent.mutation?.base == 0)
    }

    @Test func `case 2: a record that the server no longer has is sent again whole`() throws {
        let lost = CachedRecord.clean(theirs(9, ["title": "Oil"]))
        let next = try #require(lost.applyingAbsence(from: .restored(shared: 5), isFormer: true))
        #expect(next.mutation?.base == 0 && next.mutation?.action == .set(["title": "Oil"]))
        #expect(next.seen == nil)
    }

    @Test func `case 3: equal records are unchanged, others merge and leave a conflict`() throws {
        let lost = CachedRecord.clean(theirs(9, ["title": "Oil"], clock: edit))
        let equal = theirs(50, ["title": "Oil"], clock: edit)
        #expect(lost.applyingRestored(equal, shared: 5) == MergeOutcome(next: .clean(equal)))
        let taken = lost.applyingRestored(theirs(50, ["title": "Rye"]), shared: 5)
        #expect(taken.next?.record.fields == ["title": "Oil"])
        #expect(taken.next?.mutation?.base == 50)
        #expect(taken.conflicts.map(\.conflict.earlier.value) == ["Rye"])
    }

    @Test func `case 3: an edit on top of what another device has sent again is no conflict`() throws {
        let lost = theirs(9, ["title": "Oil"], clock: edit)
        let given = theirs(50, ["title": "Oil"], clock: edit)
        let edited = CachedRecord.clean(lost).edited(["title": "Rye"], 12)
        let taken = edited.applyingRestored(given, shared: 5)
        #expect(taken.next?.record.fields == ["title": "Rye"])
        #expect(taken.next?.mutation?.base == 50)
        #expect(taken.conflicts == [])
        let deleted = try #require(CachedRecord.clean(lost).deleted(at: moment(12)))
        #expect(deleted.applyingRestored(given, shared: 5).next?.mutation?.action == .delete)
    }

    @Test(arguments: [true, false])
    func `case 3: a deletion wins only if it had seen all that the other side holds`(hadSeen: Bool) throws {
        let live = theirs(50, ["title": "Oil"], clock: edit)
        var tombstone = theirs(9, deleted: true, clock: hadSeen ? edit : FieldClocks(all: moment(1)))
        tombstone.fields = ["title": "Oil"]
        let mine = try #require(CachedRecord.clean(tombstone).applyingRestored(live, shared: 5).next)
        #expect(mine.record.deleted == hadSeen)
        #expect(mine.mutation?.action == (hadSeen ? .delete : nil))

        var former = live
        former.version = 9
        var known = theirs(50, deleted: true, clock: tombstone.clock)
        let other = try #require(CachedRecord.clean(former).applyingRestored(known, shared: 5).next)
        known.fields = other.record.fields
        #expect(other.record.deleted == hadSeen)
        #expect(other.mutation?.action == (hadSeen ? nil : .set(["title": "Oil"])))
    }

    @Test func `what was received in this epoch is no loss of the server`() {
        let met = CachedRecord.clean(theirs(50))
        #expect(met.applyingAbsence(from: .restored(shared: 5), isFormer: false) == nil)
    }

    @Test func `a server that lost everything is sent everything, including what was in flight`() async throws {
        let (bench, other) = (try Bench(), RecordKey(collection: "tasks", id: "b"))
        try bench.store.hold(theirs(7), theirs(8, key: other))
        try bench.edit(["due": "today"])
        bench.transport.expect(Bench.push, failing: .timedOut)
        await #expect(throws: BackendError.self) { _ = try await bench.engine.sync() }
        try bench.store.writeNow {
            try SyncEngine.rebind($0, remote: "new", username: "anna", server: "https://example.org")
        }
        #expect(try bench.store.readNow { try $0.outbox.batch() } == nil)
        bench.transport.expect(AuthenticatedRoute.pullChanges(space: "new"), answer: .changes(holding: []))
        bench.transport.expect(
            AuthenticatedRoute.pushChanges(space: "new"),
            answer: .changes(results: [applied(1, clock: taken), applied(2, clock: taken)]))
        let report = try await bench.sync()
        #expect(report.fullReads == [.restored(shared: 0)] && report.pushed == 2)
        let sent = try bench.mutations(of: 2)
        #expect(sent.map(\.base) == [0, 0])
        #expect(sent.map(\.action) == [.set(["title": "Milk", "due": "today"]), .set(["title": "Milk"])])
    }

    @Test func `a full read within the epoch drops removed records and sends edits of them again`() throws {
        let resync = FullRead.resync(.cursorExpired)
        #expect(CachedRecord.clean().applyingAbsence(from: resync, isFormer: false) == nil)
        let made = CachedRecord.created(key, fields: [:], at: moment(5))
        #expect(made.applyingAbsence(from: resync, isFormer: false) == made)
        let edited = CachedRecord.clean().edited(["due": "today"], 5).applyingAbsence(from: resync, isFormer: false)
        #expect(edited?.mutation?.base == 0)
    }
}
