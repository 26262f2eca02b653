import ControllerKit
import Controllers
import Foundation
import Interchange
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Repeating tasks", .timeLimit(.minutes(5)))
struct RepeatingTests {
    /// A home in Berlin on Saturday, 21 November 2026, 06:20.
    private func home() throws -> Home {
        try Home(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
    }

    private func add(_ words: String..., to home: Home) async throws -> String {
        let list = home.list()
        try await list.send(.add(words, body: nil))
        return try #require(list.state.changed.first)
    }

    @Test("Completing creates the next instance and shows its due date; the interval counts in the typed zone")
    func done() async throws {
        let home = try home()
        let id = try await add("Water plants", "due:friday 15:00", "repeat:every week", to: home)
        let fields = try home.task(id)
        #expect(fields?["repeat"] == "FREQ=WEEKLY" && fields?["repeatZone"] == "Europe/Berlin")
        let list = home.list()
        try await list.send(.complete([id]))
        #expect(list.state.notice == "Done: “Water plants”. Next: Fri 4 Dec 15:00.")
        let next = try #require(list.state.changed.last)
        #expect(try home.task(next)?["due"] == "2026-12-04T14:00:00Z[Europe/Berlin]")
        try await list.send(.list(filter: ["repeat:weekly"], limit: nil, offset: nil))
        #expect(list.state.rows.map(\.id) == [next] && list.state.rows.map { $0.values["repeat"] } == [.text("weekly")])
        #expect(list.state.rows.map(\.canonicalTexts) == [["repeat": "FREQ=WEEKLY"]])
        try await list.send(.list(filter: ["not:repeat:", "all"], limit: nil, offset: nil))
        #expect(list.state.rows.count == 2)
    }

    @Test("An end before the due date is refused; the same day or a later one is accepted")
    func untilBeforeDue() async throws {
        let home = try home()
        let refused = await failure {
            _ = try await add("Water plants", "due:2026-12-04", "repeat:weekly", "until:2026-12-03", to: home)
        }
        #expect(refused.category == .usage)
        #expect(refused.message.hasPrefix("The last day of the series (until:) is before the due date."))
        #expect(try home.everything().isEmpty)
        let id = try await add("Water plants", "due:2026-12-04 15:00", "repeat:weekly", "until:2026-12-04", to: home)
        let detail = home.detail()
        let before = try home.task(id)
        let later = await failure {
            try await detail.send(.edit(id, title: nil, body: nil, words: ["until:2026-12-03"]))
        }
        #expect(later.category == .usage)
        #expect(try home.task(id) == before)
        try await detail.send(.edit(id, title: nil, body: nil, words: ["until:2026-12-31"]))
        try await detail.send(.edit(id, title: nil, body: nil, words: ["due:2027-01-08"]))
    }

    @Test("However a task is completed, the next instance is created", arguments: ["status:done", "status:completed"])
    func edited(word: String) async throws {
        let home = try home()
        let id = try await add("Pay rent", "due:2026-11-30", "repeat:monthly", to: home)
        try await home.detail().send(.edit(id, title: nil, body: nil, words: [word]))
        #expect(try home.everything().count == 2)
        try await home.detail().send(.edit(id, title: nil, body: nil, words: ["status:pending"]))
        #expect(try home.everything().count == 1)
    }

    @Test("Several tasks completed at once are counted; a day has no time")
    func several() async throws {
        let home = try home()
        let ids = [
            try await add("A", "due:friday", "repeat:weekly", to: home),
            try await add("B", "due:friday", "repeat:daily", to: home), try await add("C", to: home),
        ]
        let list = home.list()
        try await list.send(.complete([ids[0]]))
        #expect(list.state.notice?.hasSuffix("Next: Fri 4 Dec.") == true)
        try await home.undo().send(.undo)
        try await list.send(.complete(ids))
        #expect(list.state.notice == "Done: 3 tasks. 2 of them repeat.")
    }

    @Test("Undo removes the next instance, redo creates it again, and so does completing after reopening")
    func undo() async throws {
        let home = try home()
        let id = try await add("Water plants", "due:friday", "repeat:weekly", to: home)
        let (list, undo) = (home.list(), home.undo())
        let before = try home.everything()
        try await list.send(.complete([id]))
        let after = try home.everything()
        for _ in 0..<2 {
            try await undo.send(.undo)
            #expect(try home.everything() == before)
            try await undo.send(.redo)
            #expect(try home.everything() == after)
        }
        for _ in 0..<2 {
            try await list.send(.reopen([id]))
            #expect(try home.everything() == before)
            home.clock.advance(by: .seconds(60))
            try await list.send(.complete([id]))
            #expect(try home.everything().count == 2)
        }
    }

    @Test("A next instance that was edited or completed stays when the one before is reopened")
    func touched() async throws {
        let home = try home()
        let id = try await add("Water plants", "due:friday", "repeat:weekly", to: home)
        let list = home.list()
        try await list.send(.complete([id]))
        let next = try #require(list.state.changed.last)
        try await home.detail().send(.edit(next, title: "Water the ferns", body: nil, words: []))
        try await list.send(.reopen([id]))
        #expect(try home.titles() == ["Water plants", "Water the ferns"])
        try await list.send(.complete([id]))
        #expect(try home.everything().count == 2)
        #expect(try home.task(next)?["title"] == "Water the ferns")
    }

    @Test("An empty repeat: removes the interval; a new one counts from the current due date")
    func off() async throws {
        let home = try home()
        let id = try await add("Water plants", "due:friday", "repeat:weekly", to: home)
        try await home.list().send(.complete([id]))
        let next = try #require(try home.everything().keys.first { $0.id != id }).id
        #expect(try home.task(next)?["repeatFrom"] != nil)
        try await home.detail().send(.edit(next, title: nil, body: nil, words: ["repeat:2d"]))
        #expect(try home.task(next)?["repeat"] == "FREQ=DAILY;INTERVAL=2" && home.task(next)?["repeatFrom"] == nil)
        try await home.detail().send(.edit(next, title: nil, body: nil, words: ["repeat:", "due:"]))
        #expect(try home.task(next)?["repeat"] == nil && home.task(next)?["repeatZone"] == nil)
        let list = home.list()
        try await list.send(.complete([next]))
        #expect(list.state.notice == "Done: “Water plants”.")
    }

    @Test("An interval without a due date is refused, and nothing is stored")
    func withoutDue() async throws {
        let home = try home()
        let error = await failure { _ = try await add("Water plants", "repeat:weekly", to: home) }
        #expect(error.category == .usage && error.message.contains("due:friday"))
        let id = try await add("Water plants", "due:friday", "repeat:weekly", to: home)
        let removed = await failure {
            try await home.detail().send(.edit(id, title: nil, body: nil, words: ["due:"]))
        }
        #expect(removed.category == .usage)
        #expect(try home.everything().count == 1 && home.task(id)?["due"] != nil)
        let wrong = await failure { _ = try await add("x", "due:friday", "repeat:soon", to: home) }
        #expect(wrong.category == .usage && wrong.message.contains("repeat:weekly") == false)
        #expect(wrong.message.contains("Can't read “soon” as an interval"))
    }

    @Test("A task that an import completes repeats, too")
    func imported() async throws {
        let home = try home()
        let id = "22222222-2222-4222-8222-222222222222"
        let task = { (more: String) in
            #"[{"uuid": "\#(id)", "description": "Rent", "due": "20261130T100000Z", "repeat": "monthly", "#
                + #""repeatZone": "GMT", \#(more)}]"#
        }
        try await home.transfer().send(.importing(.taskwarrior, task(#""status": "pending""#)))
        let done = #""status": "completed", "end": "20261129T080000Z""#
        try await home.transfer().send(.importing(.taskwarrior, task(done)))
        #expect(try home.task(id)?["status"] == "completed")
        #expect(try home.everything().values.contains { $0["due"] == "2026-12-30T10:00:00Z" })
    }
}
