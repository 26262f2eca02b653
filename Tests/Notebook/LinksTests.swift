import Foundation
import LocalStore
import Notebook
import Records
import Testing

@Suite("References between records", .timeLimit(.minutes(5)))
struct LinksTests {
    private let notebook: Notebook

    init() throws {
        let store = try LocalStore(inMemoryWithWall: { 1_795_000_000_000 }, types: .standard)
        notebook = Notebook(
            store: store, now: { Date(timeIntervalSince1970: 1_795_000_000) },
            calendar: Calendar(identifier: .gregorian),
            makeID: Counter().next, terminal: "test")
    }

    /// Adds the tasks A, B and C with the ids 1abc, 2abc and 3abc, and numbers them.
    private func filled() async throws {
        for title in ["A", "B", "C"] { _ = try await notebook.add([title], to: TaskRecord.type) }
        _ = try await notebook.list()
    }

    private func dependencies(of id: String) async throws -> JSONValue? {
        try await notebook.read { try $0.record(try $0.key(of: id))?.fields["depends"] }
    }

    @Test("Numbers and ids become full ids; a minus removes one, and an empty value all")
    func typed() async throws {
        try await filled()
        let steps: [([String], JSONValue?)] = [
            (["depends:2,3abc"], ["2abc", "3abc"]), (["depends:2"], ["2abc", "3abc"]), (["depends:-2"], ["3abc"]),
            (["depends:-3", "depends:2"], ["2abc"]), (["depends:"], nil),
        ]
        for (words, expected) in steps {
            _ = try await notebook.edit("1", words)
            #expect(try await dependencies(of: "1abc") == expected, "\(words)")
        }
        let added = try await notebook.add(["D", "depends:1", "partof:2"], to: TaskRecord.type)
        #expect(added.fields["depends"] == ["1abc"])
        #expect(added.fields["partof"] == "2abc")
        await #expect(throws: NotebookError.unknownNumber("9")) { try await notebook.edit("1", ["depends:9"]) }
        await #expect(throws: InputError.severalReferences(field: "partof")) {
            try await notebook.edit("1", ["partof:2,3"])
        }
    }

    @Test("An edit of several records adds the reference to each; a note can't have one")
    func several() async throws {
        try await filled()
        _ = try await notebook.edit(.words(["2-3"]), ["depends:1"])
        #expect(try await dependencies(of: "2abc") == ["1abc"])
        #expect(try await dependencies(of: "3abc") == ["1abc"])
        await #expect(throws: NotebookError.self) { try await notebook.add(["N", "depends:1"], to: NoteRecord.type) }
    }

    @Test("A cycle is refused, and the message names its records", arguments: ["depends", "partof"])
    func cycles(field: String) async throws {
        try await filled()
        _ = try await notebook.edit("1", ["\(field):2"])
        _ = try await notebook.edit("2", ["\(field):3"])
        await #expect(throws: NotebookError.cycle(path: ["C", "A", "B", "C"], field: field)) {
            try await notebook.edit("3", ["\(field):1"])
        }
        await #expect(throws: NotebookError.cycle(path: ["A", "A"], field: field)) {
            try await notebook.edit("1", ["\(field):1"])
        }
        #expect(try await notebook.read { try $0.record(try $0.key(of: "3abc"))?.fields[field] } == nil)
    }

    @Test("A deleted record counts as done, and the reference to it is kept")
    func deleted() async throws {
        try await filled()
        _ = try await notebook.edit("1", ["depends:2"])
        #expect(try await notebook.list(["blocked"]).rows.map(\.record.titleOrID) == ["A"])
        _ = try await notebook.delete(["2abc"])
        #expect(try await notebook.list(["blocked"]).rows.isEmpty)
        #expect(try await dependencies(of: "1abc") == ["2abc"])
    }

    @Test("A list has the urgency of its records, and relations name what a record refers to")
    func relations() async throws {
        try await filled()
        _ = try await notebook.edit("1", ["depends:2"])
        _ = try await notebook.edit("3", ["partof:1"])
        let listed = try await notebook.list(["sort:urgency"])
        #expect(listed.rows.map(\.record.titleOrID) == ["B", "C", "A"])
        #expect(listed.rows.map(\.urgency) == [8, 0, -5])
        #expect(listed.rows.map { $0.progress?.total } == [nil, nil, 1])
        let record = try #require(try await notebook.read { try $0.record(try $0.key(of: "1abc")) })
        let relations = try await notebook.relations(of: record)
        #expect(relations.urgency == -5)
        #expect(relations.linked["depends"]?.map(\.title) == ["B"])
        #expect(relations.linked["depends"]?.map(\.isOpen) == [true])
        #expect(relations.progress?.total == 1)
    }

    @Test("Completing a record reports its open parts")
    func openParts() async throws {
        try await filled()
        _ = try await notebook.edit("2", ["partof:1"])
        #expect(try await notebook.complete(["1", "3"]).openParts.map(\.titleOrID) == ["B"])
    }

    @Test("Work begins and ends once; a closed record and a note can't be started")
    func work() async throws {
        try await filled()
        #expect(try await notebook.start(.references(["1", "2"])).changed.count == 2)
        #expect(try await notebook.start(.references(["1"])).unchanged.count == 1)
        #expect(try await notebook.list(["active"]).rows.count == 2)
        #expect(try await notebook.stop(.references(["1"])).changed.count == 1)
        #expect(try await notebook.stop(.references(["1abc"])).unchanged.count == 1)
        _ = try await notebook.complete(["3abc"])
        await #expect(throws: NotebookError.startsClosed(title: "C")) {
            try await notebook.start(.references(["3abc"]))
        }
        let note = try await notebook.add(["N"], to: NoteRecord.type)
        await #expect(throws: NotebookError.notStartable(title: "N", noun: "note")) {
            try await notebook.start(.references([note.key.id]))
        }
    }
}
