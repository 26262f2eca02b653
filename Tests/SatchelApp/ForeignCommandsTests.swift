import ControllerKit
import Foundation
import Testing

/// A line as it is typed in another program, with its answer. The page “Coming from Taskwarrior, nb and todo.txt” has
/// the same rows.
struct ForeignCommand: Sendable, CustomTestStringConvertible {
    /// The line, with the other program's name.
    let line: String
    /// The line to type in Satchel; nil: the same.
    let instead: String?
    /// A part of the answer that names the command; nil: `instead`.
    let hint: String?
    /// The line that works, too, with the command's own name.
    let main: String?
    /// Whether the test performs `instead`: it needs no editor, and serves no page.
    let isPerformed: Bool

    init(
        _ line: String, _ instead: String? = nil, hint: String? = nil, main: String? = nil, isPerformed: Bool = true
    ) {
        (self.line, self.instead, self.hint, self.main) = (line, instead, hint, main)
        self.isPerformed = isPerformed
    }

    /// Creates a line that is answered with the name of a command.
    static func suggested(_ line: String, _ instead: String, isPerformed: Bool = true) -> ForeignCommand {
        let command = instead.prefix { $0 != " " }
        return ForeignCommand(line, instead, hint: "Did you mean “\(command)”?", isPerformed: isPerformed)
    }

    var testDescription: String { line }
    /// The words after the program's name.
    var words: [String] { line.split(separator: " ").dropFirst().map(String.init) }
    /// The row of the page.
    var row: String { "| `\(line)` | `satchel \(instead ?? main ?? words.joined(separator: " "))` |" }

    static let taskwarrior: [ForeignCommand] = [
        ForeignCommand("task add Buy bread +shop due:tomorrow pri:H"), ForeignCommand("task list"),
        ForeignCommand("task ls", main: "list"),
        ForeignCommand("task next"), ForeignCommand("task list +shop"), ForeignCommand("task list proj:home or +shop"),
        ForeignCommand("task list +home xor +shop"), ForeignCommand("task list due.before:eow"),
        ForeignCommand("task list +OVERDUE"),
        ForeignCommand("task list -BLOCKED limit:5"), ForeignCommand("task list status:completed"),
        ForeignCommand("task list /milk/"),
        ForeignCommand("task modify 1 due:friday", main: "edit 1 due:friday"),
        ForeignCommand("task delete 1", main: "rm 1"),
        ForeignCommand("task done 1"), ForeignCommand("task start 1"),
        ForeignCommand("task export"), ForeignCommand("task undo"), ForeignCommand("task 1 done", "done 1"),
        ForeignCommand("task 1-2 done", "done 1-2"), ForeignCommand("task +shop done", "done +shop"),
        ForeignCommand("task 1 modify due:friday", "edit 1 due:friday"),
        ForeignCommand("task 1-2 modify pri:H", "edit 1-2 pri:H"),
        ForeignCommand("task +shop modify pri:H", "edit +shop pri:H"),
        ForeignCommand("task 1 annotate Asked", "annotate 1 Asked"),
        ForeignCommand("task 1 edit", "edit 1", isPerformed: false), ForeignCommand("task 1 start", "start 1"),
        ForeignCommand("task 1 stop", "stop 1"),
        ForeignCommand("task 1 delete", "rm 1"), ForeignCommand("task 1 info", "show 1"),
        ForeignCommand("task +shop list", "list +shop"),
        ForeignCommand("task project:home list", "list project:home"),
        ForeignCommand("task +OVERDUE list", "list +OVERDUE"),
        ForeignCommand("task overdue", "list overdue"), ForeignCommand("task waiting", "list waiting"),
        ForeignCommand("task blocked", "list blocked"), ForeignCommand("task active", "list active"),
        ForeignCommand("task all", "list all"),
        ForeignCommand("task ready", "list ready"), ForeignCommand("task blocking", "list blocking"),
        .suggested("task completed", "list done"), ForeignCommand("task 1", "show 1"),
        ForeignCommand("task 1 information", "show 1"), ForeignCommand("task 1 append Skimmed", "append 1 Skimmed"),
        ForeignCommand("task 1 prepend Skimmed", "prepend 1 Skimmed"), ForeignCommand("task projects"),
        ForeignCommand("task tags"),
        ForeignCommand("task summary"), ForeignCommand("task count"), ForeignCommand("task +shop count", "count +shop"),
        ForeignCommand("task stats"),
        .suggested("task burndown.daily", "stats"), .suggested("task ghistory.weekly", "stats"),
        .suggested("task calendar", "agenda"), ForeignCommand("task context define work project:work"),
        ForeignCommand("task context list"), ForeignCommand("task context none"), ForeignCommand("task config"),
        .suggested("task diagnostics", "doctor", isPerformed: false), .suggested("task commands", "help"),
        ForeignCommand(
            "task add Water the plants due:friday recur:weekly", "add Water the plants due:friday repeat:weekly",
            hint: "Did you mean “repeat:”?"),
        ForeignCommand("task log Bought bread", "add Bought bread", hint: "“add”"),
        ForeignCommand("task list status:waiting"), ForeignCommand("task list depends:1"),
        ForeignCommand("task modify 1 /Buy/Bought/", "edit 1 --title \"Bought milk\"", isPerformed: false),
        ForeignCommand("task newest", "list sort:-created"), ForeignCommand("task oldest", "list sort:created"),
        ForeignCommand("task recurring", "list has:repeat"), ForeignCommand("task unblocked", "list not blocked"),
        ForeignCommand("task minimal", "list --plain --columns id,title"),
        ForeignCommand("task long", "list --plain --columns id,due,tags,title"),
        ForeignCommand("task ids", "list --plain --columns id"),
        ForeignCommand("task uuids", "list --plain --columns id"),
        ForeignCommand("task denotate 1 Asked", "undo", hint: "type: undo"),
        ForeignCommand("task duplicate 1", "show 1"),
        ForeignCommand("task purge 1", "rm 1"), ForeignCommand("task timesheet", "stats"),
        ForeignCommand("task colors", "config theme"),
        ForeignCommand("task columns", "config columns"),
        ForeignCommand("task rc.verbose=nothing list", "config", hint: "`config`"),
        ForeignCommand("task version", "--version", isPerformed: false),
    ]
    static let nb: [ForeignCommand] = [
        ForeignCommand("nb ls", main: "list"), ForeignCommand("nb list"), ForeignCommand("nb show 1"),
        ForeignCommand("nb search milk"),
        ForeignCommand("nb delete 1", main: "rm 1"),
        ForeignCommand("nb export"), ForeignCommand("nb import todo.txt"), ForeignCommand("nb edit 1 --title Plan"),
        ForeignCommand("nb tasks", "list", hint: "“list”"), ForeignCommand("nb do 1", "done 1", hint: "done"),
        ForeignCommand("nb note Garden plan"), ForeignCommand("nb todos", "list", hint: "“list”"),
        .suggested("nb open 1", "show 1"),
        .suggested("nb notebooks", "projects"), .suggested("nb daily Planted beans", "today Planted beans"),
        .suggested("nb settings", "config"), .suggested("nb browse", "web", isPerformed: false),
        ForeignCommand("nb move 1 garden:", "edit 1 project:garden"), ForeignCommand("nb copy 1", "show 1"),
        ForeignCommand("nb folders", "projects"), ForeignCommand("nb sort", "list sort:due"),
        ForeignCommand("nb bookmark https://example.org", "note TITLE", isPerformed: false),
        ForeignCommand("nb todo do 1", "done 1", hint: "`done`"),
        ForeignCommand("nb undo 1", "undo", hint: "takes no arguments."),
    ]
    static let todoTxt: [ForeignCommand] = [
        ForeignCommand("todo.sh add Buy bread +shop"), ForeignCommand("todo.sh ls", main: "list"),
        ForeignCommand("todo.sh ls milk", main: "list milk"), ForeignCommand("todo.sh rm 1"),
        ForeignCommand("todo.sh del 1", "rm 1", hint: "“rm”"), ForeignCommand("todo.sh do 1", "done 1", hint: "done"),
        ForeignCommand("todo.sh pri 1 A", "edit 1 priority:H", hint: "“edit”"),
        ForeignCommand("todo.sh depri 1", "edit 1 priority:", hint: "“edit”"),
        ForeignCommand("todo.sh replace 1 Buy oats", "edit 1 Buy oats", hint: "“edit”"),
        ForeignCommand("todo.sh listall", "list all", hint: "“list”"),
        .suggested("todo.sh lsp", "list has:priority"), ForeignCommand("todo.sh append 1 Skimmed"),
        ForeignCommand("todo.sh prepend 1 Skimmed"), .suggested("todo.sh lsprj", "projects"),
        .suggested("todo.sh lsc", "tags"), .suggested("todo.sh report", "stats"),
        ForeignCommand("todo.sh archive", "list done"),
    ]
    static let all = taskwarrior + nb + todoTxt
}

