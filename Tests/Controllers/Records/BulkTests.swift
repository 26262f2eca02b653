import ControllerKit
import Controllers
import Records
import TestSupport
import Testing

@MainActor
@Suite("Changes of many records", .timeLimit(.minutes(5)))
struct BulkTests {
    /// Tasks `a000` and so on with the tag `shop`, and a note with it.
    private func filled(_ count: Int) throws -> Home {
        let home = try Home()
        for number in 0..<count {
            try home.put(["a\(1000 + number)-x": ["title": .string("Task \(number)"), "tags": ["shop"]]])
        }
        return home
    }

    @Test("A filter completes its open tasks as one command, and reopens completed ones")
    func filter() async throws {
        let home = try filled(5)
        let list = home.list()
        try await list.send(.add(["A note", "+shop"], body: nil, type: "note"))
        try await list.send(.complete(["+shop"]))
        #expect(list.state.notice == "Done: 5 tasks.")
        #expect(list.state.changed.count == 5)
        let error = await failure { try await list.send(.complete(["+shop"])) }
        #expect(error.category == .notFound && error.message.hasPrefix("No matches for “+shop”."))
        try await list.send(.reopen(["+shop"]))
        #expect(list.state.notice == "Reopened: 5 tasks.")
        let undo = home.undo()
        try await undo.send(.undo)
        try await undo.send(.undo)
        #expect(try (0..<5).allSatisfy { try home.task("a\(1000 + $0)-x")?["status"] == "pending" })
    }

    @Test("More than ten records need a confirmation, whatever selects them")
    func confirmation() async throws {
        let home = try filled(12)
        let list = home.list()
        let detail = home.detail()
        let before = try home.everything()
        let ids = (0..<12).map { "a\(1000 + $0)-x" }
        let attempts: [@MainActor () async throws -> Void] = [
            { try await list.send(.complete(["+shop"])) }, { try await list.send(.complete(ids)) },
            { try await list.send(.remove(ids)) }, { try await list.send(.tag(["+shop", "+soon"])) },
            { try await list.send(.tag(ids + ["+soon"])) },
            { try await detail.send(.edit("+shop", title: nil, body: nil, words: ["priority:H"])) },
            { try await detail.send(.annotate("+shop", text: ["seen"])) },
        ]
        for attempt in attempts {
            await #expect(throws: ConfirmationNeeded.self) { try await attempt() }
        }
        #expect(try home.everything() == before)
        try await detail.send(.edit("+shop", title: nil, body: nil, words: ["priority:H"], confirmed: true))
        #expect(detail.state.notice == "Changed 12 tasks.")
        try await list.send(.tag(["+shop", "+soon"], confirmed: true))
        #expect(list.state.notice == "Tagged: 12 tasks.")
        try await list.send(.remove(["+soon"], confirmed: true))
        #expect(list.state.notice == "Deleted: 12 tasks.")
        #expect(try home.titles().isEmpty)
    }

    @Test("A deletion by a filter always needs a confirmation; the question names the records")
    func deletion() async throws {
        let home = try filled(5)
        let list = home.list()
        let first = await failure { try await list.send(.remove(["+shop"])) }
        #expect(first.category == .usage)
        #expect(
            first.message.hasPrefix("5 tasks: “Task 0”, “Task 1”, “Task 2” and 2 more. Nothing was changed.")
                && first.message.hasSuffix("To delete them, repeat the command with --yes."))
        try await list.send(.remove(["a1000-x", "Task 1"]))
        #expect(list.state.notice == "Deleted: 2 tasks.")
        #expect(ConfirmationNeeded("1 task: “A”", action: "delete it").question == "1 task: “A”. Delete it?")
    }

    @Test("An answer confirms the records of its question, and no others")
    func answered() async throws {
        let home = try filled(2)
        let list = home.list()
        let asked = try await #require(throws: ConfirmationNeeded.self) { try await list.send(.remove(["+shop"])) }
        let answer = GivenConfirmation.answer(to: try #require(asked.token))
        #expect(!asked.hasChanged)
        try home.put(["a1002-x": ["title": "Task 2", "tags": ["shop"]]])
        let before = try home.everything()
        let again = try await #require(throws: ConfirmationNeeded.self) {
            try await list.send(.remove(["+shop"], confirmed: answer))
        }
        #expect(again.hasChanged)
        #expect(again.question.hasPrefix("The selection has changed since the question. 3 tasks: “"))
        // Fewer records are others, too: the user may have meant just the missing one.
        let fewer = try await #require(throws: ConfirmationNeeded.self) {
            try await list.send(.remove(["a1000-x"], confirmed: answer))
        }
        #expect(fewer.question.hasPrefix("The selection has changed since the question. 1 task: “Task 0”."))
        #expect(try home.everything() == before)
        try await list.send(.remove(["a1001-x", "a1000-x"], confirmed: answer))
        #expect(list.state.notice == "Deleted: 2 tasks.")
        try await list.send(.remove(["+shop"], confirmed: true))
        #expect(try home.titles().isEmpty)
    }

    @Test("An edit of one record by its title or by a filter shows it; several are counted")
    func edits() async throws {
        let home = try filled(3)
        let detail = home.detail()
        try await detail.send(.edit("task 1", title: nil, body: nil, words: ["priority:H"]))
        #expect(detail.state.notice == "Changed “Task 1”." && detail.state.record?.id == "a1001-x")
        try await detail.send(.edit("a1000-x,a1001-x", title: nil, body: nil, words: ["priority:H"]))
        #expect(detail.state.notice == "Changed “Task 0”; 1 had these values already.")
        try await detail.send(.edit("+shop priority:H", title: nil, body: nil, words: ["project:x"]))
        #expect(detail.state.notice == "Changed 2 tasks.")
        try await detail.send(.annotate("a1000-x,a1002-x", text: ["seen"]))
        #expect(detail.state.notice == "Annotated 2 tasks.")
        try await detail.send(.show("Task 2"))
        #expect(detail.state.record?.annotations.map(\.text) == ["seen"])
    }

    @Test(
        "A selection of several records without a change is refused",
        arguments: ["a1000-x,a1001-x", "+shop", "@none", "+shop -later"])
    func nothing(reference: String) async throws {
        let home = try filled(3)
        let error = await failure {
            try await home.detail().send(.edit(reference, title: nil, body: nil, words: []))
        }
        #expect(error.category == .usage && error.message.hasPrefix("What should change in "))
    }

    @Test(
        "A word that can't be a tag is named",
        arguments: [(["a1000-x", "+5"], "+5"), (["+shop", "a1000-x"], "a1000-x"), (["a1000-x", "-"], "-")])
    func tags(words: [String], named: String) async throws {
        let error = await failure { try await filled(1).list().send(.tag(words)) }
        #expect(error.category == .usage && error.message.hasPrefix("“\(named)” can't be a tag."))
    }
}
