import Foundation
import LocalStore
import Notebook
import Records
import Testing

@Suite("Contexts", .timeLimit(.minutes(5)))
struct ContextsTests {
    private let notebook: Notebook

    init() throws {
        let store = try LocalStore(inMemoryWithWall: { 1_795_000_000_000 }, types: .standard)
        notebook = Notebook(
            store: store, now: { Date(timeIntervalSince1970: 1_795_000_000) },
            calendar: Calendar(identifier: .gregorian), makeID: Counter().next, terminal: "test")
    }

    private func add(_ words: String...) async throws -> JSONObject {
        try await notebook.add(words, to: TaskRecord.type).fields
    }

    private func titles(_ filter: String...) async throws -> [String] {
        try await notebook.list(filter).rows.map(\.record.titleOrID)
    }

    @Test("The filter of the current context applies to lists, counts and filters that select records")
    func filter() async throws {
        _ = try await add("Paint", "project:house")
        _ = try await add("Mow", "project:house.garden", "+out")
        _ = try await add("Buy milk", "+out")
        try await notebook.defineContext("house", ["project:house"])
        #expect(try await titles() == ["Paint", "Mow", "Buy milk"])
        try await notebook.useContext("HOUSE")
        #expect(try await titles() == ["Paint", "Mow"])
        #expect(try await titles("+out", "or", "milk") == ["Mow"])
        #expect(try await notebook.count().count == 2)
        #expect(try await notebook.list().context == FilterContext(name: "house", words: ["project:house"]))
        #expect(try await notebook.complete(.words(["+out"])).changed.map(\.titleOrID) == ["Mow"])
        #expect(try await notebook.search(["milk"]).rows.count == 1)
        try await notebook.useContext(nil)
        #expect(try await titles() == ["Paint", "Buy milk"])
    }

    @Test("An order and alternatives of a context are its own; a typed order replaces its order")
    func parts() async throws {
        _ = try await add("B", "+a")
        _ = try await add("A", "+b")
        _ = try await add("C")
        try await notebook.defineContext("both", ["+a", "or", "+b", "sort:title"])
        try await notebook.useContext("both")
        #expect(try await titles() == ["A", "B"])
        #expect(try await titles("sort:-title") == ["B", "A"])
        #expect(try await titles("title:a") == ["A"])
    }

    @Test("A new record gets the plain values of the context unless others are typed")
    func defaults() async throws {
        try await notebook.defineContext("house", ["project:house", "+garden", "priority:H", "due<eow"])
        try await notebook.useContext("house")
        let plain = try await add("Mow")
        #expect(plain["project"] == "house")
        #expect(plain["tags"] == ["garden"])
        #expect(plain["priority"] == "H")
        #expect(plain["due"] == nil)
        let typed = try await add("Paint", "project:attic", "-garden", "priority:")
        #expect(typed["project"] == "attic")
        #expect(typed["tags"]?.array?.isEmpty ?? true)
        #expect(typed["priority"] == nil)
        #expect(try await add("Dig", "tags:soil")["tags"] == ["soil"])
        let note = try await notebook.add(["Plan"], to: NoteRecord.type).fields
        #expect(note["priority"] == nil)
        #expect(note["tags"] == ["garden"])
        await #expect(throws: NotebookError.tagOfNewRecord("shop")) { try await add("X", "-shop") }
    }

    @Test("Contexts are replaced and deleted; `undo` doesn't change them, and unknown names are refused")
    func life() async throws {
        try await notebook.defineContext("b", ["+b"])
        try await notebook.defineContext("a", ["+a"])
        let before = try await notebook.defineContext("B", ["+c"])
        #expect(before?.words == ["+b"])
        #expect(try await notebook.contexts().defined.map(\.name) == ["a", "B"])
        try await notebook.useContext("b")
        #expect(try await notebook.undo() == nil)
        #expect(try await notebook.contexts().current?.words == ["+c"])
        await #expect(throws: NotebookError.unknownContext("x", nearest: nil)) {
            try await notebook.deleteContexts(["a", "x"])
        }
        try await notebook.deleteContexts(["b"])
        #expect(try await notebook.contexts().current == nil)
        #expect(try await notebook.contexts().defined.map(\.name) == ["a"])
        await #expect(throws: NotebookError.invalidContextName("1")) { try await notebook.defineContext("1", ["+a"]) }
        await #expect(throws: InputError.self) { try await notebook.defineContext("c", ["nope:x"]) }
    }
}
