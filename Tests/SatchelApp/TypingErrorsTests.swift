import CanonicalJSON
import ControllerKit
import Testing

@MainActor
@Suite("What a newcomer types", .timeLimit(.minutes(5)))
struct TypingErrorsTests {
    private let device: CommandDevice

    init() throws { device = try CommandDevice.alone() }

    // MARK: Names of commands

    @Test("Other names of commands are accepted, and `help` names them")
    func otherNames() async throws {
        let id = try await device.add("Buy milk")
        #expect(try await device.run("ls").out.contains("Buy milk"))
        try await device.run("modify", id, "+shop")
        #expect(try await device.fields(id)["tags"] == ["shop"])
        try await device.run("delete", id)
        #expect(try await device.titles() == [])
        #expect(try await device.run("?").out == device.run("help").out)
        try await device.run("exit")
        #expect(try await device.run("help", "rm").out.contains("Other name: delete."))
        #expect(try await device.run("help", "modify").out.hasPrefix("edit <record>"))
    }

    @Test(
        "For the name of a command in another program, the command is suggested",
        arguments: [
            ("del", "rm"), ("remove", "rm"), ("finish", "done"), ("complete", "done"), ("tasks", "list"),
            ("new", "add"),
        ])
    func suggestions(typed: String, command: String) async throws {
        let answer = try await device.attempt(typed, "1")
        #expect(answer.status == .usage)
        #expect(answer.err.contains("Unknown command “\(typed)”. Did you mean “\(command)”?"))
    }

    @Test("For an unknown shell, the message lists the shells")
    func shells() async throws {
        let answer = try await device.attempt("completions", "tcsh")
        #expect(answer.status == .usage)
        #expect(answer.err.contains("Unknown shell “tcsh”: use bash, zsh or fish."))
    }

    // MARK: Answers

    /// A line with the answer to it: all that a newcomer sees, up to the usage.
    struct Line: Sendable {
        let words: String
        let answer: String
        let status: CommandStatus

        init(_ words: String, _ answer: String, _ status: CommandStatus = .usage) {
            (self.words, self.answer, self.status) = (words, answer, status)
        }
    }

