import CanonicalJSON
import ControllerKit
import Records
import TestSupport
import Testing

@MainActor
@Suite("Notes by commands: the editor, the standard input, templates, today", .timeLimit(.minutes(5)))
struct NoteCommandsTests {
    private struct Crash: Error {}

    private let device: CommandDevice

    init() throws { device = try CommandDevice.alone() }

    /// Performs a command at a terminal with an editor.
    private func edit(
        _ words: String..., by edits: @escaping @MainActor (String) async throws -> String
    ) async throws -> CommandDevice.Answer {
        device.edits = edits
        defer { device.edits = nil }
        return try await device.attempt(words)
    }

    @Test("At a terminal, `note` opens the editor: the first line is the title, the text below it the body")
    func editor() async throws {
        let answer = try await edit("note") { text in
            #expect(text == "# \n\n")
            return "# Plan\n\nbeans\n"
        }
        #expect(answer.status == .ok && answer.err.contains("Added note "), "\(answer.err)")
        #expect(try await device.record("Plan").fields["body"] == "beans")
    }

    @Test("The typed title and tags are kept; an unchanged text adds the note, an empty one adds nothing")
    func typedTitle() async throws {
        let answer = try await edit("note", "Garden", "plan", "+garden") { text in
            #expect(text == "# Garden plan\n\n")
            return text
        }
        #expect(answer.status == .ok)
        let plan = try await device.record("Garden plan")
        #expect(plan.fields["tags"] == ["garden"] && plan.fields["body"] == nil)
        let empty = try await edit("note", "Other") { _ in " \n" }
        #expect(empty.status == .ok && empty.err.contains("no note was added"), "\(empty.err)")
        #expect(try await device.records("notes").count == 1)
    }

    @Test("An editor that fails adds nothing, and a refused title keeps the text")
    func failures() async throws {
        #expect(try await edit("note", "Plan") { _ in throw Crash() }.status != .ok)
        let long = String(repeating: "x", count: 20_000)
        #expect(try await edit("note") { _ in "# " + long }.status != .ok)
        #expect(try await device.records("notes").isEmpty)
    }

    @Test("A body is given without the editor; --edit without a terminal is refused")
    func withoutEditor() async throws {
        device.files["plan"] = "beans\n"
        let answer = try await edit("note", "Plan", "--body-file", "plan") { _ in throw Crash() }
        #expect(answer.status == .ok, "\(answer.err)")
        #expect(try await device.record("Plan").fields["body"] == "beans\n")
        #expect(try await device.attempt("note", "Other", "--edit").status == .usage)
    }

    @Test("Without a terminal, `note`, `append` and `prepend` without words read the standard input")
    func standardInput() async throws {
        device.files["-"] = "Plan\nbeans\n"
        try await device.run("note")
        let plan = try await device.record("Plan")
        #expect(plan.fields["body"] == "beans")
        device.files["-"] = "peas\n"
        try await device.run("append", plan.id)
        try await device.run("prepend", plan.id, "See", "[[Garden", "plan]]")
        #expect(try await device.fields(plan.id)["body"] == "See [[Garden plan]]\nbeans\npeas\n")
    }

    @Test("Lists mark the pinned notes, for scripts by the column `pinned`")
    func pinned() async throws {
        device.files["body"] = "beans\n"
        for title in ["Plan", "Ideas"] { try await device.run("note", title, "--body-file", "body") }
        let plan = try await device.record("Plan")
        try await device.run("pin", plan.id)
        let marked = try await device.run("notes").out.split(separator: "\n").filter { $0.contains("pinned") }
        #expect(marked.count == 1 && marked.first?.contains("Plan") == true, "\(marked)")
        let plain = try await device.run("list", "note", "--plain", "--columns", "pinned,title").out
        #expect(plain == "true\tPlan\n\tIdeas\n")
    }

