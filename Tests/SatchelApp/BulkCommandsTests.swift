import CanonicalJSON
import ControllerKit
import SatchelApp
import TestSupport
import Testing

@MainActor
@Suite("Changes of many records by commands", .timeLimit(.minutes(5)))
struct BulkCommandsTests {
    private func filled(_ count: Int) async throws -> CommandDevice {
        let device = try CommandDevice.alone()
        for number in 1...count { try await device.run("add", "Task \(number)", "+shop", "due:2030-01-\(number + 10)") }
        return device
    }

    @Test("References continue until the first change; the words after -- never do")
    func references() async throws {
        let device = try await filled(4)
        try await device.run("list")
        try await device.run("edit", "1", "2-3", "priority:H")
        #expect(
            try await device.records().filter { $0.fields["priority"] == "H" }.map(\.title).sorted() == [
                "Task 1", "Task 2", "Task 3",
            ])
        try await device.run("annotate", "1", "2", "seen")
        #expect(try await device.records().filter { $0.fields["annotations"] != nil }.count == 2)
        try await device.run("edit", "1", "--", "2", "eggs")
        #expect(try await device.titles().contains("2 eggs"))
        let refused = try await device.attempt("edit", "1", "2", "New title")
        #expect(refused.status == .usage && refused.err.contains("A title for 2 records? “New title”"))
    }

    @Test("Titles in quotes name records")
    func titles() async throws {
        let device = try await filled(3)
        #expect(try await device.run("show", "task 2").out.contains("Task 2"))
        try await device.run("done", "Task 1")
        try await device.run("edit", "Task 2", "project:home")
        let tasks = try await device.records()
        #expect(tasks.first { $0.title == "Task 1" }?.fields["status"] == "completed")
        #expect(tasks.first { $0.title == "Task 2" }?.fields["project"] == "home")
        let unknown = try await device.attempt("show", "Task 9")
        #expect(unknown.status == .notFound && unknown.err.contains("No record matches “Task 9”."))
    }

    @Test("A script needs --yes for many records and for deletions by a filter; one undo reverts the command")
    func scripts() async throws {
        let device = try await filled(12)
        let refused = try await device.attempt("done", "+shop")
        #expect(refused.status == .usage && refused.err.contains("12 tasks") && refused.err.contains("--yes"))
        #expect(try await device.run("done", "+shop", "--yes").err.contains("Done: 12 tasks."))
        try await device.run("undo")
        #expect(try await device.records().allSatisfy { $0.fields["status"] == "pending" })
        #expect(try await device.attempt("rm", "due<2030-01-12").status == .usage)
        try await device.run("rm", "due<2030-01-12", "--yes")
        #expect(try await device.titles().count == 11)
        #expect(try await device.attempt("rm", "project:any", "--yes").status == .notFound)
    }

    @Test(
        "At a terminal the answer decides",
        arguments: [("y", true), (" Yes ", true), ("n", false), ("", false), (nil, false)] as [(String?, Bool)])
    func answers(answer: String?, isDone: Bool) async throws {
        let device = try await filled(12)
        let terminal = ScriptedTerminal(isInteractive: true)
        terminal.answers = answer.map { [$0] } ?? []
        let status = try await device.run("line", ["done", "+shop"], on: terminal)
        #expect(terminal.prompts == ["12 tasks: “Task 1”, “Task 2”, “Task 3” and 9 more. Mark them as done? [y/N] "])
        #expect(status == (isDone ? .ok : .rejected))
        #expect(try await device.records().allSatisfy { $0.fields["status"] == (isDone ? "completed" : "pending") })
    }

    @Test("Records that match only since the question are asked about before they are changed", arguments: ["y", "n"])
    func changedSince(secondAnswer: String) async throws {
        let device = try CommandDevice.alone()
        try await device.run("add", "Apple", "+fruit")
        let terminal = ScriptedTerminal(isInteractive: true)
        terminal.answers = ["y", secondAnswer]
        terminal.whileAsked = { question in
            if question.hasPrefix("1 task") { try await device.run("add", "Cherry", "+fruit") }
        }
        let status = try await device.run("line", ["rm", "+fruit"], on: terminal)
        #expect(terminal.prompts.first == "1 task: “Apple”. Delete it? [y/N] ")
        #expect(terminal.prompts.count == 2)
        #expect(terminal.prompts.last?.hasPrefix("The selection has changed since the question. 2 tasks: “") == true)
        #expect(status == (secondAnswer == "y" ? .ok : .rejected))
        #expect(try await device.titles() == (secondAnswer == "y" ? [] : ["Apple", "Cherry"]))
    }
}
