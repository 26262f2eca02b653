import Foundation
import Records
import Testing

@testable import Interchange

@Suite("todo.txt")
struct TodoTxtTests {
    private let codec = FormatCodec(.todotxt, timeZone: .gmt, types: .standard)

    private func fields(_ line: String) throws -> JSONObject {
        try #require(try codec.decode(line).first).fields
    }

    @Test(
        "a line is parsed as in the format's description",
        arguments: [
            ("(A) Call Mom", ["title": "Call Mom", "status": "pending", "priority": "H"]),
            ("(Z) Call Mom", ["title": "Call Mom", "status": "pending", "priority": "L", "todotxt.priority": "Z"]),
            ("Really gotta call Mom (A)", ["title": "Really gotta call Mom (A)", "status": "pending"]),
            ("(b) Get back", ["title": "(b) Get back", "status": "pending"]),
            ("(B)->Submit", ["title": "(B)->Submit", "status": "pending"]),
            (
                "2011-03-02 Document +Work @desk task",
                [
                    "title": "Document +Work @desk task", "status": "pending", "entry": "2011-03-02T00:00:00Z",
                    "project": "Work", "tags": ["desk"],
                ]
            ),
            (
                "x 2011-03-03 2011-03-01 Review +Tools @web pri:B due:2011-03-04",
                [
                    "title": "Review", "status": "completed", "end": "2011-03-03T00:00:00Z",
                    "entry": "2011-03-01T00:00:00Z", "project": "Tools", "tags": ["web"], "priority": "M",
                    "due": "2011-03-04",
                ]
            ),
            ("xylophone lesson", ["title": "xylophone lesson", "status": "pending"]),
            ("X 2012-01-01 Make", ["title": "X 2012-01-01 Make", "status": "pending"]),
            ("Mail me@example.org at 12:30", ["title": "Mail me@example.org at 12:30", "status": "pending"]),
            ("See https://example.org/a", ["title": "See https://example.org/a", "status": "pending"]),
            (
                "Water rec:+1w t:2026-11-21",
                ["title": "Water", "status": "pending", "rec": "+1w", "wait": "2026-11-21"]
            ),
            ("+Only @tokens", ["title": "+Only @tokens", "status": "pending", "project": "Only", "tags": ["tokens"]]),
        ] as [(String, JSONObject)])
    func meaning(line: String, expected: JSONObject) throws { #expect(try fields(line) == expected) }

    @Test(
        "a line in the usual order is written as it was read, except for the record's name",
        arguments: [
            "(A) 2026-11-01 Call Mom +Family @phone due:2026-11-21", "x 2026-11-03 2026-11-01 Call Mom +Family pri:A",
            "(D) Ask @bob about +roof today", "Plain", "2026-11-01 a  b +one +two @x @y",
        ])
    func unchanged(line: String) throws {
        let read = try #require(try codec.decode(line).first)
        let written = codec.encode([Record(key: read.key, fields: read.fields)]).text
        #expect(written.hasPrefix(line + " satchel:\(read.key.id)/"), "\(written)")
    }

    @Test("a day is the same in every time zone; a stored time is written as the day of the user's time zone")
    func zone() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let codec = FormatCodec(.todotxt, timeZone: zone, types: .standard)
        let read = try #require(try codec.decode("a due:2026-07-01").first)
        #expect(read.fields["due"] == "2026-07-01")
        for due in ["2026-07-01", "2026-06-30T22:00:00Z", "2026-07-01T21:59:59Z"] as [JSONValue] {
            let record = Record(key: read.key, fields: read.fields.adding(["due": due]))
            #expect(codec.encode([record]).text.hasPrefix("a due:2026-07-01 "))
        }
    }

    @Test(
        "a line without a record's name is recognized after it is done, deferred or prioritised; equal lines stay two"
    )
    func identity() throws {
        let ids = try codec.decode("2026-01-01 a\n(A) 2026-01-01 a due:2026-02-01\n").map(\.key.id)
        #expect(Set(ids).count == 2)
        #expect(try codec.decode("x 2026-03-03 2026-01-01 a @new\n").map(\.key.id) == [ids[0]])
    }

    @Test("an invalid line is reported with line and column, and nothing is imported")
    func faults() throws {
        let error = try #require(throws: ImportError.self) {
            try codec.decode("fine\r\n\r\nüber due:2026-02-30 all\nx 2026-01-01\n")
        }
        #expect(
            error.problems.map(\.description) == [
                "line 3, column 6: due:2026-02-30 isn't a date; write it like 2026-11-21",
                "line 4: the task has no text",
            ])
    }
}
