import Records
import SyncAPI
import TestSupport
import Testing

@testable import LocalStore
@testable import SyncEngine

@Suite struct OutgoingTests {
    @Test func `a clean record has nothing to send`() {
        #expect(CachedRecord.clean().mutation == nil)
    }

    @Test func `a new record is sent whole, with base 0 and one time`() {
        let made = CachedRecord.created(key, fields: ["title": "Milk"], at: moment(5))
        #expect(made.mutation == Mutation(key: key, base: 0, at: moment(5), action: .set(["title": "Milk"])))
    }

    @Test func `an edit sends only the changed fields, and null for removed ones`() {
        let edited = CachedRecord.clean(theirs(7, ["title": "Milk", "due": "today", "n": 1]))
            .edited(["title": "Bread", "due": .null], 5)
        let mutation = Mutation(
            key: key, base: 7, at: moment(5), action: .set(["title": "Bread", "due": .null]))
        #expect(edited.mutation == mutation)
    }

    @Test func `edits at several times send a clock for each field`() {
        let edited = CachedRecord.clean().edited(["title": "Bread"], 5).edited(["due": "today"], 6)
        #expect(edited.mutation?.at == nil)
        #expect(edited.mutation?.clock == FieldClocks(["title": moment(5), "due": moment(6)]))
    }

    @Test(arguments: [[:], ["due": moment(5)], ["due": moment(5), "note": moment(6)]] as [[JSONName: HLC]])
    func `a field without a time of its own is sent with one in any case`(clocks: [JSONName: HLC]) throws {
        for base in [Int64(0), 7] {
            var mirror = theirs(base, [:])
            mirror.clock = FieldClocks()
            let record = theirs(base, ["title": "Milk", "due": "today", "note": "x"], clock: FieldClocks(clocks))
            let edited = CachedRecord(record: record, mirror: base == 0 ? nil : mirror, pending: .init(at: moment(9)))
            let mutation = try #require(edited.mutation)
            #expect(mutation.at != nil)
            for (field, moment) in clocks { #expect(mutation.clock?[field.text] ?? mutation.at == moment) }
        }
    }

    @Test func `a deletion sends the clocks that it had seen`() throws {
        let deleted = try #require(CachedRecord.clean().deleted(at: moment(5)))
        let mutation = Mutation(key: key, base: 7, at: moment(5), clock: theirs().clock, action: .delete)
        #expect(deleted.mutation == mutation)
    }

    @Test func `a revival sends all fields on top of the tombstone`() {
        var tombstone = theirs(8, deleted: true)
        tombstone.fields = ["title": "Milk"]
        let revived = CachedRecord.clean(tombstone).edited(["due": "today"], 5)
        #expect(revived.mutation?.base == 8)
        #expect(revived.mutation?.action == .set(["title": "Milk", "due": "today"]))
        #expect(revived.mutation?.clock == FieldClocks(["*": moment(1, "there"), "due": moment(5)]))
    }

    @Test func `a deletion of a tombstone has nothing to send`() throws {
        var deleted = try #require(CachedRecord.clean().deleted(at: moment(5)))
        deleted.mirror = theirs(8, deleted: true)
        #expect(deleted.mutation == nil)
    }

    @Test func `a batch has as many records as allowed, and names those with nothing to send`() throws {
        let made = (0..<4).map { number in
            CachedRecord.created(RecordKey(collection: "tasks", id: "r\(number)"), fields: [:], at: moment(5))
        }
        let idle = CachedRecord(
            record: theirs(), mirror: theirs(), pending: .init(at: moment(5), edits: 2))
        let outgoing = Outgoing([idle] + made, since: "c\"1", limit: 3)
        #expect(outgoing.unchanged == [key])
        #expect(outgoing.keys.map(\.id) == ["r0", "r1", "r2"])
        let body = try #require(try JSONValue(parsing: outgoing.body).object)
        #expect(body["since"]?.string == "c\"1")
        #expect(body["mutations"]?.array?.compactMap(Mutation.init(json:)) == made.prefix(3).compactMap(\.mutation))
    }

    @Test func `a batch ends before it gets too large, but one record is always sent`() {
        let large = String(repeating: "x", count: RequestLimits(nil).batchBytes - 1_000)
        let made = ["r0", "r1"].map { id in
            CachedRecord.created(
                RecordKey(collection: "tasks", id: id), fields: ["body": .string(large)], at: moment(5))
        }
        #expect(Outgoing(made, since: nil, limit: 1_000).keys.map(\.id) == ["r0"])
    }
}

@Suite struct NextRequestTests {
    private func state(_ cursor: String?, _ reading: FullRead? = nil) -> SpaceState {
        SpaceState(remote: "s", cursor: cursor, digest: SpaceDigest(), reading: reading?.json)
    }

    private let batch = Batch(key: "k", since: "c", body: "{}")

    @Test func `a batch in flight is sent before anything else`() {
        let reading = state(nil, .restored(shared: 5))
        let next = NextRequest.decide(batch: batch, state: reading, hasSendable: true, seen: .all)
        #expect(next == .resend(batch))
    }

    @Test func `a full read is done before anything is pushed`() {
        for read in [FullRead.resync(.cursorExpired), .resync(.digestMismatch), .restored(shared: 5), .first] {
            for cursor in [nil, "c"] {
                let next = NextRequest.decide(
                    batch: nil, state: state(cursor, read), hasSendable: true, seen: .all)
                #expect(next == .read(read, from: cursor))
            }
        }
    }

    @Test(
        arguments: [
            (nil, true, nil, .read(.first, from: nil)), ("c", true, nil, .push(since: "c")),
            ("c", true, .all, .push(since: "c")), ("c", true, .part, .pull(since: "c")),
            ("c", false, nil, .pull(since: "c")), ("c", false, .part, .pull(since: "c")), ("c", false, .all, .nothing),
        ] as [(String?, Bool, NextRequest.Seen?, NextRequest)])
    func `then unsent edits, unless more is to be received first, then changes of others`(
        cursor: String?, hasSendable: Bool, seen: NextRequest.Seen?, next: NextRequest
    ) {
        let decided = NextRequest.decide(batch: nil, state: state(cursor), hasSendable: hasSendable, seen: seen)
        #expect(decided == next)
    }

    @Test func `the shared version of a restore is kept when a full read begins again`() {
        let (restored, resync) = (FullRead.restored(shared: 5), FullRead.resync(.cursorExpired))
        #expect(restored.followed(by: .restored(shared: 9)) == restored)
        #expect(restored.followed(by: .restored(shared: 3)) == .restored(shared: 3))
        #expect(restored.followed(by: resync) == restored)
        #expect(resync.followed(by: restored) == restored)
        #expect(FullRead.first.followed(by: resync) == resync)
    }
}
