import CanonicalJSON
import ControllerKit
import TestSupport
import Testing

@MainActor
@Suite("`edit` in an editor: the record as text, and concurrent changes", .timeLimit(.minutes(5)))
struct EditorCommandsTests {
    private let device: CommandDevice
    /// The task “Buy milk”, `+shop`, due on 2026-12-01.
    private let id: String

    init() async throws {
        device = try CommandDevice.alone()
        id = try await device.add("Buy milk", "+shop", "due:2026-12-01")
    }

    /// Edits a record in an editor. A command within `edits` is one of another process.
    private func edit(
        _ id: String, on device: CommandDevice, _ edits: @escaping @MainActor (String) async throws -> String
    ) async throws -> CommandDevice.Answer {
        device.edits = { text in
            device.edits = nil
            return try await edits(text)
        }
        defer { device.edits = nil }
        return try await device.attempt("edit", id)
    }

    /// Edits the task in an editor.
    private func edit(
        _ edits: @escaping @MainActor (String) async throws -> String
    ) async throws -> CommandDevice.Answer {
        try await edit(id, on: device, edits)
    }

    // MARK: Texts

    @Test("Fields and body are edited in one text")
    func fieldsAndBody() async throws {
        let answer = try await edit { text in
            text.setting("title", "Buy bread").setting("due", "2026-12-24 18:00").setting("tags", "shop, food")
                + "\nwhole grain\n"
        }
        #expect(answer.status == .ok && answer.err.contains("Changed “Buy bread”."))
        let fields = try await device.fields(id)
        #expect(fields["title"] == "Buy bread" && fields["body"] == "whole grain")
        #expect(fields["tags"] == ["shop", "food"])
        #expect(fields["due"] == "2026-12-24T18:00:00Z")
        try await device.run("undo")
        let former = try await device.fields(id)
        #expect(former["title"] == "Buy milk" && former["body"] == nil)
    }

    @Test("A note is edited, too")
    func note() async throws {
        try await device.run("note", "Plan")
        let note = try await device.record("Plan").id
        let answer = try await edit(note, on: device) { $0 + "one\ntwo\n" }
        #expect(answer.status == .ok)
        #expect(try await device.fields(note)["body"] == "one\ntwo")
    }

    @Test("An unchanged text changes nothing")
    func unchanged() async throws {
        let before = try await device.run("export").out
        let answer = try await edit { $0 }
        #expect(answer.status == .ok && answer.err.contains("Nothing changed in “Buy milk”."))
        #expect(try await device.run("export").out == before)
    }

    @Test("An invalid text is opened again with the errors")
    func invalid() async throws {
        let answer = try await edit { text in
            guard text.contains("\n# ! ") else {
                #expect(!text.contains("title: Buy bread"))
                return text.setting("title", "Buy bread").setting("due", "whenever")
            }
            #expect(text.contains("# ! Can't read “whenever” as a date"))
            #expect(text.contains("title: Buy bread\n"))
            return text.replacing("whenever", with: "tomorrow")
        }
        #expect(answer.status == .ok, "\(answer.err)")
        let fields = try await device.fields(id)
        #expect(fields["title"] == "Buy bread" && fields["due"] == "2026-11-22")
    }

    @Test("After an invalid text is left unchanged, nothing is changed")
    func givenUp() async throws {
        let before = try await device.run("export").out
        let answer = try await edit { $0.contains("\n# ! ") ? $0 : $0.setting("due", "whenever") }
        #expect(answer.status == .rejected && answer.err.contains("as a date"))
        #expect(try await device.run("export").out == before)
    }

    @Test("Line ends that an editor changes are not an edit")
    func lineEnds() async throws {
        device.files["-"] = "one\ntwo"
        try await device.run("edit", id, "--body-file", "-")
        let before = try await device.run("export").out
        let withCRLF = try await edit { $0.replacing("\n", with: "\r\n") }
        #expect(withCRLF.status == .ok && withCRLF.err.contains("Nothing changed"))
        let withoutLast = try await edit { text in String(text.dropLast(while: "\n")) }
        #expect(withoutLast.err.contains("Nothing changed"))
        #expect(try await device.run("export").out == before)
    }

    @Test("CRLF line ends are not stored with an edit")
    func crlf() async throws {
        _ = try await edit { $0.setting("title", "Buy bread").replacing("\n", with: "\r\n") }
        #expect(try await device.fields(id)["title"] == "Buy bread")
        let export = try await device.run("export").out
        #expect(!export.contains("\\r"))
    }

    @Test("A long body is edited")
    func longBody() async throws {
        try await device.write(id, (0..<10_000).map { "line \($0)" })
        let answer = try await edit { $0.replacing("\nline 5000\n", with: "\nchanged\n") }
        #expect(answer.status == .ok)
        let lines = try await device.lines(id)
        #expect(lines.count == 10_000)
        #expect(lines.dropFirst(5_000).first == "changed")
    }

