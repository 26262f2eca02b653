import LocalStore
import Records
import struct Records.Record
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

@Suite struct TakingTests {
    @Test func `a record without unsent edits is applied, even if its version is lower`() {
        let taken = CachedRecord.clean().applyingRemote(theirs(6, ["title": "Bread"]))
        #expect(taken == MergeOutcome(next: .clean(theirs(6, ["title": "Bread"]))))
    }

    @Test func `a tombstone keeps the last live fields`() {
        let taken = CachedRecord.clean().applyingRemote(theirs(8, deleted: true)).next
        #expect(taken?.record.deleted == true && taken?.record.fields == ["title": "Milk"])
        #expect(taken?.pending == nil)
    }

    @Test func `a record that is known already changes nothing`() {
        let edited = CachedRecord.clean().edited(["title": "Bread"], 5)
        #expect(edited.applyingRemote(theirs()) == MergeOutcome(next: edited))
    }

    @Test func `edits of different fields are merged without a conflict`() throws {
        let edited = CachedRecord.clean().edited(["due": "today"], 5)
        let taken = edited.applyingRemote(theirs(9, ["title": "Bread"]))
        let next = try #require(taken.next)
        #expect(taken.merged && taken.conflicts.isEmpty)
        #expect(next.record.fields == ["title": "Bread", "due": "today"])
        #expect(next.mirror == theirs(9, ["title": "Bread"]))
        #expect(next.mutation?.base == 9 && next.mutation?.action == .set(["due": "today"]))
    }

    @Test func `of two edits of one field the later wins, and the other becomes a conflict`() throws {
        let edited = CachedRecord.clean().edited(["title": "Bread"], 5)
        let other = theirs(9, ["title": "Oil"], clock: FieldClocks(["*": moment(1), "title": moment(6, "there")]))
        let taken = edited.applyingRemote(other)
        #expect(taken.next == .clean(other))
        #expect(taken.conflicts.map(\.conflict.earlier.value) == ["Bread"])
        #expect(taken.conflicts.map(\.conflict.later.value) == ["Oil"])
    }

    @Test func `the same edit on both sides is no conflict`() {
        let edited = CachedRecord.clean().edited(["title": "Oil"], 5)
        let taken = edited.applyingRemote(theirs(9, ["title": "Oil"]))
        #expect(taken == MergeOutcome(next: .clean(theirs(9, ["title": "Oil"]))))
    }

    @Test func `an edit wins over a deletion, and is sent whole on top of the tombstone`() throws {
        let edited = CachedRecord.clean(theirs(7, ["title": "Milk", "n": 1])).edited(["title": "Bread"], 5)
        let next = try #require(edited.applyingRemote(theirs(9, deleted: true)).next)
        #expect(!next.record.deleted)
        #expect(next.mutation?.base == 9 && next.mutation?.action == .set(["title": "Bread", "n": 1]))
        #expect(next.mirror?.fields == ["title": "Milk", "n": 1], "the base of a further merge")
    }

    @Test func `a deletion loses against an edit, but not against a mere version`() throws {
        let deleted = try #require(CachedRecord.clean().deleted(at: moment(5)))
        #expect(deleted.applyingRemote(theirs(9, ["title": "Oil"])).next == .clean(theirs(9, ["title": "Oil"])))
        let stays = try #require(deleted.applyingRemote(theirs(9)).next)
        #expect(stays.record.deleted && stays.mutation?.base == 9)
    }

    @Test func `a deletion on both sides is one deletion`() throws {
        let deleted = try #require(CachedRecord.clean().deleted(at: moment(5)))
        let next = try #require(deleted.applyingRemote(theirs(9, deleted: true)).next)
        #expect(next.pending == nil && next.record.deleted && next.record.version == 9)
    }

