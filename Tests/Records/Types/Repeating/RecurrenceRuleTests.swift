import Foundation
import Testing

@testable import Records

@Suite("Recurrence rules of RFC 5545")
struct RecurrenceRuleTests {
    @Test(
        "A rule is printed in one order, with sorted lists and without default values",
        arguments: [
            ("FREQ=DAILY", "FREQ=DAILY"), ("rrule:freq=weekly;interval=1;wkst=mo", "FREQ=WEEKLY"),
            ("INTERVAL=2;FREQ=WEEKLY;BYDAY=FR,MO,MO", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR"),
            ("FREQ=MONTHLY;BYDAY=-1FR,2MO,1TU", "FREQ=MONTHLY;BYDAY=1TU,2MO,-1FR"),
            ("FREQ=MONTHLY;BYMONTHDAY=-1,15,+1,-2", "FREQ=MONTHLY;BYMONTHDAY=1,15,-2,-1"),
            (
                "UNTIL=20261224;BYSETPOS=-1,1;BYDAY=MO;BYMONTHDAY=1;BYMONTH=12,3;FREQ=YEARLY;WKST=SU",
                "FREQ=YEARLY;BYMONTH=3,12;BYMONTHDAY=1;BYDAY=MO;BYSETPOS=1,-1;WKST=SU;UNTIL=20261224"
            ), ("FREQ=DAILY;UNTIL=20261224T150000Z", "FREQ=DAILY;UNTIL=20261224T150000Z"),
            ("FREQ=DAILY;COUNT=10", "FREQ=DAILY;COUNT=10"),
        ])
    func canonical(text: String, canonical: String) throws {
        let rule = try RecurrenceRule(parsing: text)
        #expect(rule.description == canonical)
        #expect(try RecurrenceRule(parsing: canonical) == rule)
    }

    @Test(
        "An error names the part that is wrong",
        arguments: [
            ("INTERVAL=2", "", "needs FREQ"), ("", "", "NAME=VALUE"), ("FREQ=DAILY;", "", "NAME=VALUE"),
            ("FREQ=OFTEN", "FREQ=OFTEN", "the frequency"), ("FREQ=HOURLY", "FREQ=HOURLY", "at most daily"),
            ("FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY", "twice"), ("FREQ=DAILY;BYWEEKNO=3", "BYWEEKNO=3", "isn't one of"),
            ("FREQ=DAILY;INTERVAL=0", "INTERVAL=0", "1 to 1000"),
            ("FREQ=DAILY;INTERVAL=1001", "INTERVAL=1001", "1 to 1000"),
            ("FREQ=DAILY;INTERVAL=x", "INTERVAL=x", "isn't a number"),
            ("FREQ=DAILY;COUNT=10001", "COUNT=10001", "1 to 10000"),
            ("FREQ=DAILY;COUNT=2;UNTIL=20261224", "UNTIL=20261224", "COUNT"),
            ("FREQ=DAILY;UNTIL=20260230", "UNTIL=20260230", "must be a day"),
            ("FREQ=DAILY;UNTIL=20261224T150000", "UNTIL=20261224T150000", "in UTC"),
            ("FREQ=DAILY;BYMONTH=13", "BYMONTH=13", "1 to 12"), ("FREQ=DAILY;BYMONTH=-1", "BYMONTH=-1", "1 to 12"),
            ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY=0", "1 to 31"),
            ("FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY=1", "need FREQ"),
            ("FREQ=WEEKLY;BYDAY=1MO", "BYDAY=1MO", "needs FREQ"), ("FREQ=MONTHLY;BYDAY=0MO", "BYDAY=0MO", "weekday"),
            ("FREQ=YEARLY;BYDAY=54MO", "BYDAY=54MO", "1 to 53"), ("FREQ=MONTHLY;BYDAY=M", "BYDAY=M", "weekday"),
            ("FREQ=DAILY;BYSETPOS=1", "BYSETPOS=1", "need BYDAY"), ("FREQ=DAILY;WKST=XX", "WKST=XX", "first day"),
            (
                "FREQ=YEARLY;BYMONTH=1;BYSETPOS=" + (1...63).map(String.init).joined(separator: ","), "BYSETPOS",
                "at most 62"
            ), ("FREQ=DAILY;BYMONTH=" + String(repeating: "1,", count: 500) + "1", "", "at most 1000 bytes"),
        ])
    func errors(text: String, part: String, reason: String) throws {
        let error = try #require(throws: RecurrenceError.self) { try RecurrenceRule(parsing: text) }
        #expect(error.part == part.uppercased())
        #expect(error.description.contains(reason), "\(error)")
    }

    // MARK: Occurrences

    /// A row of dateutil.json, which Tests/recurrence --write-table writes.
    private struct Row: Decodable {
        let rule: String
        let start: String
        let zone: String
        let before: String
        let times: [String]
        let moments: [Int64]
    }

    @Test("The first occurrences within ten years are those of python-dateutil")
    func table() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "dateutil.json")
        let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: file))
        #expect(rows.count == 300)
        for row in rows {
            let rule = try RecurrenceRule(parsing: row.rule)
            let start = try #require(LocalDateTime(row.start))
            let zone = try #require(TimeZone(identifier: row.zone))
            let before = try #require(CalendarDay(row.before))
            let times = rule.occurrences(from: start, in: zone).prefix(12).prefix { $0.day < before }
            #expect(times.map(\.description) == row.times, "\(row.rule) from \(row.start)")
            #expect(times.map { $0.moment(in: zone).seconds } == row.moments, "\(row.rule) from \(row.start)")
        }
    }

    private func days(_ rule: String, from start: String, notBefore: String? = nil) throws -> [String] {
        let start = try #require(CalendarDay(start))
        let later = notBefore.flatMap { CalendarDay($0) }
        return RecurrenceDays(try RecurrenceRule(parsing: rule), from: start, notBefore: later).prefix(4)
            .map(\.description)
    }

    @Test(
        "A rule without occurrences ends", arguments: ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYDAY=6MO"])
    func never(rule: String) throws { #expect(try days(rule, from: "2026-01-01") == []) }

    @Test("A rule with rare occurrences has all of them until the year 9999")
    func rare() throws {
        let rule = "FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29"
        #expect(try days(rule, from: "2000-01-01") == ["2000-02-29", "4000-02-29", "6000-02-29", "8000-02-29"])
        #expect(try days("FREQ=YEARLY;INTERVAL=400", from: "9500-01-01") == ["9500-01-01", "9900-01-01"])
    }

    @Test("BYDAY with and without numbers in one rule is the union, as in RFC 5545")
    func union() throws {
        let found = try days("FREQ=MONTHLY;BYDAY=MO,-1FR", from: "2026-11-20")
        #expect(found == ["2026-11-23", "2026-11-27", "2026-11-30", "2026-12-07"])
    }

    @Test(
        "Beginning later leaves out the earlier ones, and no other",
        arguments: [
            "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,WE;WKST=SU", "FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR",
            "FREQ=YEARLY;INTERVAL=2;BYMONTH=2,8;BYMONTHDAY=-1", "FREQ=WEEKLY;BYDAY=MO;COUNT=300",
        ])
    func later(rule: String) throws {
        let parsed = try RecurrenceRule(parsing: rule)
        let start = try #require(CalendarDay("2026-11-18"))
        let all = Array(RecurrenceDays(parsed, from: start).prefix(400))
        for offset in stride(from: 0, to: 1_000, by: 37) {
            let day = start.adding(days: offset)
            let expected = all.first { $0 >= day }
            var days = RecurrenceDays(parsed, from: start, notBefore: day)
            #expect(days.next() == expected, "\(rule) from \(day)")
        }
    }

    @Test("UNTIL as a time is compared in the time zone; a whole day counts if it is that of the end")
    func until() throws {
        let rule = try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20261126T080000Z")
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        for (start, last) in [
            ("2026-11-24T09:00:00", "2026-11-26T09:00:00"), ("2026-11-24T09:00:01", "2026-11-25T09:00:01"),
            ("2026-11-24", "2026-11-26"),
        ] {
            let times = Array(rule.occurrences(from: try #require(LocalDateTime(start)), in: zone))
            #expect(times.last?.description == last)
        }
    }
}
