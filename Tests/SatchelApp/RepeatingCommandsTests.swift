import CanonicalJSON
import ControllerKit
import Controllers
import Foundation
import SatchelApp
import TestSupport
import Testing

@MainActor
@Suite("Repeating tasks by commands, on one device and on two", .timeLimit(.minutes(5)))
struct RepeatingCommandsTests {
    // MARK: One device

    @Test("`done` creates the next instance at the same time of day, although the clocks change before it")
    func done() async throws {
        let plants = try await Plants()
        let said = try await plants.laptop.run("done", plants.id).err
        #expect(said.contains("Done: “Water plants”. Next: Fri 4 Apr 2031 15:00."))
        let next = try await plants.laptop.onlyPending()
        // The clocks in Berlin change between the two.
        #expect(next.due == "2031-04-04T13:00:00Z[Europe/Berlin]")
        #expect(next.fields["repeatZone"]?.string == "Europe/Berlin")
        #expect(next.id.dropFirst(14).first == "8")
    }

    @Test("Lists show a sign, details the interval")
    func interval() async throws {
        let plants = try await Plants()
        try await plants.laptop.run("edit", plants.id, "repeat:every 2 weeks")
        #expect(try await plants.laptop.run("list").out.contains(" ↻ "))
        #expect(try await plants.laptop.run("list", "--plain").out.hasSuffix("\t2w\n"))
        #expect(try await plants.laptop.run("show", plants.id).out.contains("every 2 weeks"))
    }

    @Test("A task that is completed late is next due in the future, on the day of the month on which it began")
    func late() async throws {
        let device = try await SharedServer().device()
        let id = try await device.add("Pay rent", "due:2026-01-31", "repeat:monthly")
        try await device.run("done", id)
        let next = try await device.onlyPending()
        #expect(next.due == "2026-11-30")
        try await device.run("done", next.id)
        #expect(try await device.onlyPending().due == "2026-12-31")
    }

    @Test("A series ends on its last day")
    func until() async throws {
        let device = try await SharedServer().device()
        let id = try await device.add("Take pills", "due:2031-01-01", "repeat:daily", "until:2031-01-02")
        try await device.run("done", id)
        let next = try await device.onlyPending()
        let said = try await device.run("done", next.id).err
        #expect(said.contains("Done") && !said.contains("Next"))
        #expect(try await device.pending().isEmpty)
    }

    @Test("An unknown interval and a missing due date are refused")
    func refused() async throws {
        let device = try await SharedServer().device()
        let unknown = try await device.attempt("add", "Water plants", "due:friday", "repeat:sometimes")
        #expect(unknown.status == .usage && unknown.err.contains("as an interval"))
        let undated = try await device.attempt("add", "Water plants", "repeat:weekly")
        #expect(undated.status == .usage && undated.err.contains("due:friday"))
        #expect(try await device.titles().isEmpty)
    }

    @Test("An instance of a template of Taskwarrior continues the series, and is exported as an instance")
    func templates() async throws {
        let device = try await SharedServer().device()
        device.files["tasks.json"] = """
            [{"uuid":"11111111-1111-4111-8111-111111111111","description":"Rent","status":"recurring",\
            "recur":"monthly","due":"20310101T000000Z","mask":"-","entry":"20300101T000000Z"},\
            {"uuid":"22222222-2222-4222-8222-222222222222","description":"Rent","status":"pending","recur":"monthly",\
            "parent":"11111111-1111-4111-8111-111111111111","imask":0,"due":"20310101T000000Z"}]
            """
        try await device.run("import", "taskwarrior", "tasks.json")
        try await device.run("done", "22222222")
        #expect(try await device.records("tasks").count == 3)
        let exported = try await device.run("export", "taskwarrior").out
        #expect(exported.contains(#""recur":"monthly""#))
        #expect(exported.contains(#""mask":"+-""#))
        #expect(exported.contains(#""imask":0"#) && exported.contains(#""imask":1"#))
    }

