import ControllerKit
import Foundation
import LocalStore
import Records
import TestSupport
import Testing

@testable import Controllers

@MainActor
@Suite("All fields of a record for programs", .timeLimit(.minutes(5)))
struct TypedFieldsTests {
    /// Fields of each kind, and two of a newer version.
    private static let stored: JSONObject = [
        "title": "Buy milk", "body": "two litres", "tags": ["shop"], "due": "2026-11-24",
        "wait": "2026-11-20T10:00:00+01:00",
        "priority": "H", "newer": ["list": [1, true, "x"], "none": []], "size": 3,
    ]

    private func shown(_ stored: JSONObject = stored) async throws -> (row: JSONObject, detail: JSONObject) {
        let home = try Home()
        try home.put(["a": stored])
        let list = home.list()
        try await list.send(.list(filter: ["all"], limit: nil, offset: nil))
        let detail = Presentation(DetailController(home.services.notebook)) { Issue.record($0) }
        try await detail.send(.show("a"))
        let state = try JSONValue(parsing: JSONEncoder.stateText(of: list.state)).object
        let record = try JSONValue(parsing: JSONEncoder.stateText(of: detail.state)).object?["record"]?.object
        return (try #require(state?["rows"]?.array?.first?.object), try #require(record))
    }

    @Test("`values` has every stored field by name, with a time in UTC and fields of newer versions as they are")
    func values() async throws {
        let (row, detail) = try await shown()
        for values in [row["values"]?.object, detail["values"]?.object] {
            var values = try #require(values)
            let urgency = try #require(values["urgency"]?.double)
            #expect(urgency == row["urgency"]?.double)
            values["urgency"] = nil
            var expected = Self.stored
            expected["wait"] = "2026-11-20T09:00:00Z"
            expected["entry"] = "2026-11-21T05:20:00Z"
            expected["status"] = "pending"
            #expect(values == expected)
        }
        #expect(row["due"] == "2026-11-24")
        #expect(row["dueWords"] != nil)
    }

    @Test("A time is in UTC everywhere, and the name of its time zone next to it")
    func zone() async throws {
        let (row, detail) = try await shown(["title": "Call", "due": "2026-12-01T16:00:00Z[Europe/Berlin]"])
        #expect(row["due"] == "2026-12-01T16:00:00Z" && row["dueZone"] == "Europe/Berlin")
        #expect(row["dueWords"] == "1 Dec 16:00")
        for values in [row["values"], detail["values"]] {
            #expect(values?.object?["due"] == "2026-12-01T16:00:00Z" && values?.object?["dueZone"] == nil)
        }
        let field = detail["fields"]?.array?.compactMap(\.object).first { $0["name"] == "due" }
        #expect(field?["value"] == "2026-12-01T16:00:00Z" && field?["zone"] == "Europe/Berlin")
        #expect(field?["words"] == nil)
        let other = try await shown(["title": "Call", "due": "2026-12-01T16:00:00Z"]).row
        #expect(other["due"] == row["due"] && other["dueZone"] == nil)
        // A program that reads the state has the whole value again.
        let read = try JSONDecoder().decode(ListScreen.State.Row.self, from: Data(JSONValue.object(row).text.utf8))
        let value = try #require(DateValue("2026-12-01T16:00:00Z[Europe/Berlin]"))
        #expect(read.values["due"] == .date(value, words: "1 Dec 16:00"))
    }

    @Test("The schema of a row and of a record names `values` as an object")
    func schema() throws {
        let states: [(any Decodable.Type, [String])] = [
            (ListScreen.State.self, ["rows", "items"]), (DetailScreen.State.self, ["record"]),
        ]
        for (type, path) in states {
            let text = try JSONEncoder.stateText(of: StateSchema(of: type))
            var schema = try #require(JSONValue(parsing: text).object)
            for step in path {
                let next = step == "items" ? schema["items"] : schema["properties"]?.object?[step]
                schema = try #require(next?.object)
            }
            #expect(schema["properties"]?.object?["values"]?.object?["type"] == "object")
            #expect(schema["required"]?.array?.contains("values") == true)
        }
    }
}
