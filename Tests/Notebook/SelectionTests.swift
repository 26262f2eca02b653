import Foundation
import LocalStore
import Notebook
import Records
import Testing

@Suite("The records that a command selects", .timeLimit(.minutes(5)))
struct SelectionTests {
    private let notebook: Notebook

    /// Tasks and notes with ids that begin with `aaaa` to `ffff`; the numbers of the list `sort:entry` are theirs.
    init() async throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard)
        notebook = Notebook(
            store: store, now: { Date(timeIntervalSince1970: 1_000_000_000) },
            calendar: Calendar(identifier: .gregorian), terminal: "test")
        let rows: [(collection: String, id: String, fields: JSONObject)] = [
            ("tasks", "aaaa-1", ["title": "Buy milk", "tags": ["shop"]]),
            ("tasks", "bbbb-2", ["title": "Buy bread", "tags": ["shop", "soon"], "status": "completed"]),
            ("tasks", "cccc-3", ["title": "Paint", "project": "house"]),
            ("notes", "dddd-4", ["title": "Shops, and more", "tags": ["shop"]]),
            ("tasks", "eeee-5", ["title": "paint", "status": "completed"]),
            ("tasks", "ffff-6", ["title": "overdue"]),
        ]
        try store.writeNow { cache in
            for (index, row) in rows.enumerated() {
                let entry: JSONObject = ["entry": .string("2001-09-0\(index + 1)T00:00:00Z")]
                let key = RecordKey(collection: row.collection, id: row.id)
                _ = try cache.edit(key, row.fields.applying(entry))
            }
        }
        _ = try await notebook.list(["all", "sort:entry"])
    }

    private func ids(_ selection: Selection, among scope: SelectedRecords.Scope = .listed) async throws -> [String] {
        try await notebook.read { try $0.select(selection, among: scope).records.map(\.key.id) }
    }

    @Test(
        "All words are references, or else one filter",
        arguments: [
            (["3", "1"], ["cccc-3", "aaaa-1"]), (["1-2,aaaa"], ["aaaa-1", "bbbb-2"]), (["BBBB"], ["bbbb-2"]),
            (["buy milk"], ["aaaa-1"]), (["Shops, and more", "3"], ["dddd-4", "cccc-3"]),
            (["paint"], ["cccc-3"]), (["+shop"], ["aaaa-1", "dddd-4"]), (["+shop", "done"], ["bbbb-2"]),
            (["buy"], ["aaaa-1"]), (["project:house", "paint"], ["cccc-3"]), (["--", "paint"], ["cccc-3"]),
        ])
    func words(typed: [String], expected: [String]) async throws {
        #expect(try await ids(.words(typed)) == expected)
        let isByFilter = try await notebook.read { try $0.select(.words(typed)).isByFilter }
        let filters = [["+shop"], ["+shop", "done"], ["buy"], ["project:house", "paint"], ["--", "paint"]]
        #expect(isByFilter == filters.contains(typed))
    }

    @Test("A filter selects open records to be completed, and completed ones to be reopened; never a note")
    func scopes() async throws {
        #expect(try await ids(.words(["+shop"]), among: .open) == ["aaaa-1"])
        #expect(try await ids(.words(["+shop"]), among: .closed) == ["bbbb-2"])
        #expect(try await ids(.words(["Paint"]), among: .closed) == ["eeee-5"], "The title of a completed one.")
        await #expect(throws: NotebookError.noMatches("note")) { try await ids(.words(["note"]), among: .open) }
    }

    @Test(
        "One word is a number or an id, else a word of a filter, else a title",
        arguments: [
            ("2", ["bbbb-2"]), ("1-2", ["aaaa-1", "bbbb-2"]), ("+shop", ["aaaa-1", "dddd-4"]),
            ("-shop", ["cccc-3", "ffff-6"]), ("project:house", ["cccc-3"]), ("Buy bread", ["bbbb-2"]),
        ])
    func first(typed: String, expected: [String]) async throws {
        #expect(try await Set(ids(.first(typed))) == Set(expected))
    }

    @Test("A filter of several words may be given in one")
    func quotedFilter() async throws {
        #expect(try await ids(.first("+shop note", filter: ["+shop", "note"])) == ["dddd-4"])
    }

    @Test(
        "What selects nothing is not found, and a mixture of both is refused",
        arguments: [
            (["+nothing"], .noMatches("+nothing")), (["nothing", "here"], .noMatches("nothing here")),
            (["2", "nothing"], .unknownID("nothing")), ([""], .unknownID("")), (["99"], .unknownNumber("99")),
            (["2", "+shop"], .referenceInFilter("2", filter: "+shop")),
            (["aaaa", "Bread", "milk"], .unknownID("Bread")),
        ] as [([String], NotebookError)])
    func wrong(typed: [String], error: NotebookError) async throws {
        await #expect(throws: error) { try await ids(.words(typed)) }
    }

    @Test("A word that is shorter than the ids in lists is the beginning of none")
    func shortWord() async throws {
        for word in ["c", "ccc"] {
            await #expect(throws: NotebookError.unknownID(word)) { try await notebook.key(of: word) }
        }
        #expect(try await notebook.key(of: "cccc").id == "cccc-3")
    }

    @Test(
        "A title that several open records have is refused with their ids; an open record comes before completed ones")
    func ambiguousTitle() async throws {
        #expect(try await notebook.key(of: "Paint").id == "cccc-3")
        try await notebook.store.write {
            _ = try $0.edit(RecordKey(collection: "notes", id: "abcd-7"), ["title": "PAINT"])
        }
        await #expect(throws: NotebookError.ambiguousTitle("Paint", ids: ["abcd", "cccc"])) {
            try await notebook.key(of: "Paint")
        }
    }

    @Test("An error of the approval rolls the command back; one command is one entry of the journal")
    func approval() async throws {
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            _ = try await notebook.delete(.words(["+shop"]), approving: { _ in throw Refused() })
        }
        #expect(try await ids(.words(["+shop"])).count == 2)
        let edited = try await notebook.edit(.first("+shop"), ["project:home"])
        #expect(edited.changed.count == 2)
        _ = try await notebook.annotate(.references(["1-3"]), "seen")
        #expect(try await notebook.journal().prefix(2).map(\.name) == ["annotate", "edit"])
    }

    @Test("An edit with a title is refused for several records; a word that is no tag, for any number")
    func titles() async throws {
        await #expect(throws: NotebookError.titleForSeveral("New", count: 2)) {
            try await notebook.edit(.first("+shop"), ["New"])
        }
        for word in ["+!urgent", "-", "+", "-5", "+a,!b"] {
            await #expect(throws: InputError.notATag(word)) { try await notebook.edit(.first("1"), [word]) }
        }
        let edited = try await notebook.edit(.first("1"), ["+🎉", "+a,b", "-shop"])
        #expect(edited.changed.first?[.tags] == ["🎉", "a", "b"])
        #expect(try await notebook.edit(.first("1"), ["--", "- 5"]).changed.first?[.title] == "- 5")
    }

    @Test("A new record has no tags to remove")
    func newRecord() async throws {
        await #expect(throws: NotebookError.tagOfNewRecord("foo")) {
            try await notebook.add(["Fix", "bug", "-foo"], to: TaskRecord.type)
        }
        #expect(try await notebook.add(["--", "Fix", "-foo"], to: TaskRecord.type).title == "Fix -foo")
    }
}
