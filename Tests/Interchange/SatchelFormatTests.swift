import Foundation
import Interchange
import Records
import Testing
import TestSupport

@Suite("Satchel's own format")
struct SatchelFormatTests {
    private let codec = FormatCodec(.satchel, timeZone: .gmt, types: .standard)

    private func record(
        _ collection: String, _ id: String, deleted: Bool = false, fields: JSONObject = ["title": "é", "n": 1],
        at milliseconds: UInt64 = 1
    ) -> Record {
        Record(
            key: RecordKey(collection: collection, id: id), version: 3, deleted: deleted,
            modifiedAt: "2026-11-21T05:22:00.123Z",
            modifiedBy: "d", fields: deleted ? [:] : fields,
            clock: FieldClocks(all: HLC(milliseconds: milliseconds, device: "d")))
    }

    private func text(of records: [Record]) -> String { codec.encode(records).text }

    @Test("live records are sorted by collection and id, in canonical form, in whatever order they arrived")
    func text() throws {
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
        #expect(text(of: records) == expected)
        #expect(text(of: records.reversed()) == expected)
    }

    @Test("records of any collection survive a round trip with every field")
    func roundTrip() throws {
        let odd: JSONObject = ["title": "a\nb", "x": ["y": [.null, "1.5"]], "taskwarrior": ["a:b"], "": "no name"]
        let records = [record("notes", "z"), record("bookmarks", "b", fields: odd), record("conflicts", "c")]
        let document = codec.encode(records)
        #expect(document.count == 3 && document.omissions.isEmpty)
        let read = try codec.decode(document.text)
        #expect(read.map(\.key) == [records[1].key, records[2].key, records[0].key])
        #expect(read[0].fields == odd)
        #expect(codec.plan(read[0], existing: nil) == .create(odd))
        #expect(try codec.decode(text(of: [])).isEmpty)
    }

    @Test("of a field that differs, the later edit is kept; a deleted record stays deleted")
    func later() throws {
        let file = try codec.decode(text(of: [record("tasks", "a", fields: ["title": "new"], at: 5)]))[0]
        func plan(at milliseconds: UInt64, deleted: Bool = false) -> ImportPlan {
            let fields: JSONObject = ["title": "old", "extra": 1]
            return codec.plan(
                file, existing: record("tasks", "a", deleted: deleted, fields: fields, at: milliseconds))
        }
        #expect(plan(at: 4) == .update(["title": "new", "extra": .null], kept: []))
        #expect(plan(at: 5) == .unchanged)
        #expect(plan(at: 6) == .unchanged)
        #expect(plan(at: 4, deleted: true) == .unchanged)
    }

    @Test(
        "another file is refused with the reason",
        arguments: [
            ("", "the file isn't valid JSON"), ("{\n \"a\" }", "line 2, column 6: the file isn't valid JSON"),
            ("[]", "isn't a JSON export of this program"), (#"{"format":"x"}"#, "isn't a JSON export of this program"),
            (#"{"format":"satchel","version":2,"records":[]}"#, "written by a newer version"),
            (#"{"format":"satchel","records":[]}"#, "the file doesn't name its version"),
            (#"{"format":"satchel","version":"1","records":[]}"#, "the version of the file isn't a number"),
            (#"{"format":"satchel","version":0,"records":[]}"#, "the file has the unknown version 0"),
            (#"{"format":"satchel","version":1}"#, "has no records"),
            (#"{"format":"satchel","version":1,"records":[{}]}"#, "entry 1: it isn't a live record"),
        ])
    func refused(text: String, reason: String) throws {
        let error = try #require(throws: ImportError.self) { try codec.decode(text) }
        #expect(error.description.contains(reason), "\(error)")
    }

    @Test("a file whose end is missing is refused as incomplete; one with wrong entries isn't")
    func incomplete() throws {
        let whole = text(of: [record("tasks", "a"), record("tasks", "b")])
        for cut in [whole.prefix(20), whole.prefix(whole.count / 2), whole.dropLast(), whole.prefix(20) + "\n"] {
            let error = try #require(throws: ImportError.self) { try codec.decode(String(cut)) }
            let advice = "\nThe file isn't complete: its end is missing. Import a complete copy."
            #expect(error.description.hasSuffix(advice), "\(error)")
        }
        let error = try #require(throws: ImportError.self) {
            try codec.decode(#"{"format":"satchel","version":1,"records":[{}]}"#)
        }
        #expect(error.description.hasSuffix("\nFix or remove these, then import again."))
    }

    @Test("a file of a newer version is refused as such, whatever its records are")
    func newer() throws {
        let text = #"{"format":"satchel","records":[{}],"version":2}"#
        let error = try #require(throws: ImportError.self) { try codec.decode(text) }
        #expect(error.problems.map(\.place) == [.whole])
    }

    @Test("ids are compared byte by byte, also those that are UUIDs, and only within a collection")
    func ids() throws {
        let id = "3a1461f5-33fe-c6f3-8e22-1d93b5ba290f"
        let records = [record("tasks", id), record("tasks", id.uppercased()), record("notes", id)]
        #expect(try codec.decode(text(of: records)).count == 3)
        let twice = text(of: records + [record("tasks", id)])
        let error = try #require(throws: ImportError.self) { try codec.decode(twice) }
        #expect(error.problems.map(\.place) == [.entry(4)])
        #expect(error.description.contains("it has the same id (\(id)) as entry 3"), "\(error)")
    }

    @Test("a duplicate record, one with an invalid key and a deleted one are refused")
    func badRecords() throws {
        for records in [[record("tasks", "a"), record("tasks", "a")], [record("tasks", "a/b")]] {
            let text = text(of: records)
            #expect(throws: ImportError.self) { try codec.decode(text) }
        }
        let tombstone =
            #"{"format":"satchel","version":1,"records":[\#(record("tasks", "a", deleted: true).json.text)]}"#
        #expect(throws: ImportError.self) { try codec.decode(tombstone) }
    }
}
