import ControllerKit
import Foundation
import Testing

/// A line as it is typed in another program, with its answer. The page “Coming from Taskwarrior, nb and todo.txt” has
/// the same rows.
struct Habit: Sendable, CustomTestStringConvertible {
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
    static func suggested(_ line: String, _ instead: String, isPerformed: Bool = true) -> Habit {
        let command = instead.prefix { $0 != " " }
        return Habit(line, instead, hint: "Did you mean “\(command)”?", isPerformed: isPerformed)
    }

    var testDescription: String { line }
    /// The words after the program's name.
    var words: [String] { line.split(separator: " ").dropFirst().map(String.init) }
    /// The row of the page.
    var row: String { "| `\(line)` | `satchel \(instead ?? main ?? words.joined(separator: " "))` |" }

    static let taskwarrior: [Habit] = [
        Habit("task add Buy bread +shop due:tomorrow pri:H"), Habit("task list"),
        Habit("task ls", main: "list"),
        Habit("task next"), Habit("task list +shop"), Habit("task list proj:home or +shop"),
        Habit("task list +home xor +shop"), Habit("task list due.before:eow"), Habit("task list +OVERDUE"),
        Habit("task list -BLOCKED limit:5"), Habit("task list status:completed"), Habit("task list /milk/"),
        Habit("task modify 1 due:friday", main: "edit 1 due:friday"), Habit("task delete 1", main: "rm 1"),
        Habit("task done 1"), Habit("task start 1"),
        Habit("task export"), Habit("task undo"), Habit("task 1 done", "done 1"),
        Habit("task 1-2 done", "done 1-2"), Habit("task +shop done", "done +shop"),
        Habit("task 1 modify due:friday", "edit 1 due:friday"), Habit("task 1-2 modify pri:H", "edit 1-2 pri:H"),
        Habit("task +shop modify pri:H", "edit +shop pri:H"), Habit("task 1 annotate Asked", "annotate 1 Asked"),
        Habit("task 1 edit", "edit 1", isPerformed: false), Habit("task 1 start", "start 1"),
        Habit("task 1 stop", "stop 1"),
        Habit("task 1 delete", "rm 1"), Habit("task 1 info", "show 1"), Habit("task +shop list", "list +shop"),
        Habit("task project:home list", "list project:home"), Habit("task +OVERDUE list", "list +OVERDUE"),
        Habit("task overdue", "list overdue"), Habit("task waiting", "list waiting"),
        Habit("task blocked", "list blocked"), Habit("task active", "list active"), Habit("task all", "list all"),
        Habit("task ready", "list ready"), Habit("task blocking", "list blocking"),
        .suggested("task completed", "list done"), Habit("task 1", "show 1"),
        Habit("task 1 information", "show 1"), Habit("task 1 append Skimmed", "append 1 Skimmed"),
        Habit("task 1 prepend Skimmed", "prepend 1 Skimmed"), Habit("task projects"), Habit("task tags"),
        Habit("task summary"), Habit("task count"), Habit("task +shop count", "count +shop"), Habit("task stats"),
        .suggested("task burndown.daily", "stats"), .suggested("task ghistory.weekly", "stats"),
        .suggested("task calendar", "agenda"), Habit("task context define work project:work"),
        Habit("task context list"), Habit("task context none"), Habit("task config"),
        .suggested("task diagnostics", "doctor", isPerformed: false), .suggested("task commands", "help"),
        Habit(
            "task add Water the plants due:friday recur:weekly", "add Water the plants due:friday repeat:weekly",
            hint: "Did you mean “repeat:”?"),
        Habit("task log Bought bread", "add Bought bread", hint: "“add”"),
        Habit("task list status:waiting"), Habit("task list depends:1"),
        Habit("task modify 1 /Buy/Bought/", "edit 1 --title \"Bought milk\"", isPerformed: false),
        Habit("task newest", "list sort:-created"), Habit("task oldest", "list sort:created"),
        Habit("task recurring", "list has:repeat"), Habit("task unblocked", "list not blocked"),
        Habit("task minimal", "list --plain --columns id,title"),
        Habit("task long", "list --plain --columns id,due,tags,title"),
        Habit("task ids", "list --plain --columns id"), Habit("task uuids", "list --plain --columns id"),
        Habit("task denotate 1 Asked", "undo", hint: "type: undo"), Habit("task duplicate 1", "show 1"),
        Habit("task purge 1", "rm 1"), Habit("task timesheet", "stats"), Habit("task colors", "config theme"),
        Habit("task columns", "config columns"),
        Habit("task rc.verbose=nothing list", "config", hint: "`config`"),
        Habit("task version", "--version", isPerformed: false),
    ]
    static let nb: [Habit] = [
        Habit("nb ls", main: "list"), Habit("nb list"), Habit("nb show 1"), Habit("nb search milk"),
        Habit("nb delete 1", main: "rm 1"),
        Habit("nb export"), Habit("nb import todo.txt"), Habit("nb edit 1 --title Plan"),
        Habit("nb tasks", "list", hint: "“list”"), Habit("nb do 1", "done 1", hint: "done"),
        Habit("nb note Garden plan"), Habit("nb todos", "list", hint: "“list”"), .suggested("nb open 1", "show 1"),
        .suggested("nb notebooks", "projects"), .suggested("nb daily Planted beans", "today Planted beans"),
        .suggested("nb settings", "config"), .suggested("nb browse", "web", isPerformed: false),
        Habit("nb move 1 garden:", "edit 1 project:garden"), Habit("nb copy 1", "show 1"),
        Habit("nb folders", "projects"), Habit("nb sort", "list sort:due"),
        Habit("nb bookmark https://example.org", "note TITLE", isPerformed: false),
        Habit("nb todo do 1", "done 1", hint: "`done`"), Habit("nb undo 1", "undo", hint: "takes no arguments."),
    ]
    static let todoTxt: [Habit] = [
        Habit("todo.sh add Buy bread +shop"), Habit("todo.sh ls", main: "list"),
        Habit("todo.sh ls milk", main: "list milk"), Habit("todo.sh rm 1"),
        Habit("todo.sh del 1", "rm 1", hint: "“rm”"), Habit("todo.sh do 1", "done 1", hint: "done"),
        Habit("todo.sh pri 1 A", "edit 1 priority:H", hint: "“edit”"),
        Habit("todo.sh depri 1", "edit 1 priority:", hint: "“edit”"),
        Habit("todo.sh replace 1 Buy oats", "edit 1 Buy oats", hint: "“edit”"),
        Habit("todo.sh listall", "list all", hint: "“list”"),
        .suggested("todo.sh lsp", "list has:priority"), Habit("todo.sh append 1 Skimmed"),
        Habit("todo.sh prepend 1 Skimmed"), .suggested("todo.sh lsprj", "projects"),
        .suggested("todo.sh lsc", "tags"), .suggested("todo.sh report", "stats"),
        Habit("todo.sh archive", "list done"),
    ]
    static let all = taskwarrior + nb + todoTxt
}

