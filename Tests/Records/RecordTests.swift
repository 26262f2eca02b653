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

@Suite("The text of UUIDs")
struct UUIDTextTests {
    @Test(
        "a text is a UUID only if it is hex digits of either case in groups of 8-4-4-4-12",
        arguments: [
            ("12345678-1234-1234-1234-123456789abc", true), ("12345678-1234-1234-1234-123456789ABC", true),
            ("", false), ("12345678-1234-1234-1234-123456789ab", false), ("123456781234123412341234567890ab", false),
            ("1234567-81234-1234-1234-123456789abc", false), ("12345678-1234-1234-12345123456789abc", false),
            ("12345678-1234-1234-1234-12345678-abc", false), ("12345678-1234-1234-1234-12345678é9a", false),
            ("12345678-1234-1234-1234-123456789abg", false), ("{12345678-1234-1234-1234-123456789abc}", false),
            // With bit 0x20, this control character would be a digit.
            ("\u{12}2345678-1234-1234-1234-123456789abc", false),
            // Each of these is valid for `UUID(uuidString:)` of Foundation.
            ("+1345678-1234-1234-1234-123456789abc", false), (" 2345678-1234-1234-1234-123456789abc", false),
            ("0x345678-1234-1234-1234-123456789abc", false), ("12345678-1234-1234-1234-123456789abc\u{0}x", false),
        ])
    func validity(text: String, isValid: Bool) {
        #expect(UUIDText.isValid(text) == isValid)
    }

    @Test("a random UUID has version 4 and lower case, and differs each time")
    func random() {
        let text = UUIDText.random()
        #expect(UUIDText.isValid(text))
        #expect(text == text.lowercased())
        #expect(text.dropFirst(14).first == "4")
        #expect(text != UUIDText.random())
    }

    @Test("the version and the variant replace some of the given bits")
    func versions() {
        let ones = [UInt8](repeating: 0xFF, count: 16)
        #expect(UUIDText.text(ones, version: 4) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(UUIDText.text(ones, version: 8) == "ffffffff-ffff-8fff-bfff-ffffffffffff")
        #expect(UUIDText.text(0..<16, version: 4) == "00010203-0405-4607-8809-0a0b0c0d0e0f")
    }
}