    @Test(
        "The answer to a mistake says what is wrong and what to type",
        arguments: [
            Line("ex", "“ex” is ambiguous: exit, export."),
            Line("d", "“d” is ambiguous: delete, devices, doctor, done."),
            Line("done", "The argument <records>… of “done” is missing. Example: done 2 3"),
            Line(
                "resolve",
                "The argument <conflict> of “resolve” is missing. Choose one: `conflicts` lists them. Example: resolve 1 "
                    + "mine"),
            Line(
                "add x due:tonigth",
                "Can't read “tonigth” as a date. Did you mean “tonight”? Write one like tomorrow, \"friday 15:00\", +3d, "
                    + "eow or 2026-12-24 (`help dates`)."),
            Line(
                "add x priority:A",
                "Unknown priority “A”. Write priority:H, priority:M, priority:L, or priority: for none."),
            Line(
                "add x prio:H",
                "Unknown field “prio:”. Did you mean “priority:”? For a field of your own, write “field.prio:H”. To have "
                    + "“prio:H” in the title, put it after --: all words after -- are part of the title."),
            Line(
                "add x repeat:weekly",
                "A task that repeats needs a due date. Set one, for example due:friday, or write repeat: alone to remove "
                    + "the interval."),
            Line("list proj:x priorty:H", "Unknown field “priorty:”. Did you mean “priority:”?"),
            Line("done 1", "Nothing to change: “Buy milk” is already done.", .ok),
            Line("undone 2", "Nothing to change: “Pay rent” is already open.", .ok),
            Line(
                "edit 1",
                "No change is given. Example: edit 1 --title \"Buy oat milk\"; at a terminal, `edit 1` alone opens your "
                    + "editor."),
            Line(
                "show 7",
                "No record 7 in the last list on this terminal. Run `list`, or give the beginning of an id.", .notFound),
            Line(
                "show zzzz",
                "No record matches “zzzz”. Give a number of the last list, an id or its beginning, or a whole title in "
                    + "quotes. See `list`.", .notFound),
            Line(
                "done +nosuch",
                "No matches for “+nosuch”. Nothing was changed. `list` with the same words shows what they select.",
                .notFound),
            Line(
                "export x.bin",
                "The extension of “x.bin” doesn't show the format. Name it before the path: satchel, taskwarrior, "
                    + "todotxt, csv, markdown."),
            Line(
                "import x.foo",
                "The content of the file doesn't show the format, nor does its name. Name it before the file: satchel, "
                    + "taskwarrior, todotxt, csv, markdown. For example: import todotxt FILE"),
            Line("login ada", "Which server? Name it with --server https://notes.example.org."),
            Line(
                "save",
                "The argument <name> of “save” is missing. Example: save shopping +shop \"due<=eow\""),
            Line(
                "save 1st +x",
                "Invalid name “1st”: use a letter, then letters, digits, - _ and ., at most 64 characters."),
            Line("list @x", "No saved filter “@x”. `lists` lists all; for the text write title:@x.", .notFound),
            Line(
                "next nosuch", "No matches for “nosuch” among what can be done now. `list all` shows everything.", .ok),
            Line("next +nosuch limit:2", "No matches for “+nosuch limit:2” among what can be done now.", .ok),
            Line("list nosuch", "No matches for “nosuch”. `list all` shows everything.", .ok),
            Line(
                "config week-start monday",
                "`config` only shows settings. To change this one, write the line in the configuration file: week-start "
                    + "= \"monday\""),
            Line(
                "config columns due,title",
                "`config` only shows settings. To change this one, write the line in the configuration file: columns = "
                    + "[\"due\", \"title\"]"),
            Line("config columns due,duee", "Columns contains “duee”, which isn't a column. Did you mean “due”?"),
            Line("config week-start funday", "Week-start must be auto, monday, tuesday, wednesday, "),
            Line("undo", "Undid `done`: “Buy milk”.", .ok),
        ])
    func answers(_ line: Line) async throws {
        device.files = ["x.foo": "hello\n"]
        try await device.run("add", "Buy milk")
        try await device.run("add", "Pay rent")
        try await device.run("list", "sort:title")
        try await device.run("done", "1")
        let answer = try await device.attempt(line.words.split(separator: " ").map(String.init))
        #expect(answer.status == line.status)
        #expect((answer.err + answer.out).hasPrefix(line.answer), "\(answer.err)\(answer.out)")
    }

    // MARK: Files

    @Test("An unknown format is reported as such")
    func unknownFormat() async throws {
        for command in ["import", "export"] {
            let answer = try await device.attempt(command, "cvs", "tasks.csv")
            #expect(answer.status == .usage)
            #expect(answer.err.contains("Unknown format “cvs”: use satchel"), "\(answer.err)")
        }
    }

    @Test("The extension of a file shows the format if the content doesn't")
    func formatOfName() async throws {
        device.files = ["todo.txt": "Buy milk\nBuy bread @shop\n", "notes/Plan.md": "[One](#one)\n"]
        try await device.run("import", "todo.txt")
        #expect(try await device.titles() == ["Buy bread", "Buy milk"])
        try await device.run("import", "notes/Plan.md")
        #expect(try await device.titles("notes") == ["Plan"])
        device.files["-"] = "Buy oats\n"
        try await device.run("import", "-", "--name", "list.txt")
        #expect(try await device.titles() == ["Buy bread", "Buy milk", "Buy oats"])
    }

    @Test("What `export x.txt` would write is imported without naming the format, and what it omits has a reason")
    func ownTodoTxt() async throws {
        _ = try await device.add("Buy milk", "+shop")
        try await device.run("note", "Plan")
        let exported = try await device.run("export", "todotxt", "-")
        #expect(exported.err.contains("1 note can't be stored in todo.txt, which holds tasks"), "\(exported.err)")
        let other = try CommandDevice.alone()
        other.files["x.txt"] = exported.out
        try await other.run("import", "x.txt")
        #expect(try await other.titles() == ["Buy milk"])
    }