@MainActor
@Suite("Lines of other programs", .timeLimit(.minutes(5)))
struct HabitsTests {
    /// A device on which the list shows two tasks with the numbers 1 and 2.
    private func filled() async throws -> CommandDevice {
        let device = try CommandDevice.alone()
        device.files = ["todo.txt": "Buy oats\n"]
        try await device.run("add", "Buy milk", "+shop", "project:home")
        try await device.run("add", "Paint", "+home")
        try await device.run("list")
        return device
    }

    @Test("A line works as it is typed, or the answer names the command", arguments: Habit.all)
    func answers(habit: Habit) async throws {
        let device = try await filled()
        let answer = try await device.attempt(habit.words)
        if let instead = habit.instead {
            #expect(answer.status == .usage)
            #expect(answer.err.contains(habit.hint ?? instead), "\(answer.err)")
            // One line, and the usage of the command if there is one.
            let lines = answer.err.split(separator: "\n").filter { !$0.hasPrefix("Usage: ") }
            #expect(lines.count == 1, "\(answer.err)")
        } else {
            #expect(answer.status == .ok, "\(answer.err)")
        }
    }

    @Test(
        "The line that the page names works", arguments: Habit.all.filter { $0.instead != nil && $0.isPerformed })
    func works(habit: Habit) async throws {
        let device = try await filled()
        let line = try #require(habit.instead)
        let answer = try await device.attempt(line.split(separator: " ").map(String.init))
        #expect(answer.status == .ok, "\(line): \(answer.err)")
    }

    @Test("The page has a row for each line", arguments: Habit.all)
    func page(habit: Habit) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appending(path: "Sources/SatchelScreens/SatchelScreens.docc/ComingFromTaskwarrior.md")
        #expect(try String(contentsOf: file, encoding: .utf8).contains(habit.row + "\n"), "\(habit.row)")
    }

    @Test("A filter of several words before a command with further words is one word in quotes")
    func severalWords() async throws {
        let answer = try await filled().attempt("+shop", "-home", "modify", "pri:H")
        #expect(answer.status == .usage)
        #expect(answer.err.contains("The command comes first: edit \"+shop -home\" pri:H"), "\(answer.err)")
        #expect(try await filled().attempt("-home", "list").err.contains("The command comes first: list -home"))
    }
}
