import Foundation
import LocalStore
import Notebook
import Records
import Testing

@Suite("Notes: texts, links, pins, templates and the daily note", .timeLimit(.minutes(5)))
struct NotesTests {
    private let notebook: Notebook

    init() throws {
        let store = try LocalStore(inMemoryWithWall: { 1_795_000_000_000 }, types: .standard)
        notebook = Notebook(
            store: store, now: { Date(timeIntervalSince1970: 1_795_000_000) },
            calendar: Calendar(identifier: .gregorian), makeID: Counter().next, terminal: "test")
    }

    private func note(_ title: String, _ body: String? = nil) async throws -> String {
        try await notebook.addNote([], title: title, body: body).key.id
    }

    private func fields(_ id: String) async throws -> JSONObject {
        try await notebook.read { try $0.record(RecordKey(collection: "notes", id: id))?.fields } ?? [:]
    }

    private func relations(of id: String) async throws -> RecordRelations {
        let record = Record(key: RecordKey(collection: "notes", id: id), fields: try await fields(id))
        let found = try await notebook.relations(of: record)
        // A list makes the index valid by which records with links are found.
        _ = try await notebook.list()
        #expect(try await notebook.relations(of: record) == found)
        return found
    }

    private func linked(from id: String) async throws -> [String?] {
        try await relations(of: id).textLinks.map(\.record.title)
    }

    private func linking(to id: String) async throws -> [String?] { try await relations(of: id).backlinks.map(\.title) }

    // MARK: Texts