    @Test("A program that completes a task by JSON lines creates the next instance, too")
    func jsonLines() async throws {
        let plants = try await Plants()
        let outcomes = try await plants.outcomes(of: [
            ["id": 1, "verb": "sync"],
            ["id": 2, "verb": "done", "arguments": ["records": [.string(plants.id)]]],
            ["id": 3, "verb": "sync"],
        ])
        #expect(outcomes == ["done 1", "done 2", "done 3"])
        try await meet(plants.laptop, plants.desktop)
        #expect(try await plants.laptop.pending().count == 1)
        #expect(try await plants.laptop.records("tasks").count == 2)
    }

    // MARK: Two devices

    @Test("`done` on two devices that are offline creates one next instance and no conflict")
    func doneOnTwo() async throws {
        let plants = try await Plants()
        try await plants.laptop.run("done", plants.id)
        try await plants.desktop.run("done", plants.id)
        try await plants.meetTwice()
        #expect(try await plants.laptop.records("tasks").count == 2)
        #expect(try await plants.laptop.records("conflicts").isEmpty)
        #expect(try await plants.desktop.onlyPending().due == "2031-04-04T13:00:00Z[Europe/Berlin]")
    }

    @Test("If two devices complete a task on different days, the next due date counts from the later day")
    func differentDays() async throws {
        let account = try SharedServer()
        let (laptop, desktop) = (try await account.device(), try await account.device())
        let id = try await laptop.add("Water plants", "due:2026-11-17T15:00Z", "repeat:weekly")
        try await meet(laptop, desktop)
        try await laptop.run("done", id)
        #expect(try await laptop.onlyPending().due == "2026-11-24T15:00:00Z")
        // To 7 December.
        account.server.clock.advance(by: .seconds(16 * 86_400))
        try await desktop.run("done", id)
        for _ in 0..<2 { try await meet(laptop, desktop) }
        #expect(try await laptop.records("conflicts").isEmpty)
        #expect(try await laptop.onlyPending().due == "2026-12-08T15:00:00Z")
        #expect(try await laptop.records("tasks").count == 2)
    }

    @Test("A task that is completed on one device and deleted on the other is kept, with its next instance")
    func doneAndDeleted() async throws {
        let plants = try await Plants()
        try await plants.laptop.run("done", plants.id)
        try await plants.desktop.run("rm", plants.id)
        try await plants.meetTwice()
        #expect(try await plants.desktop.records("tasks").count == 2)
        #expect(try await plants.desktop.pending().count == 1)
        #expect(try await plants.desktop.records("conflicts").isEmpty)
    }

    @Test("Earlier changes of the other device are in the next instance")
    func earlierChanges() async throws {
        let plants = try await Plants()
        try await plants.laptop.run("done", plants.id)
        try await plants.desktop.run("edit", plants.id, "--title", "Water the ferns", "+garden")
        try await plants.desktop.run("done", plants.id)
        try await meet(plants.laptop, plants.desktop)
        let next = try await plants.laptop.onlyPending()
        #expect(next.title == "Water the ferns" && next.fields["tags"] == JSONValue.array(["garden"]))
        #expect(try await plants.laptop.records("conflicts").isEmpty)
    }

    @Test("A deleted next instance isn't created again by the other device")
    func deletedNext() async throws {
        let plants = try await Plants()
        try await plants.laptop.run("done", plants.id)
        try await plants.laptop.run("rm", try await plants.laptop.onlyPending().id)
        try await plants.desktop.run("done", plants.id)
        try await meet(plants.laptop, plants.desktop)
        #expect(try await plants.desktop.pending().isEmpty)
    }

    // MARK: Reopening