    @Test("A template is copied with the title and the day")
    func template() async throws {
        device.files["body"] = "{{title}}, {{date}}\n"
        try await device.run("note", "Meeting", "+template", "--body-file", "body")
        try await device.run("note", "--template", "meeting", "Review")
        let body = try await device.record("Review").fields["body"]?.string ?? ""
        #expect(body.hasPrefix("Review, 20") && body.utf8.count == "Review, 2026-11-23\n".utf8.count)
        #expect(try await device.attempt("note", "--template", "Trip", "Review").status == .notFound)
    }

    @Test("`today TEXT` adds to today's note, `today` opens it")
    func today() async throws {
        try await device.run("today", "one")
        try await device.run("today", "two")
        let note = try #require(try await device.records("notes").first)
        #expect(note.fields["body"] == "one\ntwo")
        let answer = try await edit("today") { text in
            #expect(text.hasPrefix("---\n") && text.contains("one\ntwo"))
            return text.replacing("one\ntwo", with: "one\nthree")
        }
        #expect(answer.status == .ok, "\(answer.err)")
        #expect(try await device.fields(note.id)["body"]?.string?.hasPrefix("one\nthree") == true)
        try await device.run("undo")
        #expect(try await device.fields(note.id)["body"] == "one\ntwo")
    }

    @Test("A new daily note is opened with its heading, which isn't a part of the text")
    func newToday() async throws {
        let answer = try await edit("today") { $0 + "planted\n" }
        #expect(answer.status == .ok, "\(answer.err)")
        let note = try #require(try await device.records("notes").first)
        #expect(note.fields["body"] == "planted")
    }

    @Test("`notes` shows notes, the pinned ones first; `check` toggles; `show` names links and backlinks")
    func commands() async throws {
        try await device.run("add", "Task")
        try await device.run("note", "A")
        device.files["body"] = "- [ ] x\n\n[[A]]\n"
        try await device.run("note", "B", "--body-file", "body")
        let id = try await device.record("B").id
        try await device.run("pin", id)
        let rows = try await device.state("notes")["rows"]?.array ?? []
        #expect(rows.compactMap { $0.object?["title"]?.string } == ["B", "A"])
        #expect(try await device.run("check", id, "1").err.contains("1 of 1 checked"))
        #expect(try await device.fields(id)["body"] == "- [x] x\n\n[[A]]\n")
        #expect(try await device.run("show", "A").out.contains("backlinks"))
        #expect(try await device.run("show", "B").out.contains("- [x] x\n\n[[A]]\n"))
        #expect(try await device.attempt("check", id, "2").status == .usage)
    }

    @Test("`append`, `prepend`, `check` and `show` work on lists, ranges and filters; one undo takes all back")
    func several() async throws {
        for title in ["A", "B", "C"] { try await device.run("add", title, "+docs") }
        try await device.run("list")
        #expect(try await device.run("append", "1", "2", "- [ ] sent").err.contains("Appended to 2 tasks."))
        #expect(try await device.run("prepend", "+docs", "by", "post").err.contains("Prepended to 3 tasks."))
        #expect(try await device.record("A").fields["body"] == "by post\n- [ ] sent")
        #expect(try await device.record("C").fields["body"] == "by post")
        #expect(try await device.run("check", "1-2", "1").err.contains("2 tasks: 2 of 2 checked."))
        #expect(try await device.record("B").fields["body"] == "by post\n- [x] sent")
        // One of the records has no check box, so none is changed.
        #expect(try await device.attempt("check", "1-3", "1").status == .usage)
        #expect(try await device.record("A").fields["body"] == "by post\n- [x] sent")
        let shown = try await device.run("show", "1", "2-3").out
        #expect(shown.split(separator: "\n").filter { ["A", "B", "C"].contains($0) } == ["A", "B", "C"])
        #expect(try await device.run("show", "+docs").out.contains("\n\nC\n"))
        let state = try await device.state("show", "1,3")
        #expect(state["record"]?.object?["title"] == "A")
        #expect(state["others"]?.array?.compactMap { $0.object?["title"]?.string } == ["C"])
        try await device.run("undo")
        try await device.run("undo")
        #expect(try await device.record("C").fields["body"] == nil)
    }

