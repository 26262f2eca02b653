import Records
import Testing

@testable import Notebook

@Suite("Parts in a list")
struct NestedRecordsTests {
    /// Orders tasks, each with an id, and with the id of the task of which it is a part.
    private func nested(_ tasks: KeyValuePairs<String, String?>, apart: Set<String> = []) -> NestedRecords {
        let rows = tasks.map { id, parent in
            var fields: JSONObject = ["title": .string(id)]
            if let parent { fields["partof"] = .string(parent) }
            return QueryRow(collection: "tasks", id: id, fields: fields)
        }
        return NestedRecords(rows, RecordLinks(rows, types: .standard)) { apart.contains($0.id) ? .closed : .noDate }
    }

    private func depths(_ nested: NestedRecords) -> [Int] { nested.keys.map { nested.depths[$0] ?? 0 } }

    @Test("Parts follow their parent in the order of the list, at any depth")
    func order() {
        let list = nested(["c": "b", "x": nil, "b": "a", "d": "a", "a": nil])
        #expect(list.keys.map(\.id) == ["x", "a", "b", "c", "d"])
        #expect(depths(list) == [0, 0, 1, 2, 1])
    }

    @Test("A part whose parent isn't in the list or in its section stays where it is")
    func apart() {
        #expect(depths(nested(["a": "gone", "b": nil])) == [0, 0])
        let list = nested(["a": "b", "b": nil], apart: ["a"])
        #expect(list.keys.map(\.id) == ["a", "b"] && depths(list) == [0, 0])
    }

    @Test("Records that are parts of each other are each listed once")
    func cycle() {
        let list = nested(["x": "b", "a": "b", "b": "a", "self": "self"])
        #expect(Set(list.keys.map(\.id)) == ["a", "b", "x", "self"] && list.keys.count == 4)
    }
}