@MainActor
@Suite("Lines of other programs", .timeLimit(.minutes(5)))
struct ForeignCommandsTests {
    /// A device on which the list shows two tasks with the numbers 1 and 2.
    private func filled() async throws -> CommandDevice {
        let device = try CommandDevice.alone()
        device.files = ["todo.txt": "Buy oats\n"]
        try await device.run("add", "Buy milk", "+shop", "project:home")
        try await device.run("add", "Paint", "+home")
        try await device.run("list")
        return device
    }

    @Test("A line works as it is typed, or the answer names the command", arguments: ForeignCommand.all)
    func answers(command: ForeignCommand) async throws {
        let device = try await filled()
        let answer = try await device.attempt(command.words)
        if let instead = command.instead {
            #expect(answer.status == .usage)
            #expect(answer.err.contains(command.hint ?? instead), "\(answer.err)")
            // One line, and the usage of the command if there is one.
            let lines = answer.err.split(separator: "\n").filter { !$0.hasPrefix("Usage: ") }
            #expect(lines.count == 1, "\(answer.err)")
        } else {
            #expect(answer.status == .ok, "\(answer.err)")
        }
    }

    @Test(
        "The line that the page names works",
        arguments: ForeignCommand.all.filter { $0.instead != nil && $0.isPerformed })
    func works(command: ForeignCommand) async throws {
        let device = try await filled()
        let line = try #require(command.instead)
        let answer = try await device.attempt(line.split(separator: " ").map(String.init))
        #expect(answer.status == .ok, "\(line): \(answer.err)")
    }

    @Test("The page has a row for each line", arguments: ForeignCommand.all)
    func page(command: ForeignCommand) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appending(path: "Sources/SatchelScreens/SatchelScreens.docc/ComingFromTaskwarrior.md")
        #expect(try String(contentsOf: file, encoding: .utf8).contains(command.row + "\n"), "\(command.row)")
    }

    @Test("A filter of several words before a command with further words is one word in quotes")
    func severalWords() async throws {
        let answer = try await filled().attempt("+shop", "-home", "modify", "pri:H")
        #expect(answer.status == .usage)
        #expect(answer.err.contains("The command comes first: edit \"+shop -home\" pri:H"), "\(answer.err)")
        #expect(try await filled().attempt("-home", "list").err.contains("The command comes first: list -home"))
    }
}