    @Test(arguments: [Int64(7), 9])
    func `a revival stays when the tombstone is received again, under whatever version`(version: Int64) throws {
        var tombstone = theirs(7)
        tombstone.deleted = true
        let revived = CachedRecord.clean(tombstone).edited([:], 5)
        let next = try #require(revived.applyingRemote(theirs(version, deleted: true)).next)
        #expect(!next.record.deleted)
        #expect(next.mutation?.base == version && next.mutation?.action == .set(["title": "Milk"]))
    }

    @Test func `a record created on both sides loses nothing, even over a tombstone in between`() throws {
        let made = CachedRecord.created(key, fields: ["title": "Mine"], at: moment(5))
        let over = try #require(made.applyingRemote(theirs(8, deleted: true)).next)
        #expect(over.mirror?.fields == [:], "no live state was ever seen")
        let live = theirs(9, ["title": "Theirs"])
        let taken = over.applyingRemote(live)
        #expect(taken.next?.record.fields == ["title": "Mine"])
        #expect(taken.conflicts.map(\.conflict.earlier.value) == ["Theirs"])
    }

    @Test func `a dismissed conflict isn't revived by another device's copy`() throws {
        let conflict = RecordKey(collection: "conflicts", id: "c")
        let made = CachedRecord.created(conflict, fields: ["field": "title"], at: moment(5))
        let dismissed = try #require(made.deleted(at: moment(6)))
        let copy = theirs(9, ["field": "title"], key: conflict, clock: FieldClocks(all: moment(5)))
        let next = try #require(dismissed.applyingRemote(copy).next)
        #expect(next.record.deleted && next.mutation?.action == .delete && next.mutation?.base == 9)
    }

    @Test func `absence ends a deletion and a clean record, and an edit is sent again`() throws {
        #expect(CachedRecord.clean().applyingRemoteDeletion() == nil)
        #expect(CachedRecord.clean().deleted(at: moment(5))?.applyingRemoteDeletion() == nil)
        let revived = try #require(CachedRecord.clean().edited(["due": "today"], 5).applyingRemoteDeletion())
        #expect(revived.mutation?.base == 0)
        #expect(revived.mutation?.action == .set(["title": "Milk", "due": "today"]))
    }

    @Test func `an edit after a purge is merged with another device's edit on the last state seen`() throws {
        let title = FieldClocks(["*": moment(5, "there"), "title": moment(6, "there")])
        let sent = try #require(CachedRecord.clean().edited(["due": "today"], 5).applyingRemoteDeletion()).inFlight
        let answer = MutationResult.conflict(current: theirs(9, ["title": "Bread"], clock: title))
        let taken = try sent.applying(answer)
        #expect(taken.conflicts.isEmpty)
        #expect(taken.next?.record.fields == ["title": "Bread", "due": "today"])
    }

    @Test func `a record that the server purged and that is deleted before it is sent again leaves no trace`() throws {
        let purged = try #require(CachedRecord.clean().edited(["due": "today"], 5).applyingRemoteDeletion())
        #expect(purged.seen == nil)
        #expect(purged.deleted(at: moment(6)) == nil)
    }
}

@Suite struct SettlingTests {
    private let clock = FieldClocks(["*": moment(1, "there"), "title": moment(5)])

    @Test func `an applied edit leaves the record clean`() throws {
        let sent = CachedRecord.clean().edited(["title": "Bread"], 5).inFlight
        let next = try #require(try sent.applying(applied(8, clock: clock)).next)
        #expect(next.pending == nil && next.mirror == nil)
        #expect(next.record.version == 8 && next.record.fields == ["title": "Bread"] && next.record.clock == clock)
        #expect(next.record.modifiedBy == "here" && next.record.modifiedAt == "2026-11-21T05:23:00.000Z")
    }