    @Test("A text whose first word is the id of a record is refused, with a line for each meaning")
    func idInText() async throws {
        try await device.run("add", "A")
        try await device.run("add", "B")
        let ids = try await [device.record("A").id, device.record("B").id].map { ShortID.whole($0).prefix(8) }
        for command in ["append", "prepend", "annotate"] {
            let answer = try await device.attempt(command, String(ids[0]), String(ids[1]), "foo")
            #expect(answer.status == .usage)
            #expect(answer.err.contains("\(command) \(ids[0]),\(ids[1]) foo\n"))
        }
        #expect(try await device.record("A").fields["body"] == nil)
        try await device.run("append", String(ids[0]), "\(ids[1]) foo")
        #expect(try await device.record("A").fields["body"] == .string("\(ids[1]) foo"))
    }

    @Test(
        "A command on one record refuses several and filters, and says so",
        arguments: [
            (["history", "A", "B"], "`history` works on one record."), (["history", "+docs"], "“+docs” is a filter"),
            (["status", "1-2"], "names 2 records"), (["undo", "1"], "`undo` takes no arguments."),
            (["show", "A", "B"], "Separate several records by commas"),
        ])
    func one(line: [String], hint: String) async throws {
        for title in ["A", "B"] { try await device.run("add", title, "+docs") }
        let answer = try await device.attempt(line)
        #expect(answer.status != .ok)
        #expect(answer.err.contains(hint), "\(answer.err)")
    }

    @Test("A link to a task survives a rename of the task; without a link no former title is kept")
    func linkToTask() async throws {
        try await device.run("add", "Buy milk")
        try await device.run("add", "Paint")
        device.files["body"] = "see [[Buy milk]]\n"
        try await device.run("note", "Plan", "--body-file", "body")
        try await device.run("edit", "Buy milk", "--title", "Buy oat milk")
        try await device.run("edit", "Paint", "--title", "Paint the door")
        #expect(try await device.run("show", "Plan").out.contains("Buy oat milk"))
        #expect(try await device.run("show", "Buy oat milk").out.contains("backlinks"))
        #expect(try await device.record("Buy oat milk").fields["formerTitles"] == ["Buy milk"])
        #expect(try await device.record("Paint the door").fields["formerTitles"] == nil)
    }

    @Test(
        "A filter that only excludes lists no notes; one that names what notes have does",
        arguments: [
            ("-shop", ["Task"]), ("due:none", ["Task"]), ("not +shop", ["Task"]), ("priority!=H", ["Task"]),
            ("-shop -home", ["Task"]), ("not task", ["Plan"]), ("-shop note", ["Plan"]), ("+garden", ["Plan"]),
            ("all", ["Plan", "Task"]), ("-shop or note", ["Plan", "Task"]),
        ])
    func exclusions(filter: String, titles: [String]) async throws {
        try await device.run("add", "Task")
        try await device.run("note", "Plan", "+garden")
        let rows = try await device.state(["list"] + filter.split(separator: " ").map(String.init))["rows"]?.array ?? []
        #expect(rows.compactMap { $0.object?["title"]?.string }.sorted() == titles)
    }

    @Test("A filter names a record by its number or title, as `add` does; a number can't be saved")
    func references() async throws {
        for title in ["A", "B"] { try await device.run("add", title) }
        try await device.run("list", "sort:title")
        try await device.run("add", "C", "depends:A")
        for filter in ["depends:A", "depends:1", "depends:2,1", "not:depends:B depends:1"] {
            let words = filter.split(separator: " ").map(String.init)
            let rows = try await device.state(["list"] + words)["rows"]?.array ?? []
            #expect(rows.compactMap { $0.object?["title"]?.string } == ["C"], "\(filter)")
            try await device.run("list", "sort:title")
        }
        #expect(try await device.attempt("list", "depends:9").status == .notFound)
        #expect(try await device.attempt("save", "mine", "depends:1").status == .usage)
    }
}
