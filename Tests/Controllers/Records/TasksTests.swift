import ControllerKit
import Controllers
import Records
import TestSupport
import Testing

@MainActor
@Suite("Work on tasks", .timeLimit(.minutes(5)))
struct TasksTests {
    @Test("`next` lists what is ready, the most urgent first")
    func next() async throws {
        let home = try Home()
        try home.put([
            "a": ["title": "Plain"], "b": ["title": "Important", "priority": "H"],
            "c": ["title": "Blocked", "depends": ["b"]], "d": ["title": "Hidden", "wait": "2030-01-01T00:00:00Z"],
        ])
        let list = home.list()
        try await list.send(.next(filter: [], limit: nil))
        #expect(list.state.rows.map(\.id) == ["b", "a"])
        #expect(list.state.rows.map(\.urgency) == [14, 0])
        #expect(list.state.filter == "ready sort:urgency")
        try await list.send(.next(filter: ["priority:"], limit: 1))
        #expect(list.state.rows.map(\.id) == ["a"])
        // The words that `next` adds apply to both alternatives.
        try await list.send(.next(filter: ["priority:H", "or", "depends:any"], limit: nil))
        #expect(list.state.rows.map(\.id) == ["b"])
        try await list.send(.next(filter: ["limit:1"], limit: nil))
        #expect(list.state.rows.map(\.id) == ["b"])
    }

    @Test("`start` and `stop` report the work and the time spent")
    func work() async throws {
        let home = try Home()
        try home.put(["aaaa": ["title": "Paint"]])
        let list = home.list()
        try await list.send(.start(["aaaa"]))
        #expect(list.state.notice == "Started: “Paint”.")
        try await list.send(.start(["aaaa"]))
        #expect(list.state.notice == "Nothing to change: “Paint” is already started.")
        home.clock.advance(by: .seconds(4_800))
        try await list.send(.stop(["aaaa"]))
        #expect(list.state.notice == "Stopped: “Paint”. Time spent: 1h 20min.")
        try await list.send(.stop(["aaaa"]))
        #expect(list.state.notice == "Nothing to change: “Paint” isn't started.")
        #expect(try home.task("aaaa")?["spent"] == "PT1H20M")
    }

    @Test("`start` and `stop` accept a filter, and many records need a confirmation")
    func bulk() async throws {
        let home = try Home()
        for number in 0..<12 {
            try home.put(["a\(1000 + number)-x": ["title": .string("Task \(number)"), "tags": ["shop"]]])
        }
        let list = home.list()
        await #expect(throws: ConfirmationNeeded.self) { try await list.send(.start(["+shop"])) }
        try await list.send(.start(["+shop"], confirmed: true))
        #expect(list.state.notice == "Started: 12 tasks.")
        await #expect(throws: ConfirmationNeeded.self) { try await list.send(.stop(["active"])) }
        try await list.send(.stop(["active"], confirmed: true))
        #expect(list.state.notice == "Stopped: 12 tasks.")
    }

    @Test("A completed task with an open part says so, and a record shows what it depends on")
    func links() async throws {
        let home = try Home()
        try home.put([
            "aaaa": ["title": "Paint", "depends": ["bbbb", "gone"]], "bbbb": ["title": "Buy paint", "partof": "aaaa"],
        ])
        let detail = home.detail()
        try await detail.send(.show("aaaa"))
        let field = try #require(detail.state.record?.fields.first { $0.name == "depends" })
        #expect((field.label, field.words) == ("Depends on", "bbbb Buy paint (open); gone (deleted)"))
        #expect(detail.state.record?.urgency == -5)
        #expect(detail.state.record?.progress?.total == 1)
        let list = home.list()
        try await list.send(.complete(["aaaa"]))
        #expect(list.state.notice == "Done: “Paint”. One part of it is still open: “Buy paint”.")
    }
}
