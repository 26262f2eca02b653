import Records
import Testing
import TestSupport

@Suite("Records on the wire")
struct RecordTests {
    private let wire = """
        {"clock":{"*":"000000000001-0000-d","title":"000000000002-0001-e"},"collection":"tasks","deleted":false,\
        "fields":{"big":12345678901234567890,"tags":["shop"],"title":"Buy milk"},"id":"a-1","modifiedAt":\
        "2026-11-21T05:22:00.123Z","modifiedBy":"d","version":42}
        """

    @Test("a record survives a round trip, including numbers")
    func roundTrip() throws {
        let record = try #require(Record(json: try JSONValue(parsing: wire)))
        #expect(record.key == RecordKey(collection: "tasks", id: "a-1"))
        #expect(record.version == 42)
        #expect(record.json.text == wire)
    }

    @Test("a tombstone has no fields")
    func tombstone() throws {
        var members = try #require(try JSONValue(parsing: wire).object)
        members["deleted"] = true
        members["fields"] = nil
        let record = try #require(Record(json: .object(members)))
        #expect(record.fields.isEmpty)
        #expect(record.json == .object(members))
    }

    @Test(
        "a record with a missing or malformed member is refused",
        arguments: ["collection", "id", "version", "deleted", "modifiedAt", "modifiedBy", "clock", "fields"])
    func misshapen(name: String) throws {
        var members = try #require(try JSONValue(parsing: wire).object)
        members[name] = nil
        #expect(Record(json: .object(members)) == nil)
        members[name] = [1]
        #expect(Record(json: .object(members)) == nil)
        #expect(Record(json: []) == nil)
    }

    @Test(
        "a key is valid in the form that the protocol specifies",
        arguments: [
            ("tasks", "a", true), ("t-1", "A_b-9", true), ("Tasks", "a", false), ("1t", "a", false), ("", "a", false),
            ("tasks", "", false), ("tasks", "a/b", false), ("tasks", "é", false), ("tas_ks", "a", false),
            ("tasks", "@[", false),
            (String(repeating: "t", count: 64), String(repeating: "i", count: 64), true),
            (String(repeating: "t", count: 65), "a", false), ("tasks", String(repeating: "i", count: 65), false),
        ])
    func keys(collection: String, id: String, isValid: Bool) {
        #expect(RecordKey(collection: collection, id: id).isValid == isValid)
    }
}
