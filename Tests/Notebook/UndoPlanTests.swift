import LocalStore
import Records
import Testing

import struct Records.Record

@testable import Notebook

@Suite("Undoing changes of a record")
struct UndoPlanTests {
    private static let key = RecordKey(collection: "tasks", id: "a")

    private static func record(_ fields: JSONObject?, deleted: Bool = false) -> Record? {
        fields.map { Record(key: key, deleted: deleted, fields: $0) }
    }

    private func plan(_ before: JSONObject?, _ after: JSONObject?, now: Record?) throws -> UndoPlan {
        let change = try #require(JournalChange(Self.key, space: 1, from: Self.record(before), to: Self.record(after)))
        return UndoPlan(change, now: now, types: .standard)
    }

    private func plan(_ before: JSONObject?, _ after: JSONObject?, now: JSONObject?) throws -> UndoPlan {
        try plan(before, after, now: Self.record(now))
    }

    private let milk: JSONObject = ["title": "Milk", "due": "2026-12-01T00:00:00Z"]

    @Test("An edit is reversed: values return, what was added is removed, what was removed returns")
    func edit() throws {
        let after: JSONObject = ["title": "Oat milk", "priority": "H"]
        let plan = try plan(milk, after, now: after.applying(["project": "home"]))
        #expect(plan.action == .edit(["title": "Milk", "priority": .null, "due": "2026-12-01T00:00:00Z"]))
        #expect(plan.left == nil)
    }

    @Test("A field changed by another device since is kept and reported; the others return")
    func changedSince() throws {
        let plan = try plan(milk, ["title": "Oat milk"], now: ["title": "Rice milk"])
        #expect(plan.action == .edit(["due": "2026-12-01T00:00:00Z"]))
        #expect(plan.left == .fields(["title"]))
    }

    @Test("A field removed by another device since stays removed")
    func removedSince() throws {
        let plan = try plan(["due": "1"], ["due": "2"], now: [:])
        #expect((plan.action, plan.left) == (.nothing, .fields(["due"])))
    }

    @Test("A field with its previous value needs no change, and nothing is reported")
    func asBefore() throws {
        let plan = try plan(milk, ["title": "Oat milk"], now: milk)
        #expect((plan.action, plan.left) == (.nothing, nil))
    }

    @Test("Of tags, only the command's own additions and removals are undone")
    func tags() throws {
        let plan = try plan(
            ["tags": ["shop", "old"]], ["tags": ["shop", "new"]], now: ["tags": ["shop", "new", "theirs"]])
        #expect(plan.action == .edit(["tags": ["old", "shop", "theirs"]]))
        #expect(plan.left == nil)
    }

    @Test("A text changed by another device since is merged by lines; for the same lines theirs is kept and reported")
    func texts() throws {
        let apart = try plan(["body": "a\nb\nc\nd"], ["body": "A\nb\nc\nd"], now: ["body": "A\nb\nc\nD"])
        #expect(apart.action == .edit(["body": "a\nb\nc\nD"]))
        #expect(apart.left == nil)
        let same = try plan(["body": "a\nb"], ["body": "A\nb"], now: ["body": "other\nb"])
        #expect((same.action, same.left) == (.nothing, .fields(["body"])))
    }

    @Test("A created record is deleted, unless another device edited it since")
    func creation() throws {
        #expect(try plan(nil, milk, now: milk).action == .delete)
        let edited = try plan(nil, milk, now: milk.applying(["priority": "H"]))
        #expect((edited.action, edited.left) == (.nothing, .edited))
        for gone in [Self.record(milk, deleted: true), nil] {
            let plan = try plan(nil, milk, now: gone)
            #expect((plan.action, plan.left) == (.nothing, nil))
        }
    }

    @Test("A deleted record returns with its old fields, unless it has been revived already")
    func deletion() throws {
        for gone in [Self.record(["title": "Otherwise"], deleted: true), nil] {
            #expect(try plan(milk, nil, now: gone).action == .revive(milk))
        }
        let there = try plan(milk, nil, now: ["title": "Still wanted"])
        #expect((there.action, there.left) == (.nothing, nil))
    }

    @Test("A record that another device deleted after its revival stays deleted, and that is reported")
    func deletedElsewhere() throws {
        let change = try #require(JournalChange(Self.key, space: 1, from: Self.record(milk), to: nil))
        let plan = UndoPlan(change, now: Self.record(milk, deleted: true), isDeletedElsewhere: true, types: .standard)
        #expect((plan.action, plan.left) == (.nothing, .deleted))
    }

    @Test("A record that another device deleted after an edit isn't revived, and that is reported")
    func deletedSince() throws {
        for gone in [Self.record(milk, deleted: true), nil] {
            let plan = try plan(milk, ["title": "Oat milk"], now: gone)
            #expect((plan.action, plan.left) == (.nothing, .deleted))
        }
    }
}
