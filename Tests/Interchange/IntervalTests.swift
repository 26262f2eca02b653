import Foundation
import Records
import Testing

@testable import Interchange

@Suite("Intervals of other programs")
struct IntervalTests {
    private let codec = FormatCodec(.todotxt, timeZone: .gmt, types: .standard)

    private func task(_ rule: String, _ more: JSONObject = [:]) -> Record {
        let fields: JSONObject = [
            "title": "Water", "status": "pending", "due": "2026-11-27", "repeatZone": "GMT",
            "repeat": .string(rule),
        ]
        return Record(
            key: RecordKey(collection: "tasks", id: "11111111-1111-4111-8111-111111111111"),
            fields: fields.applying(more))
    }

    @Test(
        "An interval is written as `rec:` and read again; a rule that has no such form is written as it is",
        arguments: [
            ("FREQ=WEEKLY", "rec:+1w"), ("FREQ=DAILY;INTERVAL=3", "rec:+3d"), ("FREQ=MONTHLY;INTERVAL=6", "rec:+6m"),
            ("FREQ=YEARLY", "rec:+1y"), ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "rec:+1b"),
            ("FREQ=DAILY;INTERVAL=3;X-FROM=COMPLETION", "rec:3d"),
            ("FREQ=MONTHLY;BYDAY=-1FR", "repeat:FREQ=MONTHLY;BYDAY=-1FR"),
            ("FREQ=DAILY;COUNT=5", "repeat:FREQ=DAILY;COUNT=5"), ("2w", "repeat:2w"),
        ])
    func todoTxt(rule: String, pair: String) throws {
        let document = codec.encode([task(rule)])
        #expect(document.text.contains(" \(pair) "), "\(document.text)")
        #expect(document.omissions.isEmpty)
        #expect(try codec.decode(document.text).first?.fields == task(rule).fields)
    }

    @Test(
        "An interval of another program is counted in the user's time zone; without a due date it is kept as it is",
        arguments: [
            ("due:2026-11-27 rec:2w", ["repeat": "FREQ=WEEKLY;INTERVAL=2;X-FROM=COMPLETION", "repeatZone": "GMT"]),
            ("due:2026-11-27 rec:+1b", ["repeat": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "repeatZone": "GMT"]),
            ("due:2026-11-27 rec:1001d", ["rec": "1001d"]), ("due:2026-11-27 rec:1h", ["rec": "1h"]),
            ("due:2026-11-27 rec:w", ["rec": "w"]), ("rec:+1w", ["rec": "+1w"]),
        ] as [(String, JSONObject)])
    func read(pairs: String, expected: JSONObject) throws {
        var fields = try #require(try codec.decode("Water \(pairs)").first).fields
        for name in ["title", "status", "due"] { fields[name] = nil }
        #expect(fields == expected)
    }

    @Test(
        "Taskwarrior gets its own interval of an open task, besides the rule, and reading takes the rule alone",
        arguments: [
            ("FREQ=WEEKLY", "weekly"), ("FREQ=WEEKLY;INTERVAL=2", "2weeks"), ("2w", "2weeks"),
            ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "weekdays"), ("FREQ=MONTHLY;BYDAY=-1FR", nil),
            ("FREQ=DAILY;X-FROM=COMPLETION", nil),
        ] as [(String, String?)])
    func taskwarrior(rule: String, recur: String?) throws {
        let codec = FormatCodec(.taskwarrior, timeZone: .gmt, types: .standard)
        let document = codec.encode([task(rule)])
        #expect(document.text.contains(recur.map { #""recur":"\#($0)""# } ?? #""repeat":"#))
        #expect(document.text.contains(#""recur""#) == (recur != nil))
        #expect(try codec.decode(document.text).first?.fields == task(rule).fields)
        let done = codec.encode([task(rule, ["status": "completed"])])
        #expect(!done.text.contains(#""recur""#))
    }
}