    @Test("Text is added in lines of its own at either end; an empty one is refused")
    func adding() async throws {
        let id = try await note("Plan")
        _ = try await notebook.add(text: "b", to: .references([id]), at: .end, command: "append")
        _ = try await notebook.add(text: "c", to: .references([id]), at: .end, command: "append")
        _ = try await notebook.add(text: "a\n", to: .references([id]), at: .start, command: "prepend")
        #expect(try await fields(id)["body"] == "a\nb\nc")
        await #expect(throws: NotebookError.emptyText) {
            try await notebook.add(text: " \n", to: .references([id]), at: .end, command: "append")
        }
        _ = try await notebook.undo()
        #expect(try await fields(id)["body"] == "b\nc")
    }

    @Test("Check boxes are toggled in one command; an unknown number is refused")
    func checking() async throws {
        let id = try await note("Plan", "- [ ] a\n- [x] b\n- [ ] c")
        let toggled = try await notebook.toggleCheckBoxes([1, 2], in: .references([id]))
        #expect(toggled.first?.boxes.map(\.isChecked) == [true, false, false])
        await #expect(throws: NotebookError.unknownCheckBox(4, title: "Plan", count: 3)) {
            try await notebook.toggleCheckBoxes([1, 4], in: .references([id]))
        }
        _ = try await notebook.undo()
        #expect(try await fields(id)["body"] == "- [ ] a\n- [x] b\n- [ ] c")
    }

    @Test(
        "The first line of a text is the title, the text below it the body",
        arguments: [
            ("# Plan\n\nbeans\npeas\n", "Plan", "beans\npeas"), ("\nPlan \n", "Plan", nil),
            ("## A # b\nc", "A # b", "c"),
            ("# \n\n", nil, nil), ("", nil, nil), ("# \n\ntext", nil, "text"), ("a\r\n\r\n  b", "a", "  b"),
        ] as [(String, String?, String?)])
    func parsing(text: String, title: String?, body: String?) {
        #expect(NoteText(text) == NoteText(title: title, body: body))
    }

    // MARK: Links

    @Test("A link finds a record by title or id, and the record names its backlinks")
    func links() async throws {
        let garden = try await note("Garden plan")
        _ = try await notebook.add(["Buy seeds"], to: TaskRecord.type)
        let body = "[[garden PLAN]], [[Garden plan]], [[Buy seeds]], [[Nothing]] and [[\(garden)]]"
        let diary = try await note("Diary", body)
        #expect(try await linked(from: diary) == ["Garden plan", "Buy seeds", "Garden plan"])
        #expect(try await linking(to: garden) == ["Diary"])
        #expect(try await linked(from: garden).isEmpty)
        #expect(try await notebook.titles(beginning: "ga", limit: 10) == ["Garden plan"])
    }

    @Test("A link survives renames, and an undo restores them; a current title precedes a former one")
    func renaming() async throws {
        let garden = try await note("Garden plan")
        let diary = try await note("Diary", "[[Garden plan]]")
        for title in ["Beds", "Borders"] { _ = try await notebook.edit(garden, [], title: title) }
        #expect(try await linked(from: diary) == ["Borders"])
        #expect(try await linking(to: garden) == ["Diary"])
        #expect(try await fields(diary)["body"] == "[[Garden plan]]")
        let other = try await note("Garden plan")
        #expect(try await linking(to: garden).isEmpty)
        #expect(try await linking(to: other) == ["Diary"])
        for _ in 0..<3 { _ = try await notebook.undo() }
        #expect(try await fields(garden)["title"] == "Garden plan")
        #expect(try await fields(garden)["formerTitles"] == nil)
    }

    @Test("Of a note, a limited number of former titles is kept")
    func manyRenames() async throws {
        let id = try await note("0")
        for number in 1...102 { _ = try await notebook.edit(id, [], title: String(number)) }
        #expect(try await fields(id)["formerTitles"]?.array?.count == 100)
        let long = String(repeating: "x", count: FieldLimits.wordBytes + 1)
        let other = try await note(long)
        _ = try await notebook.edit(other, [], title: "short")
        #expect(try await fields(other)["formerTitles"] == nil)
    }

    // MARK: Lists

    @Test("A list without a condition has no notes; a condition finds them, and pinned ones are first")
    func lists() async throws {
        _ = try await notebook.add(["Task", "+x"], to: TaskRecord.type)
        for title in ["A", "B", "C"] { _ = try await notebook.addNote(["+x"], title: title, body: nil) }
        _ = try await notebook.setPinned(true, .references(["4abc"]), command: "pin")
        let titles = { (filter: [String]) in
            try await notebook.list(filter).rows.map(\.record.titleOrID)
        }
        #expect(try await titles([]) == ["Task"])
        #expect(try await titles(["sort:title"]) == ["Task"])
        #expect(try await titles(["note"]) == ["C", "A", "B"])
        #expect(try await titles(["+x"]) == ["Task", "C", "A", "B"])
        #expect(try await titles(["all"]).count == 4)
        #expect(try await notebook.setPinned(false, .references(["4abc"]), command: "unpin").changed.count == 1)
        #expect(try await titles(["note"]) == ["A", "B", "C"])
        await #expect(throws: NotebookError.notPinnable(title: "Task", noun: "task")) {
            try await notebook.setPinned(true, .references(["1abc"]), command: "pin")
        }
    }

    // MARK: Templates and days

    @Test("A template is a note with this title, of several the one with the tag")
    func templates() async throws {
        _ = try await note("Meeting", "plain")
        _ = try await notebook.addNote(["+template"], title: "Meeting", body: "{{title}} on {{date}}")
        let body = try await notebook.template("meeting")
        #expect(NoteText.filled(body, title: "Review", day: "2026-11-23") == "Review on 2026-11-23")
        await #expect(throws: NotebookError.unknownTemplate("Trip")) { try await notebook.template("Trip") }
    }

    @Test("The daily note of a day is made once, also by two devices; text is added to it")
    func daily() async throws {
        let day = try #require(CalendarDay("2026-11-23"))
        let made = try await notebook.addDaily(day, text: "one")
        #expect(made.key == NoteRecord.dailyKey(day) && made.title == "2026-11-23")
        _ = try await notebook.addDaily(day, text: "two")
        #expect(try await fields(made.key.id)["body"] == "one\ntwo")
        #expect(try await notebook.addDaily(day, text: nil).hasChanged == false)
        #expect(try await notebook.dailyNote(day)?.key == made.key)
    }

    @Test("A note that has the day as its title is the note of the day")
    func ownDaily() async throws {
        let day = try #require(CalendarDay("2026-11-24"))
        let own = try await note("2026-11-24", "mine")
        _ = try await notebook.addDaily(day, text: "more")
        #expect(try await fields(own)["body"] == "mine\nmore")
    }
}