    @Test func `an edit made in flight waits on top of the applied one`() throws {
        let sent = CachedRecord.clean().edited(["title": "Bread"], 5).inFlight
        let mutation = try #require(sent.mutation)
        let later = sent.edited(["due": "today", "title": "Milk"], 6)
        let next = try #require(
            later.applying(applied(8, clock: clock), of: mutation, device: "here", types: .standard).next)
        #expect(next.mirror?.fields == ["title": "Bread"] && next.mirror?.version == 8)
        #expect(next.pending?.sent == nil)
        #expect(next.mutation?.action == .set(["due": "today", "title": "Milk"]))
    }

    @Test func `an edit undone in flight is sent again in reverse`() throws {
        let sent = CachedRecord.clean().edited(["title": "Bread"], 5).inFlight
        let mutation = try #require(sent.mutation)
        let back = sent.edited(["title": "Milk"], 6)
        let next = try #require(
            back.applying(applied(8, clock: clock), of: mutation, device: "here", types: .standard).next)
        #expect(next.mutation?.action == .set(["title": "Milk"]))
    }

    @Test func `a record that was created and deleted in flight is deleted next`() throws {
        let sent = CachedRecord.created(key, fields: ["title": "Milk"], at: moment(5)).inFlight
        let mutation = try #require(sent.mutation)
        let deleted = try #require(sent.deleted(at: moment(6)))
        let next = try #require(
            deleted.applying(applied(8, clock: clock), of: mutation, device: "here", types: .standard).next)
        #expect(next.mutation?.action == .delete && next.mutation?.base == 8)
        #expect(next.mirror?.fields == ["title": "Milk"])
    }

    @Test func `an applied deletion leaves a tombstone with its last fields`() throws {
        let sent = try #require(CachedRecord.clean().deleted(at: moment(5))).inFlight
        let next = try #require(try sent.applying(applied(8, clock: clock)).next)
        #expect(next.pending == nil && next.record.deleted && next.record.version == 8)
        #expect(next.record.fields == ["title": "Milk"])
    }

    @Test func `edits before and in flight are one merge when the batch conflicts`() throws {
        let sent = CachedRecord.clean().edited(["title": "Bread"], 5).inFlight
        let mutation = try #require(sent.mutation)
        let later = sent.edited(["due": "today"], 6)
        let current = theirs(9, ["title": "Milk", "project": "home"])
        let next = try #require(
            later.applying(.conflict(current: current), of: mutation, device: "here", types: .standard).next)
        #expect(next.record.fields == ["title": "Bread", "due": "today", "project": "home"])
        #expect(next.mutation?.base == 9 && next.pending?.sent == nil)
    }

    @Test func `a conflict with nothing ends a deletion, and an edit is sent again`() throws {
        let deleted = try #require(CachedRecord.clean().deleted(at: moment(5))).inFlight
        #expect(try deleted.applying(.conflict(current: nil)).next == nil)
        let edited = CachedRecord.clean().edited(["due": "today"], 5).inFlight
        let next = try #require(try edited.applying(.conflict(current: nil)).next)
        #expect(next.mutation?.base == 0 && next.mutation?.action == .set(["title": "Milk", "due": "today"]))
    }

    @Test func `a rejected record waits until it is edited, unless it was edited since`() throws {
        let problem = Problem(status: 422, code: "too-large", title: "Too large")
        let sent = CachedRecord.clean().edited(["title": "Bread"], 5).inFlight
        let refused = try #require(try sent.applying(.rejected(problem)).next)
        #expect(refused.pending?.rejection == Rejection(code: "too-large", reason: "Too large"))
        #expect(refused.edited(["title": "B"], 6).pending?.rejection == nil)
        let mutation = try #require(sent.mutation)
        let later = sent.edited(["title": "B"], 6)
            .applying(.rejected(problem), of: mutation, device: "here", types: .standard)
        #expect(later.next?.pending == .init(at: moment(6), edits: 2))
    }

    @Test func `a new record that was rejected and deleted meanwhile is removed without a trace`() throws {
        let sent = CachedRecord.created(key, fields: [:], at: moment(5)).inFlight
        let mutation = try #require(sent.mutation)
        let deleted = try #require(sent.deleted(at: moment(6)))
        let problem = Problem(status: 422, code: "bad-id", title: "Bad id")
        #expect(deleted.applying(.rejected(problem), of: mutation, device: "here", types: .standard).next == nil)
    }
}
