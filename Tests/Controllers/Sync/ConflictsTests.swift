import ControllerKit
import Controllers
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Conflicts and their resolution", .timeLimit(.minutes(5)))
struct ConflictsTests {
    @Test("On a fresh home there are none, and that is no failure")
    func none() async throws {
        let conflicts = try Home().conflicts()
        try await conflicts.send(.list(resolved: false))
        #expect((conflicts.state.rows.count, conflicts.state.total) == (0, 0))
    }

    @Test("A conflict shows both values, their times and devices, and the present value")
    func list() async throws {
        let inbox = try inbox("due", "2026-11-30T00:00:00Z", nil)
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.list(resolved: false))
        let row = try #require(conflicts.state.rows.first)
        #expect((row.number, row.id, row.record, row.title) == (1, inbox.conflict.id, "task", "task"))
        #expect(row.field == "due" && row.kept == .later)
        #expect((row.earlier.value, row.earlier.at) == ("2026-11-30T00:00:00Z", moment("2026-11-21T05:19:00Z")))
        #expect((row.earlier.device, row.earlier.isMine) == ("other-device", false))
        #expect((row.later.value, row.later.at, row.later.isMine) == (nil, moment("2026-11-21T05:19:30Z"), true))
    }

    @Test(
        "A choice becomes the record's value, and the conflict is removed",
        arguments: [
            (.mine, "Later"), (.theirs, "Earlier"), (.earlier, "Earlier"), (.later, "Later"),
            (.both, "Earlier / Later"), (.keep, "Later"),
        ] as [(ConflictsScreen.Choice, String)])
    func choices(choice: ConflictsScreen.Choice, title: String) async throws {
        let inbox = try inbox()
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.list(resolved: false))
        try await conflicts.send(.resolve("1", choice, value: nil, revive: false))
        #expect(try inbox.home.task("task")?["title"]?.string == title)
        #expect(try isResolved(inbox))
        #expect(conflicts.state.rows.isEmpty)
        #expect(conflicts.state.notice == "Resolved: “\(title)”.")
        // A new edit and the end of the conflict are sent like any other.
        let unsent = try inbox.home.services.store.readNow { try $0.outbox.sendable(limit: 10).map(\.record.key.id) }
        #expect(Set(unsent) == Set([inbox.conflict.id] + (title == "Later" ? [] : ["task"])))
    }

    @Test("Mine is this device's value, whichever was earlier", arguments: [ConflictsScreen.Choice.mine, .theirs])
    func mineIsEarlier(choice: ConflictsScreen.Choice) async throws {
        let inbox = try inbox(mine: (true, false))
        try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, choice, value: nil, revive: false))
        #expect(try inbox.home.task("task")?["title"]?.string == (choice == .mine ? "Earlier" : "Later"))
    }

    @Test(
        "If both edits or none are this device's, mine and theirs are refused, and the conflict stays",
        arguments: [true, false], [ConflictsScreen.Choice.mine, .theirs])
    func whoseIsIt(areMine: Bool, choice: ConflictsScreen.Choice) async throws {
        let inbox = try inbox(mine: (areMine, areMine))
        let error = await failure {
            try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, choice, value: nil, revive: false))
        }
        #expect(
            error == Failure(.usage, "Neither or both of these edits are from this device. Use `earlier` or `later`."))
        #expect(try !isResolved(inbox))
        #expect(try inbox.home.task("task")?["title"] == "Later")
    }

    @Test("A removed value can be chosen: the field is removed")
    func removed() async throws {
        let inbox = try inbox("due", nil, "2026-11-30T00:00:00Z")
        try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .theirs, value: nil, revive: false))
        #expect(try inbox.home.task("task")?["due"] == nil)
    }

    @Test(
        "Both is for texts only; those of a body follow each other",
        arguments: [("due", nil), ("priority", 3), ("body", "one\ntwo")] as [(String, JSONValue?)])
    func both(field: String, earlier: JSONValue?) async throws {
        let inbox = try inbox(field, earlier, "later")
        let conflicts = inbox.home.conflicts()
        guard field != "body" else {
            try await conflicts.send(.resolve(inbox.conflict.id, .both, value: nil, revive: false))
            #expect(try inbox.home.task("task")?["body"] == "one\ntwo\nlater")
            return
        }
        let error = await failure {
            try await conflicts.send(.resolve(inbox.conflict.id, .both, value: nil, revive: false))
        }
        #expect(error == Failure(.usage, "`both` works only for titles and texts. Use `earlier` or `later`."))
        #expect(try !isResolved(inbox))
    }

    @Test("Two titles that are too long together can't both be kept, and nothing is lost")
    func tooLong() async throws {
        let long = JSONValue.string(String(repeating: "x", count: 10_000))
        let inbox = try inbox("title", long, long)
        let error = await failure {
            try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .both, value: nil, revive: false))
        }
        #expect(error.category == .usage && error.message.contains("too long"))
        #expect(try !isResolved(inbox))
    }

    @Test("A choice doesn't revive a deleted record; keep dismisses the conflict")
    func deletedRecord() async throws {
        let inbox = try inbox()
        try inbox.home.delete("task")
        let error = await failure {
            try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .earlier, value: nil, revive: false))
        }
        #expect(error.category == .conflict && error.message.contains("`keep`") && error.message.contains("--revive"))
        #expect(try !isResolved(inbox))
        try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .keep, value: nil, revive: false))
        #expect(try isResolved(inbox))
        #expect(try inbox.home.titles().isEmpty)
    }

    @Test("Numbers keep naming the same conflict when others appear and vanish; unknown ones resolve nothing")
    func numbers() async throws {
        let first = try inbox(task: "first")
        first.home.clock.advance(by: .seconds(600))
        let second = try inbox(in: first.home, task: "second")
        let conflicts = first.home.conflicts()
        try await conflicts.send(.list(resolved: false))
        #expect(conflicts.state.rows.map(\.record) == ["first", "second"])
        try await conflicts.send(.resolve("1", .keep, value: nil, revive: false))
        #expect(conflicts.state.rows.map(\.number) == [2])
        first.home.clock.advance(by: .seconds(-1_200))
        let older = try inbox(in: first.home, task: "older")
        try await conflicts.send(.resolve("2", .keep, value: nil, revive: false))
        #expect(try isResolved(second) && !isResolved(older))
        #expect((conflicts.state.rows.count, conflicts.state.total) == (0, 1))
        for unknown in ["zz", ""] {
            let error = await failure { try await conflicts.send(.resolve(unknown, .keep, value: nil, revive: false)) }
            #expect(error == Failure(.notFound, "No conflict matches “\(unknown)”. See `conflicts`."))
        }
        let error = await failure { try await conflicts.send(.resolve("7", .keep, value: nil, revive: false)) }
        #expect(error.message.hasPrefix("No conflict 7 in the last list of conflicts. List them again (`conflicts`)"))
        #expect(try !isResolved(older))
    }

    @Test("A number is refused before conflicts were listed on this terminal, with the command that numbers them")
    func numberBeforeList() async throws {
        let first = try inbox(task: "first")
        let error = await failure {
            try await first.home.conflicts().send(.resolve("1", .keep, value: nil, revive: false))
        }
        #expect(error.category == .notFound)
        #expect(error.message.contains("List them again (`conflicts`)"))
    }
}
