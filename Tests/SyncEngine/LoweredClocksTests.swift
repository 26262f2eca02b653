import LocalStore
import Records
import TestSupport
import Testing

@testable import SyncEngine

@Suite struct LoweredClocksTests {
    private let store: LocalStore

    init() throws {
        store = try LocalStore(inMemoryWithWall: { 500_000 })
    }

    private func lowered(_ cached: CachedRecord, to serverTime: UInt64? = 100_000) throws -> CachedRecord {
        try store.writeNow { try cached.lowered(to: serverTime, by: $0.lowered) }
    }

    @Test func `a pending time too far ahead is lowered to the server's`() throws {
        let edited = CachedRecord.clean().edited(["title": "Bread", "due": "today"], 500_000)
        let moment = try lowered(edited).record.clock["title"]
        #expect(moment?.milliseconds == 100_000)
        #expect(try lowered(edited).record.clock["project"] == CachedRecord.clean().record.clock["project"])
    }

    @Test func `a lowered time is later than what it replaces`() throws {
        var edited = CachedRecord.clean().edited(["title": "Bread"], 500_000)
        let replaced = moment(120_000, "there")
        edited.mirror?.clock.moments["title"] = replaced
        let next = try #require(try lowered(edited).record.clock["title"])
        #expect(next > replaced && next.milliseconds == 120_000)
    }

    /// Merges treat equal times as the same edit: a deletion would look like one that had seen a later edit.
    @Test func `two edits never get the same time, but one edit keeps one`() throws {
        let first = try lowered(.created(key, fields: ["title": "Milk"], at: moment(500_000)))
        let second = try lowered(.created(key, fields: ["title": "Milk"], at: moment(500_001)))
        #expect(first.record.clock.latest != second.record.clock.latest)
        let edited = CachedRecord.clean().edited(["title": "Bread", "due": "today"], 500_000)
            .edited(["n": 1], 500_001)
        let clock = try lowered(edited).record.clock
        #expect(clock["title"] == clock["due"])
        let (title, number) = (try #require(clock["title"]), try #require(clock["n"]))
        #expect(title < number)
    }

    @Test func `a time within a minute, one of the server's and one of a clean record are unchanged`() throws {
        let near = CachedRecord.clean().edited(["title": "Bread"], 160_000)
        #expect(try lowered(near) == near)
        let ahead = theirs(7, clock: FieldClocks(all: moment(500_000, "there")))
        #expect(try lowered(.clean(ahead)) == .clean(ahead))
        let edited = CachedRecord.clean(ahead).edited(["due": "today"], 110_000)
        #expect(try lowered(edited) == edited)
        let far = CachedRecord.clean().edited(["title": "Bread"], 500_000)
        #expect(try lowered(far, to: nil) == far)
    }
}
