import LocalStore
import Records
import Testing

import struct Records.Record

@testable import Notebook

@Suite("What undoing does to a record")
struct UndoPlanTests {
    private static let key = RecordKey(collection: "tasks", id: "a")

    private static func record(_ fields: JSONObject?, deleted: Bool = false) -> Record? {
        fields.map { Record(key: key, deleted: deleted, fields: $0) }
    }

    private func plan(_ before: JSONObject?, _ after: JSONObject?, now: Record?) throws -> UndoPlan {
        let change = try #require(JournalChange(Self.key, from: Self.record(before), to: Self.record(after)))
        return UndoPlan(change, now: now, types: .standard)
    }

    private func plan(_ before: JSONObject?, _ after: JSONObject?, now: JSONObject?) throws -> UndoPlan {
        try plan(before, after, now: Self.record(now))
    }

    private let milk: JSONObject = ["title": "Milk", "due": "2026-12-01T00:00:00Z"]

    @Test("An edit is turned round: values return, what was added goes, what was removed is back")
    func edit() throws {
        let after: JSONObject = ["title": "Oat milk", "priority": "H"]
        let plan = try plan(milk, after, now: after.applying(["project": "home"]))
        #expect(plan.action == .edit(["title": "Milk", "priority": .null, "due": "2026-12-01T00:00:00Z"]))
        #expect(plan.left == nil)
    }

    @Test("A field that somebody changed since stays and is told; the others return")
    func changedSince() throws {
        let plan = try plan(milk, ["title": "Oat milk"], now: ["title": "Rice milk"])
        #expect(plan.action == .edit(["due": "2026-12-01T00:00:00Z"]))
        #expect(plan.left == .fields(["title"]))
    }

    @Test("A field that somebody removed since stays removed")
    func removedSince() throws {
        let plan = try plan(["due": "1"], ["due": "2"], now: [:])
        #expect((plan.action, plan.left) == (.nothing, .fields(["due"])))
    }

    @Test("What is as before already needs nothing, and nothing is told")
    func asBefore() throws {
        let plan = try plan(milk, ["title": "Oat milk"], now: milk)
        #expect((plan.action, plan.left) == (.nothing, nil))
    }

    @Test("Of tags, only the command's own additions and removals are taken back")
    func tags() throws {
        let plan = try plan(
            ["tags": ["shop", "old"]], ["tags": ["shop", "new"]], now: ["tags": ["shop", "new", "theirs"]])
        #expect(plan.action == .edit(["tags": ["old", "shop", "theirs"]]))
        #expect(plan.left == nil)
    }

    @Test("A text that somebody changed elsewhere since is merged by lines; at the same lines theirs stays and is told")
    func texts() throws {
        let apart = try plan(["body": "a\nb\nc\nd"], ["body": "A\nb\nc\nd"], now: ["body": "A\nb\nc\nD"])
        #expect(apart.action == .edit(["body": "a\nb\nc\nD"]))
        #expect(apart.left == nil)
        let same = try plan(["body": "a\nb"], ["body": "A\nb"], now: ["body": "other\nb"])
        #expect((same.action, same.left) == (.nothing, .fields(["body"])))
    }

    @Test("What was made is deleted, unless somebody edited it since")
    func creation() throws {
        #expect(try plan(nil, milk, now: milk).action == .delete)
        let edited = try plan(nil, milk, now: milk.applying(["priority": "H"]))
        #expect((edited.action, edited.left) == (.nothing, .edited))
        for gone in [Self.record(milk, deleted: true), nil] {
            let plan = try plan(nil, milk, now: gone)
            #expect((plan.action, plan.left) == (.nothing, nil))
        }
    }

    @Test("What was deleted is back with its old fields, unless it is there already")
    func deletion() throws {
        for gone in [Self.record(["title": "Otherwise"], deleted: true), nil] {
            #expect(try plan(milk, nil, now: gone).action == .revive(milk))
        }
        let there = try plan(milk, nil, now: ["title": "Still wanted"])
        #expect((there.action, there.left) == (.nothing, nil))
    }

    @Test("What another device deleted after it had come back stays deleted, and that is told")
    func deletedElsewhere() throws {
        let change = try #require(JournalChange(Self.key, from: Self.record(milk), to: nil))
        let plan = UndoPlan(change, now: Self.record(milk, deleted: true), isDeletedElsewhere: true, types: .standard)
        #expect((plan.action, plan.left) == (.nothing, .deleted))
    }

    @Test("A record that somebody deleted since an edit isn't brought back, and that is told")
    func deletedSince() throws {
        for gone in [Self.record(milk, deleted: true), nil] {
            let plan = try plan(milk, ["title": "Oat milk"], now: gone)
            #expect((plan.action, plan.left) == (.nothing, .deleted))
        }
    }
}
