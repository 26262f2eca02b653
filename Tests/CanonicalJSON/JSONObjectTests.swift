import CanonicalJSON
import TestSupport
import Testing

@Suite("JSON objects")
struct JSONObjectTests {
    @Test("small and large objects set, replace and remove members alike", arguments: [1, 16, 17, 18, 100])
    func members(count: Int) {
        var object = JSONObject()
        for index in 0..<count { object["n\(index)"] = .integer(Int64(index)) }
        #expect(object.count == count)
        object["n0"] = "first"
        #expect(object.count == count)
        #expect(object["n0"] == "first")
        for index in stride(from: 0, to: count, by: 2) { object["n\(index)"] = nil }
        #expect(object.count == count / 2)
        for index in 0..<count {
            #expect(object["n\(index)"] == (index % 2 == 0 ? nil : .integer(Int64(index))))
        }
    }

    @Test("setting null keeps a member, setting nil removes it")
    func nullAndNil() {
        var object: JSONObject = ["a": .null]
        #expect(object.count == 1)
        #expect(object["a"] == .null)
        object["a"] = nil
        #expect(object.isEmpty)
    }

    @Test(
        "the size of the text is exact if it is above the limit",
        arguments: [["a": "\u{1F}\u{1F}"], ["a": [1, .null, true, "é\""], "b": ["c": .number(JSONNumber(-15))]], [:]]
            as [JSONObject])
    func sizes(object: JSONObject) {
        let size = object.text.utf8.count
        #expect(object.textBytes(above: size) == nil)
        #expect(object.textBytes(above: size - 1) == size)
        #expect(object.textBytes(above: 100 * size) == nil)
    }

    @Test("of members with the same name the last is kept")
    func lastStays() {
        #expect(JSONObject([("a", 1), ("b", 2), ("a", 3)]) == ["b": 2, "a": 3])
    }

    @Test("an edit replaces whole members and removes those set to null")
    func applying() {
        let old: JSONObject = ["title": "a", "due": "x", "list": [1]]
        #expect(
            old.applying(["title": "b", "due": .null, "new": ["k": .null]]) == [
                "title": "b", "list": [1], "new": ["k": .null],
            ])
    }

    @Test("the edit between two objects turns one into the other", arguments: 0..<100 as Range<UInt64>)
    func patches(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let old = JSONValue.generated(&random, depth: 3).object?.withoutNulls ?? ["a": 1, "b": 2]
        let new = JSONValue.generated(&random, depth: 3).object?.withoutNulls ?? ["b": 2, "c": 3]
        #expect(old.applying(new.patch(from: old)) == new, "seed \(seed)")
        #expect(new.patch(from: new).isEmpty)
    }
}
