import Interchange
import Records
import Testing

@Suite("Satchel's own format")
struct SatchelFormatTests {
    private func record(_ collection: String, _ id: String, deleted: Bool = false) -> Record {
        Record(
            key: RecordKey(collection: collection, id: id), version: 3, deleted: deleted,
            modifiedAt: "2026-11-21T05:22:00.123Z",
            modifiedBy: "d", fields: deleted ? [:] : ["title": "é", "n": 1],
            clock: FieldClocks(all: HLC(milliseconds: 1, device: "d")))
    }

    @Test("live records stand sorted by collection and id, in canonical form, whatever order they came in")
    func text() {
        let records = [
            record("tasks", "b"), record("tasks", "a"), record("notes", "z"), record("notes", "y", deleted: true),
        ]
        func written(_ collection: String, _ id: String) -> String {
            #"{"clock":{"*":"000000000001-0000-d"},"collection":"\#(collection)","deleted":false,"fields":{"n":1,"title":"é"},"#
                + #""id":"\#(id)","modifiedAt":"2026-11-21T05:22:00.123Z","modifiedBy":"d","version":3}"#
        }
        let expected =
            #"{"format":"satchel","records":["#
            + [written("notes", "z"), written("tasks", "a"), written("tasks", "b")].joined(separator: ",")
            + #"],"version":1}"#
        #expect(SatchelFormat.text(of: records) == expected)
        #expect(SatchelFormat.text(of: records.reversed()) == expected)
    }

    @Test("records come back from their text")
    func roundTrip() throws {
        let records = [record("notes", "z"), record("tasks", "a")]
        #expect(try SatchelFormat.records(parsing: Array(SatchelFormat.text(of: records).utf8)) == records)
        #expect(try SatchelFormat.records(parsing: Array(SatchelFormat.text(of: []).utf8)).isEmpty)
    }

    @Test(
        "another file is refused with the reason",
        arguments: [
            ("", "the file is no JSON"), ("[]", "no export of Satchel's"),
            (#"{"format":"x"}"#, "no export of Satchel's"),
            (#"{"format":"satchel","version":2,"records":[]}"#, "newer Satchel"),
            (#"{"format":"satchel","version":1}"#, "has no records"),
            (#"{"format":"satchel","version":1,"records":[{}]}"#, "entry 1: it is no live record"),
        ])
    func refused(text: String, reason: String) throws {
        let error = try #require(throws: ImportError.self) { try SatchelFormat.records(parsing: Array(text.utf8)) }
        #expect(error.description.contains(reason), "\(error)")
    }

    @Test("a record that stands twice, has a bad key or is deleted is refused")
    func badRecords() throws {
        for records in [[record("tasks", "a"), record("tasks", "a")], [record("tasks", "a/b")]] {
            #expect(throws: ImportError.self) {
                try SatchelFormat.records(parsing: Array(SatchelFormat.text(of: records).utf8))
            }
        }
        let tombstone =
            #"{"format":"satchel","version":1,"records":[\#(record("tasks", "a", deleted: true).json.text)]}"#
        #expect(throws: ImportError.self) { try SatchelFormat.records(parsing: Array(tombstone.utf8)) }
    }
}
