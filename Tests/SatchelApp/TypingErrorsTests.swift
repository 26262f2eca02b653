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
