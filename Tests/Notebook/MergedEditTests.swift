import Records
import Testing

import struct Records.Record

@testable import Notebook

@Suite("An edit, merged with later changes")
struct MergedEditTests {
    private static let seen: JSONObject = ["title": "Milk", "tags": ["a", "b"], "due": "d1", "body": "1\n2\n3\n4\n5"]
    private static let then = HLC(milliseconds: 1_000, device: "other")
    private static let now = HLC(milliseconds: 2_000, device: "mine")

    private func merged(_ edit: JSONObject, base: JSONObject? = seen, onto now: JSONObject) -> MergedEdit {
        let record = Record(
            key: RecordKey(collection: "tasks", id: "a"), fields: now, clock: FieldClocks(all: Self.then))
        return MergedEdit(edit, on: record, base: base, type: TaskRecord.type, at: Self.now)
    }

    @Test("On an unchanged record, the edit is applied as it is")
    func plain() {
        let edit = merged(["title": "Oat", "due": .null], onto: Self.seen)
        #expect(edit.patch == ["title": "Oat", "due": .null])
        #expect(!edit.isMerge && edit.conflicts.isEmpty && edit.moments.isEmpty)
    }

    @Test("Edits of different fields, tags and lines are both kept")
    func both() {
        let other: JSONObject = ["title": "Milk", "tags": ["a", "b", "c"], "due": "d2", "body": "1\n2\n3\n4\nfive"]
        let edit = merged(["title": "Oat", "tags": ["b"], "body": "one\n2\n3\n4\n5"], onto: other)
        #expect(edit.patch == ["title": "Oat", "tags": ["b", "c"], "body": "one\n2\n3\n4\nfive"])
        #expect(edit.isMerge && edit.conflicts.isEmpty)
        #expect(edit.moments == ["title": Self.now, "tags": Self.now.next, "body": Self.now.next])
    }

    @Test("Of two values for one field the user's wins, and both are kept in a conflict")
    func conflict() throws {
        let edit = merged(["due": "mine"], onto: Self.seen.applying(["due": "theirs", "title": "Rice"]))
        #expect(edit.patch == ["due": "mine"])
        let conflict = try #require(edit.conflicts.first)
        #expect(edit.conflicts.count == 1)
        #expect(conflict.earlier == FieldEdit(value: "theirs", moment: Self.then))
        #expect(conflict.later == FieldEdit(value: "mine", moment: Self.now))
        let removal = merged(["due": .null], onto: Self.seen.applying(["due": "theirs"]))
        #expect(removal.patch == ["due": .null] && removal.conflicts.count == 1)
    }

    @Test("The same edit on both sides changes nothing and is no conflict")
    func same() {
        let edit = merged(["due": "x"], onto: Self.seen.applying(["due": "x", "title": "Rice"]))
        #expect(edit.patch.isEmpty && edit.conflicts.isEmpty)
    }

    @Test("Without the merge base, each field that differs keeps both values; the others are unchanged")
    func unknownBase() {
        let edit = merged(["title": "Oat", "tags": ["x"], "project": "home"], base: nil, onto: Self.seen)
        #expect(edit.patch == ["title": "Oat", "tags": ["a", "b", "x"], "project": "home"])
        #expect(edit.conflicts.map(\.field) == ["title"])
    }
}