    @Test("An export to a folder that doesn't exist names the folder as missing")
    func missingFolder() async throws {
        let answer = try await device.attempt("export", "/no-such-folder/tasks.json")
        #expect(answer.status == .notFound)
        #expect(answer.err.contains("Create the folder"), "\(answer.err)")
    }

    @Test("An import after its undo restores the records; after another command they stay deleted, with a message")
    func importAfterUndo() async throws {
        device.files["todo.txt"] = "Buy milk\n"
        try await device.run("import", "todo.txt")
        try await device.run("undo")
        #expect(try await device.titles() == [])
        #expect(try await device.run("import", "todo.txt").err.contains("1 new"))
        #expect(try await device.titles() == ["Buy milk"])
        try await device.run("undo")
        #expect(try await device.titles() == [])
        _ = try await device.add("Buy bread")
        #expect(try await device.run("import", "todo.txt").err.contains("stays deleted"))
        #expect(try await device.titles() == ["Buy bread"])
    }

    // MARK: Fields

    @Test("A field that only tasks have is refused for a note; fields of one's own are accepted")
    func fieldsOfTasks() async throws {
        for word in ["due:friday", "repeat:daily", "priority:H", "status:done"] {
            let answer = try await device.attempt("note", "Plan", word)
            #expect(answer.status == .usage)
            #expect(answer.err.contains("Notes have no “\(word.prefix { $0 != ":" }):”."), "\(answer.err)")
        }
        #expect(try await device.titles("notes") == [])
        try await device.run("note", "Plan", "+garden", "project:home", "field.estimate:3")
        let plan = try await device.record("Plan")
        #expect(plan.fields["project"] == "home" && plan.fields["estimate"] == "3")
        #expect(try await device.attempt("edit", plan.id, "due:friday").status == .usage)
    }

    @Test("Without a value, the status is the usual one")
    func emptyStatus() async throws {
        let id = try await device.add("Buy milk")
        try await device.run("done", id)
        try await device.run("edit", id, "status:")
        #expect(try await device.fields(id)["status"] == "pending")
    }

    @Test("A last day without an interval is refused")
    func untilAlone() async throws {
        let answer = try await device.attempt("add", "Water plants", "due:2031-01-05", "until:2031-03-01")
        #expect(answer.status == .usage)
        #expect(answer.err.contains("repeat:weekly"), "\(answer.err)")
        try await device.run("add", "Water plants", "due:2031-01-05", "repeat:weekly", "until:2031-03-01")
    }

    // MARK: The editor

    @Test("An empty text in the editor changes nothing")
    func emptyText() async throws {
        let id = try await device.add("Buy milk")
        device.edits = { [device] _ in
            device.edits = nil
            return "\n"
        }
        let answer = try await device.attempt("edit", id)
        device.edits = nil
        #expect(answer.status == .ok)
        #expect(answer.err.contains("The text is empty, so nothing was changed."), "\(answer.err)")
        #expect(try await device.titles() == ["Buy milk"])
    }

    // MARK: Counts

    @Test("Neither `undo` nor `sync` counts the records of conflicts")
    func counts() async throws {
        let account = try SharedServer()
        let (laptop, desktop, id) = try await account.two()
        try await laptop.run("edit", id, "--title", "Buy oats")
        try await laptop.sync()
        try await desktop.run("edit", id, "--title", "Buy bread")
        try await desktop.run("sync")
        try await desktop.run("conflicts")
        try await desktop.run("resolve", "1", "earlier")
        #expect(try await desktop.run("undo").err.contains("Undid `resolve`: “"))
        try await desktop.run("redo")
        let synced = try await desktop.run("sync")
        #expect((synced.out + synced.err).contains("Synced: sent 1."), "\(synced.out)\(synced.err)")
    }
}
