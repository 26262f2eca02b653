import CanonicalJSON
import ControllerKit
import Foundation
import TestSupport
import Testing

@MainActor
@Suite("Importing an export of Taskwarrior", .timeLimit(.minutes(5)))
struct ImportCommandsTests {
    private let tasks = GeneratedTask.export(300)

    /// A new device with the file `tasks.json`, the export of all tasks.
    private func device(on account: SharedServer) async throws -> CommandDevice {
        let device = try await account.device()
        device.files["tasks.json"] = GeneratedTask.text(of: tasks)
        return device
    }

    @Test("An import keeps every attribute")
    func attributes() async throws {
        let device = try await device(on: SharedServer())
        try await device.importTasks()
        let records = try await device.records("tasks")
        #expect(records.count == tasks.count)
        let fields = Dictionary(records.map { ($0.id, $0.fields) }) { first, _ in first }
        for task in tasks {
            var imported = try #require(fields[task.id])
            imported["taskwarrior"] = nil
            #expect(imported == task.fields)
        }
    }

    @Test("Taskwarrior's tasks are exported unchanged")
    func unchanged() async throws {
        let device = try await device(on: SharedServer())
        try await device.importTasks()
        let exported = try await device.run("export", "taskwarrior")
        #expect(exported.err.isEmpty, "\(exported.err)")
        let returned = try JSONValue(parsing: exported.out).array?.compactMap(\.object) ?? []
        #expect(returned.count == tasks.count)
        let entries = Dictionary(returned.map { ($0["uuid"]?.string ?? "", $0) }) { first, _ in first }
        for task in tasks {
            // Taskwarrior computes these two.
            var entry = task.entry
            (entry["id"], entry["urgency"]) = (nil, nil)
            #expect(entries[task.id] == entry)
        }
    }

    @Test("Importing again changes nothing, before and after a sync")
    func again() async throws {
        let laptop = try await device(on: SharedServer())
        try await laptop.importTasks()
        let before = try await laptop.exportedValue()
        try await laptop.importTasks()
        #expect(try await laptop.exportedValue() == before)
        try await laptop.sync()
        let synced = try await laptop.exportedValue()
        try await laptop.importTasks()
        #expect(try await laptop.exportedValue() == synced)
        #expect(try await laptop.state("status")["unsent"]?.integer == 0)
    }

    @Test("Importing again reverts no edit and no deletion")
    func edits() async throws {
        let (first, second, third) = (tasks[0].id, tasks[1].id, tasks[2].id)
        let laptop = try await device(on: SharedServer())
        try await laptop.importTasks()
        try await laptop.sync()
        try await laptop.run("edit", first, "--title", "My own words")
        try await laptop.run("edit", second, "+mine", "due:2031-01-01")
        try await laptop.run("rm", third)
        let before = try await laptop.exportedValue()
        try await laptop.importTasks()
        #expect(try await laptop.exportedValue() == before)
        try await laptop.sync()
        try await laptop.importTasks()
        #expect(try await laptop.fields(first)["title"] == "My own words")
        let edited = try await laptop.fields(second)
        #expect(edited["tags"]?.array?.contains("mine") == true)
        #expect(edited["due"]?.string?.hasPrefix("2031-01-01") == true)
        let ids = try await laptop.records().map(\.id)
        #expect(!ids.contains(third))
    }

    @Test("What was deleted before the first sync stays deleted on every device")
    func deletedBeforeSync() async throws {
        let third = tasks[2].id
        let account = try SharedServer()
        let laptop = try await device(on: account)
        try await laptop.run("logout")
        try await laptop.importTasks()
        try await laptop.run("rm", third)
        let before = try await laptop.exportedValue()
        try await laptop.importTasks()
        #expect(try await laptop.exportedValue() == before)
        laptop.files["password"] = "correct horse battery\n"
        try await laptop.run("login", "ada", "--password-file", "password")
        try await laptop.sync()
        try await laptop.importTasks()
        let desktop = try await account.device()
        try await desktop.sync()
        let held = try await laptop.exportedValue()
        #expect(try await desktop.exportedValue() == held)
        let ids = try await desktop.records("tasks").map(\.id)
        #expect(ids.count == tasks.count - 1)
        #expect(!ids.contains(third))
    }

