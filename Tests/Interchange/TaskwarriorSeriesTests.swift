import Foundation
import Records
import Testing

@testable import Interchange

@Suite("Series of Taskwarrior")
struct TaskwarriorSeriesTests {
    private static let template = "11111111-1111-4111-8111-111111111111"
    private static let first = "22222222-2222-4222-8222-222222222222"
    private static let second = "33333333-3333-4333-8333-333333333333"
    private let codec = FormatCodec(.taskwarrior, timeZone: .gmt, types: .standard)

    private func entry(_ id: String, _ due: String, _ more: String) -> String {
        #"{"uuid": "\#(id)", "description": "Water", "due": "\#(due)T100000Z", "recur": "weekly", \#(more)}"#
    }

    private func template(mask: String) -> String {
        entry(Self.template, "20261106", #""status": "recurring", "mask": "\#(mask)", "rtype": "periodic""#)
    }

    private func instance(_ id: String, _ due: String, _ number: Int, status: String = "pending") -> String {
        entry(id, due, #""status": "\#(status)", "parent": "\#(Self.template)", "imask": \#(number)"#)
    }

    private func read(_ entries: String...) throws -> [String: JSONObject] {
        let tasks = try codec.decode("[" + entries.joined(separator: ",\n") + "]")
        return Dictionary(tasks.map { ($0.key.id, $0.fields) }) { first, _ in first }
    }

    private func records(_ tasks: [String: JSONObject]) -> [Record] {
        tasks.map { Record(key: RecordKey(collection: "tasks", id: $0.key), fields: $0.value) }
    }

    @Test("The last open instance carries on the series, and its template stays one")
    func instances() throws {
        let tasks = try read(
            template(mask: "--"), instance(Self.first, "20261106", 0), instance(Self.second, "20261113", 1))
        #expect(tasks[Self.second]?["repeat"] == "FREQ=WEEKLY")
        #expect(tasks[Self.second]?["repeatZone"] == "GMT")
        #expect(tasks[Self.first]?["repeat"] == nil)
        #expect(tasks[Self.template]?["status"] == "recurring")
        #expect(tasks[Self.template]?["repeat"] == nil)
    }

    @Test("The order of the tasks in the file doesn't matter")
    func order() throws {
        let (first, second) = (instance(Self.first, "20261106", 0), instance(Self.second, "20261113", 1))
        let tasks = try read(template(mask: "--"), first, second)
        #expect(try read(second, first, template(mask: "--")) == tasks)
        #expect(try read(first, template(mask: "--"), second) == tasks)
    }

    @Test("A task of a series is checked as it is stored, and each problem is reported once")
    func problems() throws {
        let rule = String(repeating: "x", count: 1 << 20)
        let large = instance(Self.first, "20261106", 0).replacing("Water", with: #"Water", "repeat": "\#(rule)"#)
        // Only the last open instance of a series repeats, so that another one doesn't keep the rule.
        #expect(try read(large, instance(Self.second, "20261113", 1), template(mask: "--")).count == 3)
        let error = try #require(throws: ImportError.self) { try read("{}", large, template(mask: "-"), "{}") }
        #expect(error.problems.map(\.place) == [.entry(1), .entry(2), .entry(4)])
    }

    @Test("A template without an open instance becomes the repeating task, due at the next date of its series")
    func templates() throws {
        let task = try #require(
            try read(template(mask: "+"), instance(Self.first, "20261106", 0, status: "completed"))[Self.template])
        #expect(task["status"] == "pending" && task["repeat"] == "FREQ=WEEKLY")
        #expect(task["due"] == "2026-11-13T10:00:00Z" && task["repeatFrom"] == "2026-11-06T10:00:00Z")
        let fresh = try #require(try read(template(mask: ""))[Self.template])
        #expect(fresh["due"] == "2026-11-06T10:00:00Z" && fresh["repeatFrom"] == nil)
    }

    @Test("An interval that Satchel doesn't have is kept, but has no effect")
    func otherIntervals() throws {
        let hourly = template(mask: "").replacing("weekly", with: "PT2H")
        let task = try #require(try read(hourly)[Self.template])
        #expect(task["status"] == "recurring" && task["recur"] == "PT2H" && task["repeat"] == nil)
    }

    @Test("Attributes without effect here are named: other intervals, and the end of what doesn't repeat")
    func unused() throws {
        let hourly =
            "[" + template(mask: "-").replacing("weekly", with: "PT2H") + ","
            + instance(Self.first, "20261106", 0).replacing("weekly", with: "PT2H") + ","
            + instance(Self.second, "20261105", 1, status: "completed").replacing("weekly", with: "PT2H") + "]"
        #expect(try codec.decode(hourly).map(\.unused) == [["recur"], ["recur"], []])
        let weekly = "[" + template(mask: "-") + "," + instance(Self.first, "20261106", 0) + "]"
        #expect(try codec.decode(weekly).allSatisfy(\.unused.isEmpty))
        let ending = #"{"uuid": "\#(Self.first)", "description": "A", "until": "20301106T100000Z"}"#
        #expect(try codec.decode(ending).map(\.unused) == [["until"]])
    }

    @Test("A series is written as it was read, and read again as it is here", arguments: [true, false])
    func roundTrip(hasOpenInstance: Bool) throws {
        let status = hasOpenInstance ? "pending" : "completed"
        let tasks = try read(template(mask: "-"), instance(Self.first, "20261106", 0, status: status))
        let document = codec.encode(records(tasks))
        #expect(document.omissions.isEmpty)
        #expect(!document.text.contains("repeat"))
        let objects = try JSONValue(parsing: document.text).array?.compactMap(\.object) ?? []
        let template = try #require(objects.first { $0["uuid"]?.string == Self.template })
        #expect(template["status"] == "recurring" && template["due"] == "20261106T100000Z")
        #expect(template["mask"] == "-" && template["recur"] == "weekly")
        let again = try codec.decode(document.text)
        #expect(again.count == tasks.count)
        for task in again { #expect(task.fields == tasks[task.key.id]) }
    }

    @Test("The next task is linked to the template, so that Taskwarrior doesn't create it a second time")
    func continued() throws {
        var tasks = try read(template(mask: "-"), instance(Self.first, "20261106", 0))
        tasks[Self.first]?["status"] = "completed"
        tasks[Self.first]?["end"] = "2026-11-06T12:00:00Z"
        let done = try #require(records(tasks).first { $0.key.id == Self.first })
        let next = try #require(NextInstance.record(after: done))
        tasks[next.key.id] = next.fields
        let text = codec.encode(records(tasks)).text
        let objects = try JSONValue(parsing: text).array?.compactMap(\.object) ?? []
        let written = try #require(objects.first { $0["uuid"]?.string == next.key.id })
        #expect(written["parent"] == .string(Self.template) && written["imask"]?.double == 1)
        let template = try #require(objects.first { $0["uuid"]?.string == Self.template })
        #expect(template["mask"] == "+-")
        for task in try codec.decode(text) {
            if task.key.id == next.key.id { #expect(task.fields == next.fields) }
            if task.key.id == Self.template { #expect(task.fields["status"] == "recurring") }
        }
    }

    @Test(
        "Taskwarrior's intervals are rules",
        arguments: [
            ("daily", "FREQ=DAILY"), ("3days", "FREQ=DAILY;INTERVAL=3"), ("2wks", "FREQ=WEEKLY;INTERVAL=2"),
            ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), ("biweekly", "FREQ=WEEKLY;INTERVAL=2"),
            ("3m", "FREQ=MONTHLY;INTERVAL=3"), ("quarterly", "FREQ=MONTHLY;INTERVAL=3"),
            ("2q", "FREQ=MONTHLY;INTERVAL=6"), ("semiannual", "FREQ=MONTHLY;INTERVAL=6"),
            ("annual", "FREQ=YEARLY"), ("biyearly", "FREQ=YEARLY;INTERVAL=2"), ("P1M", "FREQ=MONTHLY"),
            ("P10D", "FREQ=DAILY;INTERVAL=10"), ("PT1H", nil), ("hourly", nil), ("P1Y2M", nil), ("monday", nil),
        ] as [(String, String?)])
    func intervals(recur: String, rule: String?) {
        #expect(Repeat(taskwarrior: recur)?.description == rule)
    }
}