    @Test("Undo and redo keep one instance, also on the other device")
    func undoAndRedo() async throws {
        let plants = try await Plants()
        try await plants.laptop.run("done", plants.id)
        let made = try await plants.laptop.onlyPending()
        for _ in 0..<2 {
            try await plants.laptop.run("undo")
            #expect(try await plants.laptop.pending().map(\.id) == [plants.id])
            try await meet(plants.laptop, plants.desktop)
            try await plants.laptop.run("redo")
            try await meet(plants.laptop, plants.desktop)
            #expect(try await plants.desktop.pending().map(\.id) == [made.id])
        }
        #expect(try await plants.desktop.records("tasks").count == 2)
        #expect(try await plants.desktop.records("conflicts").isEmpty)
    }

    @Test(
        "`done` on a device that has seen neither an earlier completion nor its reopening creates the next instance",
        arguments: ["undo", "undone"])
    func unseenReopening(_ command: String) async throws {
        let plants = try await Plants()
        let phone = try await plants.account.device()
        try await phone.sync()
        try await plants.laptop.run("done", plants.id)
        try await meet(plants.laptop, plants.desktop)
        try await plants.reopen(by: command)
        try await meet(plants.laptop, plants.desktop)
        try await phone.run("done", plants.id)
        for _ in 0..<2 { try await meet(phone, plants.laptop, plants.desktop) }
        #expect(try await plants.desktop.onlyPending().due == "2031-04-04T13:00:00Z[Europe/Berlin]")
    }

    @Test("After `undo` and `undone`, another completion leaves one instance")
    func doneAgain() async throws {
        let plants = try await Plants()
        for command in ["undo", "undone"] {
            try await plants.laptop.run("done", plants.id)
            try await meet(plants.laptop, plants.desktop)
            try await plants.reopen(by: command)
            try await meet(plants.laptop, plants.desktop)
            #expect(try await plants.desktop.records("tasks").map(\.id) == [plants.id])
        }
        try await plants.desktop.run("done", plants.id)
        try await meet(plants.laptop, plants.desktop)
        #expect(try await plants.laptop.pending().count == 1)
        #expect(try await plants.laptop.records("tasks").count == 2)
    }
}

/// A weekly task that a laptop in Berlin and a desktop in New York have.
@MainActor
private struct Plants {
    let account: SharedServer
    let laptop: CommandDevice
    let desktop: CommandDevice
    let id: String

    init() async throws {
        account = try SharedServer()
        laptop = try await account.device(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
        desktop = try await account.device(timeZone: try #require(TimeZone(identifier: "America/New_York")))
        id = try await laptop.add("Water plants", "due:2031-03-28T15:00", "repeat:weekly")
        try await meet(laptop, desktop)
    }

    /// Syncs both devices twice over: a merge must not cause further edits.
    func meetTwice(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<2 { try await meet(laptop, desktop, sourceLocation: sourceLocation) }
    }

    /// Reopens the task on the laptop that has completed it, with `undo` or `undone`.
    func reopen(by command: String) async throws {
        if command == "undo" { try await laptop.run("undo") } else { try await laptop.run("undone", id) }
    }

    /// Performs requests of a program on a further device; returns their outcomes and ids.
    func outcomes(of requests: [JSONObject]) async throws -> [String] {
        let terminal = ScriptedTerminal()
        let input = requests.map { $0.text + "\n" }.joined()
        #expect(try await account.device().run("json", [], on: terminal, input: input) == .ok)
        // The first line is the greeting.
        return try terminal.data.split(separator: "\n").dropFirst().compactMap { line in
            guard let event = try JSONValue(parsing: String(line)).object, let type = event["type"]?.string,
                ["done", "error"].contains(type)
            else { return nil }
            return "\(type) \(event["id"]?.integer ?? 0)"
        }
    }
}

extension CommandDevice {
    /// The open tasks.
    fileprivate func pending() async throws -> [Exported] {
        try await records("tasks").filter { $0.fields["status"]?.string == "pending" }
    }

    /// The open task, which must be the only one.
    fileprivate func onlyPending(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Exported {
        let found = try await pending()
        try #require(found.count == 1, "\(found.count) tasks are open", sourceLocation: sourceLocation)
        return found[0]
    }
}

extension CommandDevice.Exported {
    fileprivate var due: String? { fields["due"]?.string }
}