    @Test("Importing on two devices creates no second copy and no conflict")
    func twoDevices() async throws {
        let account = try SharedServer()
        let (laptop, desktop) = (try await device(on: account), try await device(on: account))
        for device in [laptop, desktop] {
            try await device.importTasks()
            try await device.sync()
        }
        try await laptop.sync()
        #expect(try await laptop.records("tasks").count == tasks.count)
        #expect(try await laptop.records("conflicts").isEmpty)
        let held = try await laptop.exportedValue()
        #expect(try await desktop.exportedValue() == held)
    }

    @Test("A later export adds what is new")
    func laterExport() async throws {
        let device = try await SharedServer().device()
        for count in [6, 10] {
            device.files["tasks.json"] = GeneratedTask.text(of: Array(tasks.prefix(count)))
            try await device.importTasks()
            #expect(try await device.records("tasks").count == count)
        }
    }

    @Test(
        "An invalid export is reported, and nothing is imported",
        arguments: [
            ("", "empty"), ("[", "JSON"), ("{}", "uuid"), ("[1]", "entry 1"),
            (#"[{"description": "no uuid"}]"#, "uuid"), (#"[{"uuid": "not/one", "description": "x"}]"#, "uuid"),
            (#"[{"uuid": "3a1461f5-33fe-c6f3-8e22-1d93b5ba290f"}]"#, "description"),
        ])
    func invalidExport(text: String, word: String) async throws {
        let device = try await SharedServer().device()
        device.files["tasks.json"] = text
        let answer = try await device.attempt("import", "taskwarrior", "tasks.json")
        #expect(answer.status == .rejected)
        #expect(answer.err.contains(word), "\(answer.err)")
        #expect(try await device.records().isEmpty)
    }

    @Test("An export is one JSON object in canonical form with sorted records")
    func canonicalExport() async throws {
        let device = try await device(on: SharedServer())
        try await device.importTasks()
        let text = try await device.run("export").out
        let export = try #require(JSONValue(parsing: text).object)
        #expect(export.sortedNames == ["format", "records", "version"])
        let records = (export["records"]?.array ?? []).compactMap(\.object)
        #expect(records.count == tasks.count)
        // The byte between the two sorts before every character of an id.
        let keys = records.map { record in
            [record["collection"], record["id"]].compactMap { $0?.string }.joined(separator: "\u{0}")
        }
        #expect(keys == keys.sorted())
        let names: Set = ["collection", "id", "version", "fields"]
        #expect(records.allSatisfy { names.isSubset(of: $0.names) })
        let canonical = canonicalText(of: .object(export))
        #expect(text == canonical + "\n")
    }
}

extension CommandDevice {
    /// Imports the file `tasks.json`.
    fileprivate func importTasks() async throws { try await run("import", "taskwarrior", "tasks.json") }

    /// The export as a value. Exports are canonical, so equal values have equal bytes.
    fileprivate func exportedValue() async throws -> JSONValue { try JSONValue(parsing: try await run("export").out) }
}

/// Returns a value as RFC 8785 writes it: no spaces, names in order. This is independent of the program's own writer,
/// and complete for texts without control characters and for whole numbers.
private func canonicalText(of value: JSONValue) -> String {
    func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    switch value {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .number(let number): return number.text
    case .string(let text): return quoted(text)
    case .array(let elements): return "[" + elements.map(canonicalText(of:)).joined(separator: ",") + "]"
    case .object(let members):
        let sorted = members.sorted { $0.name < $1.name }
        let texts = sorted.map { member in "\(quoted(member.name)):\(canonicalText(of: member.value))" }
        return "{" + texts.joined(separator: ",") + "}"
    }
}

/// A task as the real Taskwarrior exports it: the same attributes, forms and frequencies, with invented values.
private struct GeneratedTask {
    let id: String
    /// The fields of its record.
    let fields: JSONObject
    /// The task in the export.
    let entry: JSONObject

    private static let projects = ["home", "home.garden", "work.reports", "work.website", "reading"]
    private static let tags = ["next", "shop", "phone", "urgent", "später", "someday"]
    private static let verbs = ["Buy", "Call", "Fix", "Write", "Read", "Clean", "Plan", "Übersetze"]
    private static let things = [
        "the report", #"the "blue" folder"#, "milk and/or oats", "Grandmother's clock", #"a path\with\backslashes"#,
        "عربي", "🚲",
    ]
    private static let day = 24 * 60

    /// Returns tasks; the first ones are the same for every count.
    static func export(_ count: Int) -> [GeneratedTask] {
        var random = SeededRandom(seed: 1)
        return (1...count).map { GeneratedTask($0, &random) }
    }

    /// Returns the text of an export: one task on each line and slashes escaped, as Taskwarrior writes it.
    static func text(of tasks: [GeneratedTask]) -> String {
        "[\n" + tasks.map { $0.entry.text.replacing("/", with: "\\/") }.joined(separator: ",\n") + "\n]\n"
    }

    private init(_ number: Int, _ random: inout SeededRandom) {
        let (start, isCompleted) = (random.below(1_000_000), random.below(100) < 35)
        let (verb, thing) = (random.element(of: Self.verbs), random.element(of: Self.things))
        var fields: JSONObject = [
            "title": .string("\(verb) \(thing) (#\(number))"), "entry": Self.moment(start),
            "modified": Self.moment(start + 3 * Self.day), "status": isCompleted ? "completed" : "pending",
        ]
        if isCompleted { fields["end"] = Self.moment(start + 2 * Self.day) }
        if random.below(100) < 33 { fields["project"] = .string(random.element(of: Self.projects)) }
        if random.below(100) < 53 {
            let tags = Self.tags.shuffled(using: &random)
            fields["tags"] = .array(tags.prefix(1 + random.below(3)).map(JSONValue.string))
        }
        if random.below(100) < 24 { fields["due"] = Self.moment(start + 60 * Self.day) }
        if random.below(100) < 20 { fields["priority"] = .string(random.element(of: ["H", "M", "L"])) }
        if random.below(100) < 27 {
            let annotations: [JSONValue] = (0...random.below(3)).map { second in
                [
                    "entry": Self.moment(start, seconds: second),
                    "description": .string("annotation \(second) on \(number)"),
                ]
            }
            fields["annotations"] = .array(annotations)
        }
        if random.below(100) < 5 { fields["estimate"] = "PT2H" }
        id = Self.uuid(&random)
        self.fields = fields
        entry = Self.entry(fields).adding([
            "id": .integer(isCompleted ? 0 : Int64(number)), "uuid": .string(id),
            "urgency": .integer(Int64(random.below(12))),
        ])
    }

    private static func uuid(_ random: inout SeededRandom) -> String {
        var digits = (0..<32).map { _ in random.element(of: Array("0123456789abcdef")) }
        // Version 4 of RFC 9562.
        (digits[12], digits[16]) = ("4", random.element(of: ["8", "9", "a", "b"]))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Returns a time in minutes after the beginning of 2024 in the form of a record: `2024-01-01T00:00:00Z`.
    private static func moment(_ minutes: Int, seconds: Int = 0) -> JSONValue {
        .string(Date(timeIntervalSince1970: TimeInterval(1_704_067_200 + 60 * minutes + seconds)).formatted(.iso8601))
    }

    /// Returns the attributes with Taskwarrior's names and times.
    private static func entry(_ fields: JSONObject) -> JSONObject {
        var entry = stamped(fields, ["entry", "modified", "end", "due"])
        (entry["description"], entry["title"]) = (fields["title"], nil)
        if let annotations = fields["annotations"]?.array {
            entry["annotations"] = .array(annotations.compactMap(\.object).map { .object(stamped($0, ["entry"])) })
        }
        return entry
    }

    /// Returns the members with these times in Taskwarrior's form: `20240101T000000Z`.
    private static func stamped(_ members: JSONObject, _ times: [String]) -> JSONObject {
        var members = members
        for name in times {
            guard let time = members[name]?.string else { continue }
            members[name] = .string(time.filter { $0 != "-" && $0 != ":" })
        }
        return members
    }
}
