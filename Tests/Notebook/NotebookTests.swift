import Foundation
import Interchange
import LocalStore
import Notebook
import Records
import Synchronization
import Testing

extension RecordType {
    /// A developer's own type.
    fileprivate static let book = RecordType(
        collection: "books", names: ["book", "books"],
        fields: [Field(.title, kind: .title, place: .form), Field(.tags), Field(FieldKey<String>("shelf"))])
}

/// Generates ids in a known order.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> String {
        count.withLock { count in
            count += 1
            return "\(count)abc"
        }
    }
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
        #expect(try await notebook.tag(["1,2", "+owned"]).count == 2)
        #expect(try await notebook.delete(["1-2"]).count == 2)
        #expect(try await notebook.list(["book"]).total == 0)

        let undone = try #require(try await notebook.undo())
        #expect((undone.command, undone.changed, undone.kept) == ("rm", 2, []))
        #expect(try await notebook.list(["book", "+owned"]).total == 2)
        // A search assigns numbers, too.
        #expect(try await notebook.search(["messiah"]).rows.map(\.record.key) == [dune.key])
        #expect(try await notebook.resolve("1") == dune.key)
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
            let key = try records.resolve("1")
            try records.edit(key, ["shelf": "A"])
        }
        await #expect(throws: Refused.self) {
            try await notebook.command("shelve") { records in
                try records.edit(try records.resolve("1"), ["shelf": "B"])
                throw Refused()
            }
        }
        let shelf = try await notebook.read { try $0.record(try $0.resolve("1"))?.fields["shelf"] }
        #expect(shelf == "A")
        #expect(try await notebook.journal().map(\.name) == ["shelve", "add"])
    }

    @Test("A record is added with fields instead of words, within the limits of its type")
    func typedFields() async throws {
        let dune = try await notebook.command("add") { try $0.add(["title": "Dune", "tags": ["novel"]], to: .book) }
        #expect(try await notebook.list(["+novel"]).rows.map(\.record.key) == [dune.key])
        await #expect(throws: NotebookError.titleMissing) {
            try await notebook.command("add") { try $0.add(["tags": ["novel"]], to: .book) }
        }
        let tooLong = String(repeating: "x", count: FieldLimits.titleBytes + 1)
        await #expect(throws: InvalidField.self) {
            try await notebook.command("add") { try $0.add(["title": .string(tooLong)], to: .book) }
        }
        #expect(try await notebook.list(["book"]).total == 1)
    }

    @Test("An error that the user can correct says what to do")
    func errors() async throws {
        await #expect(throws: NotebookError.unknownNumber("1")) { try await notebook.resolve("1") }
        await #expect(throws: NotebookError.unknownID("3f2a")) { try await notebook.resolve("3f2a") }
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
