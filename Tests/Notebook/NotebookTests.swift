import Foundation
import Interchange
import LocalStore
import Notebook
import Records
import Testing

extension FieldKey<String> {
    fileprivate static var shelf: Self { Self("shelf") }
}

extension FieldKey<Double> {
    fileprivate static var rating: Self { Self("rating") }
}

extension RecordType {
    /// A developer's own type.
    fileprivate static let book = RecordType(
        collection: "books", names: ["book", "books"],
        fields: [Field(.title, kind: .title, place: .form), Field(.tags), Field(.shelf), Field(.rating)])
}

@Suite("The operations of a notebook for a developer's own record type", .timeLimit(.minutes(5)))
struct NotebookTests {
    private let notebook: Notebook

    init() throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard.adding(.book))
        notebook = Notebook(
            store: store, now: { Date(timeIntervalSince1970: 1_000_000_000) },
            calendar: Calendar(identifier: .gregorian), makeID: Counter().next,
            terminal: "test")
    }

    @Test("A record is added, listed, edited, tagged, searched and deleted; each is undone as a whole")
    func operations() async throws {
        let dune = try await notebook.add(["Dune", "+novel"], to: .book)
        _ = try await notebook.add(["Emma", "+novel"], to: .book)
        let listed = try await notebook.list(["book"])
        #expect(listed.rows.map(\.record.titleOrID) == ["Dune", "Emma"])
        #expect(listed.rows.map(\.number) == [1, 2])

        let edited = try await notebook.edit("1", [], title: "Dune Messiah")
        #expect((edited.key, edited.title, edited.hasChanged) == (dune.key, "Dune Messiah", true))
        #expect(try await notebook.tag(["1,2"], adding: ["owned"]).changed.count == 2)
        #expect(try await notebook.delete(["1-2"]).count == 2)
        #expect(try await notebook.list(["book"]).total == 0)

        let undone = try #require(try await notebook.undo())
        #expect((undone.command, undone.changed, undone.kept) == ("rm", 2, []))
        #expect(try await notebook.list(["book", "+owned"]).total == 2)
        // A search assigns numbers, too.
        #expect(try await notebook.search(["messiah"]).rows.map(\.record.key) == [dune.key])
        #expect(try await notebook.key(of: "1") == dune.key)
        #expect(try await notebook.journal().map(\.name) == ["rm", "tag", "edit", "add", "add"])
        let redone = try #require(try await notebook.redo())
        #expect((redone.command, redone.changed) == ("rm", 2))
    }

    @Test("A custom operation is one entry of the journal, and nothing if it fails")
    func command() async throws {
        struct Refused: Error {}
        _ = try await notebook.add(["Dune"], to: .book)
        _ = try await notebook.list(["book"])
        try await notebook.command("shelve") { records in
            let key = try records.key(of: "1")
            try records.edit(key, [.set(.shelf, "A")])
        }
        await #expect(throws: Refused.self) {
            try await notebook.command("shelve") { records in
                try records.edit(try records.key(of: "1"), [.set(.shelf, "B")])
                throw Refused()
            }
        }
        let shelf = try await notebook.read { try $0.record(try $0.key(of: "1"))?.fields["shelf"] }
        #expect(shelf == "A")
        #expect(try await notebook.journal().map(\.name) == ["shelve", "add"])
    }

    @Test("A record is added with fields instead of words, within the limits of its type")
    func typedFields() async throws {
        let dune = try await notebook.add([.set(.title, "Dune"), .set(.tags, ["novel"])], to: .book)
        #expect(try await notebook.list(["+novel"]).rows.map(\.record.key) == [dune.key])
        await #expect(throws: NotebookError.titleMissing) {
            try await notebook.add([.set(.tags, ["novel"])], to: .book)
        }
        let tooLong = String(repeating: "x", count: FieldLimits.titleBytes + 1)
        await #expect(throws: InvalidField.self) {
            try await notebook.add([.set(.title, tooLong)], to: .book)
        }
        #expect(try await notebook.list(["book"]).total == 1)
    }

    @Test("An edit of a record as it was shown is merged with what changed since then")
    func editOfShown() async throws {
        let fields: FieldChanges = [.set(.title, "Dune"), .set(.tags, ["novel"]), .set(.shelf, "A")]
        let key = try await notebook.add(fields, to: .book).key
        let shown = try #require(try await notebook.localRecord(key)).record
        _ = try await notebook.command("shelve") {
            try $0.edit(key, [.set(.shelf, "B"), .set(.tags, ["novel", "owned"])])
        }

        let edited = try await notebook.edit(
            [.set(.title, "Dune Messiah"), .set(.tags, ["novel", "sf"]), .set(.shelf, "A")], seen: shown)
        #expect(edited.outcome == .merged(conflicts: []))
        #expect(edited.title == "Dune Messiah")
        #expect(Set(edited.record[.tags] ?? []) == ["novel", "owned", "sf"])
        #expect(edited.record.fields["shelf"] == "B", "The form didn't change it.")
        #expect(try await notebook.localRecord(key)?.record == edited.record)
        #expect(try await notebook.journal().map(\.name) == ["edit", "shelve", "add"])
    }

    @Test("A field that changed since it was shown gets the new value, and both are in a conflict")
    func editOfShownInConflict() async throws {
        let key = try await notebook.add([.set(.title, "Dune"), .set(.shelf, "A")], to: .book).key
        let shown = try #require(try await notebook.localRecord(key)).record
        _ = try await notebook.command("shelve") { try $0.edit(key, [.set(.shelf, "B")]) }

        let edited = try await notebook.edit([.set(.shelf, "C")], seen: shown)
        #expect(edited.outcome == .merged(conflicts: ["shelf"]))
        #expect(edited.record.fields["shelf"] == "C")
        let conflict = try #require(try await notebook.conflicts().rows.first).conflict.conflict
        #expect(conflict.earlier.value == "B")
        #expect(conflict.later.value == "C")
    }

    @Test("An edit of a record as it was shown says whether it changed or revived the record")
    func outcomes() async throws {
        let key = try await notebook.add([.set(.title, "Dune"), .set(.shelf, "A")], to: .book).key
        let shown = try #require(try await notebook.localRecord(key)).record
        #expect(try await notebook.edit([.set(.shelf, "A")], seen: shown).outcome == .unchanged)
        #expect(try await notebook.edit([.remove(.shelf)], seen: shown).outcome == .edited)
        #expect(try await notebook.localRecord(key)?.record.fields == ["title": "Dune"])
        _ = try await notebook.delete([key.id])
        let revived = try await notebook.edit([.set(.title, "Dune Messiah")], seen: shown)
        #expect(revived.outcome == .revived)
        #expect(revived.record.fields == ["title": "Dune Messiah", "shelf": "A"])
    }

    @Test(
        "A value of the wrong kind is refused in every edit, and nothing is stored",
        arguments: [
            ("rating", "four"), ("shelf", 4), ("tags", "novel"), ("tags", ["novel", 1]), ("due", "nonsense"),
            ("priority", "high"), ("repeat", "seldom"), ("annotations", ["read"]),
        ] as [(String, JSONValue)])
    func wrongKind(field: String, value: JSONValue) async throws {
        let key = try await notebook.add([.set(.title, "Dune")], to: .book).key
        let shown = try #require(try await notebook.localRecord(key)).record
        let changes = FieldChanges(json: [field: value])
        let added = FieldChanges(json: ["title": "Emma", field: value])
        let error = await #expect(throws: InvalidField.self) { try await notebook.edit(changes, seen: shown) }
        #expect(error?.field == field)
        await #expect(throws: InvalidField.self) {
            try await notebook.edit([key.id], command: "edit") { _ in changes }
        }
        await #expect(throws: InvalidField.self) { try await notebook.command("edit") { try $0.edit(key, changes) } }
        await #expect(throws: InvalidField.self) { try await notebook.add(added, to: .book) }
        #expect(try await notebook.localRecord(key)?.record == shown)
        #expect(try await notebook.journal().map(\.name) == ["add"])
    }

    @Test("A value of another kind that another client has stored is kept by edits of other fields, undo and redo")
    func storedOfOtherKind() async throws {
        let key = RecordKey(collection: "books", id: "theirs")
        let fields: JSONObject = ["title": "Dune", "rating": "four", "tags": ["novel", 1], "due": "nonsense"]
        try notebook.store.writeNow { _ = try $0.edit(key, fields) }
        let shown = try #require(try await notebook.localRecord(key)).record

        // A form passes all its fields.
        var form = FieldChanges(json: fields)
        form[.title] = "Emma"
        #expect(try await notebook.edit(form, seen: shown).record.fields == fields.applying(["title": "Emma"]))
        _ = try await notebook.tag([key.id], adding: ["owned"])
        _ = try await notebook.annotate(key.id, "Read.")
        let edited = try #require(try await notebook.localRecord(key)).record
        #expect(edited.fields["tags"] == ["novel", 1, "owned"])
        #expect(edited.fields["rating"] == "four")

        let removed = try await notebook.edit([.remove(.rating), .remove(.due)], seen: edited)
        #expect(removed.record.fields["rating"] == nil)
        _ = try await notebook.undo()
        #expect(try await notebook.localRecord(key)?.record.fields == edited.fields)
        _ = try await notebook.redo()
        #expect(try await notebook.localRecord(key)?.record.fields == removed.record.fields)
        _ = try await notebook.undo()
        _ = try await notebook.delete([key.id])
        _ = try await notebook.undo()
        #expect(try await notebook.localRecord(key)?.record.fields == edited.fields)
    }

    @Test("An import restores values of any kind")
    func importOfOtherKind() async throws {
        let key = RecordKey(collection: "books", id: "theirs")
        let fields: JSONObject = ["title": "Dune", "rating": "four", "tags": [1]]
        try notebook.store.writeNow { _ = try $0.edit(key, fields) }
        let exported = try await notebook.exporting(to: .satchel).document.text
        try notebook.store.writeNow { try $0.store(nil, for: key) }
        #expect(try await notebook.importing(exported, as: .satchel).created == 1)
        let restored = try #require(try await notebook.localRecord(key)).record
        #expect(restored.fields["rating"] == "four")
        #expect(restored.fields["tags"] == [1])
    }

    @Test("Tags are added and removed; a tag in both lists is added, and a record that has them is unchanged")
    func tags() async throws {
        let dune = try await notebook.add([.set(.title, "Dune"), .set(.tags, ["novel", "later"])], to: .book).key
        let emma = try await notebook.add([.set(.title, "Emma"), .set(.tags, ["novel"])], to: .book).key
        let both = [dune.id, emma.id]
        let tagged = try await notebook.tag(both, adding: ["novel"], removing: ["later", "novel"])
        #expect(tagged.changed.map(\.key) == [dune])
        #expect(tagged.unchanged.map(\.key) == [emma])
        #expect(tagged.changed.first?[.tags] == ["novel"])
        await #expect(throws: NotebookError.recordsOrTagsMissing) { try await notebook.tag(both) }
        await #expect(throws: NotebookError.recordsOrTagsMissing) { try await notebook.tag([], adding: ["novel"]) }
    }

    @Test("The journal names the command that a program gives")
    func commands() async throws {
        let id = try await notebook.add([.set(.title, "Milk")], to: TaskRecord.type, command: "want").key.id
        _ = try await notebook.complete([id], command: "buy")
        _ = try await notebook.reopen([id], command: "return")
        _ = try await notebook.delete([id], command: "forget")
        #expect(try await notebook.journal().map(\.name) == ["forget", "return", "buy", "want"])
        #expect(try await notebook.undo()?.command == "forget")
    }

    @Test("A transaction returns what isn't synced, and why")
    func unsynced() async throws {
        let refused = try await notebook.add(["Dune"], to: .book).key
        _ = try await notebook.add(["Emma"], to: .book)
        let large = RecordKey(collection: "books", id: "large")
        try notebook.store.writeNow { cache in
            try cache.outbox.refuse(refused, Rejection(code: "refused", reason: "Too many books."))
            try cache.replica.noteOversized(
                OversizedRecord(
                    key: large, version: 7, deleted: false, modifiedAt: "2026-11-21T05:00:00.000Z",
                    modifiedBy: "desktop", bytes: 20 << 20),
                marking: false)
        }
        let local = try #require(try await notebook.read { try $0.refusedRecords(limit: 5) }.first)
        #expect(local.record.key == refused)
        #expect(local.rejection == "Too many books.")
        #expect(local.isUnsent && !local.isInFlight)
        let unreceived = try #require(try await notebook.read { try $0.unreceivedRecords() }.first)
        #expect(unreceived.record.key == large)
        #expect(unreceived.bytes == 20 << 20)
        let unsent = try await notebook.read { try $0.unsentCounts() }
        #expect(unsent.records == 2)
        #expect(unsent.refused == 1)
        #expect(try await notebook.read { try $0.rebuildNotice() } == nil)
        #expect(try await notebook.read { try $0.resolvedElsewhereCount() } == 0)
    }

    @Test("An error that the user can correct says what to do")
    func errors() async throws {
        await #expect(throws: NotebookError.unknownNumber("1")) { try await notebook.key(of: "1") }
        await #expect(throws: NotebookError.unknownID("3f2a")) { try await notebook.key(of: "3f2a") }
        await #expect(throws: NotebookError.titleMissing) { try await notebook.add(["+novel"], to: .book) }
        await #expect(throws: NotebookError.reversedRange("3-1", corrected: "1-3")) {
            try await notebook.delete(["3-1"])
        }
        let unchanged = try await notebook.list(["book"])
        #expect(unchanged.total == 0)
    }

    @Test("An export is imported again without a change")
    func exchange() async throws {
        _ = try await notebook.add(["Dune", "+novel"], to: .book)
        let exported = try await notebook.exporting(to: .satchel)
        #expect(exported.document.count == 1)
        let imported = try await notebook.importing(exported.document.text, as: .satchel)
        #expect((imported.created, imported.updated, imported.unchanged) == (0, 0, 1))
    }
}