    @Test("A repeating task is edited and completed in the text, without the time zone of its series")
    func repeating() async throws {
        _ = try await edit { $0.setting("repeat", "every 2 weeks").setting("until", "2027-01-31") }
        let fields = try await device.fields(id)
        #expect(fields["repeat"] == "FREQ=WEEKLY;INTERVAL=2" && fields["repeatZone"]?.string?.isEmpty == false)
        #expect(fields["until"]?.string?.hasPrefix("2027-01-31") == true)
        for _ in 0..<2 {
            let answer = try await edit { text in
                #expect(text.contains("\nrepeat: 2w\n") && !text.contains("repeatZone"))
                return text.setting("status", "completed")
            }
            #expect(answer.status == .ok)
        }
        let tasks = try await device.records("tasks")
        try #require(tasks.count == 2)
        #expect(try await device.fields(id)["status"] == "completed")
        let following = try #require(tasks.first(where: { $0.id != id }))
        #expect(following.fields["status"] == "pending")
        #expect(following.fields["due"]?.string?.hasPrefix("2026-12-15") == true)
    }

    // MARK: Concurrent changes

    @Test("Changes of another process are merged, and both values of one field are kept")
    func anotherProcess() async throws {
        let answer = try await edit { [device, id] text in
            try await device.run("edit", id, "project:home", "due:2026-12-02")
            return text.setting("title", "Buy bread").setting("due", "2026-12-03")
        }
        #expect(answer.status == .ok && answer.err.contains("a conflict: see `conflicts`"))
        let fields = try await device.fields(id)
        #expect(fields["title"] == "Buy bread" && fields["project"] == "home")
        #expect(try await device.run("conflicts").out.contains("due"))
        try await device.run("resolve", "1", "earlier")
        #expect(try await device.fields(id)["due"]?.string?.hasPrefix("2026-12-02") == true)
    }

    @Test("Changes of another device are merged")
    func anotherDevice() async throws {
        let (laptop, desktop, id) = try await SharedServer().two()
        try await desktop.run("edit", id, "project:home")
        try await desktop.sync()
        let answer = try await edit(id, on: laptop) { text in
            try await laptop.sync()
            return text.setting("title", "Buy bread")
        }
        #expect(answer.status == .ok && answer.err.contains("both changes are kept"))
        try await meet(laptop, desktop)
        let fields = try await desktop.fields(id)
        #expect(fields["title"] == "Buy bread" && fields["project"] == "home")
    }

    @Test("A record that was deleted meanwhile is restored by the edit")
    func deleted() async throws {
        let answer = try await edit { [device, id] text in
            try await device.run("rm", id)
            return text.setting("title", "Buy bread")
        }
        #expect(answer.status == .ok && answer.err.contains("your edit restored it"))
        #expect(try await device.titles() == ["Buy bread"])
    }

    // MARK: Without an editor

    @Test("Without a terminal, the message contains an example")
    func withoutTerminal() async throws {
        let answer = try await device.attempt("edit", id)
        #expect(answer.status == .usage)
        #expect(answer.err.contains("No change is given. Example: edit") && answer.err.contains("your editor"))
    }

    @Test("In JSON lines, the state contains the text")
    func jsonLines() async throws {
        let offered = try await events(["record": .string(id)])
        #expect(offered.contains { $0["type"] == "error" })
        let draft = try #require(offered.last(where: { $0["type"] == "state" })?["state"]?.object?["draft"]?.object)
        let text = try #require(draft["text"]?.string)
        #expect(draft["record"]?.string == id && text.contains("title: Buy milk\n"))
        let edited = try await events(["record": .string(id), "text": .string(text.setting("title", "Buy bread"))])
        #expect(edited.contains { $0["type"] == "done" })
        let state = try #require(edited.last(where: { $0["type"] == "state" })?["state"]?.object)
        #expect(state["draft"] == nil)
        #expect(try await device.fields(id)["title"] == "Buy bread")
    }

    /// The events that answer a request to edit.
    private func events(_ arguments: JSONObject) async throws -> [JSONObject] {
        let request: JSONObject = ["id": 1, "verb": "edit", "arguments": .object(arguments)]
        let terminal = ScriptedTerminal()
        _ = try await device.run("json", [], on: terminal, input: request.text + "\n")
        return try terminal.data.split(separator: "\n").compactMap { try JSONValue(parsing: String($0)).object }
    }
}

extension String {
    /// Returns the text of a record with another value of a field.
    fileprivate func setting(_ field: String, _ value: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix(field + ":") ? "\(field): \(value)" : String(line)
        }.joined(separator: "\n")
    }

    /// Returns the text without all occurrences of a character at its end.
    fileprivate func dropLast(while character: Character) -> Substring {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return text
    }
}
