import Foundation
import Records
import Testing

@Suite("Dates as users type them")
struct DateExpressionTests {
    /// Saturday, 21 November 2026, 10:30:15 in Berlin (UTC+1).
    static let now = "2026-11-21T09:30:15Z"

    static func context(_ now: String = now, zone: String = "Europe/Berlin") throws -> DateExpression.Context {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        calendar.firstWeekday = 2
        return DateExpression.Context(now: try #require(Timestamp(now)).date, calendar: calendar)
    }

    @Test(
        "days are their start in the time zone",
        arguments: [
            ("today", "2026-11-20T23:00:00Z"), ("tomorrow", "2026-11-21T23:00:00Z"),
            ("Yesterday", "2026-11-19T23:00:00Z"),
            ("sod", "2026-11-20T23:00:00Z"), ("mon", "2026-11-22T23:00:00Z"), ("friday", "2026-11-26T23:00:00Z"),
            ("saturday", "2026-11-27T23:00:00Z"), ("next friday", "2026-11-26T23:00:00Z"),
            ("this sun", "2026-11-21T23:00:00Z"),
            ("thurs", "2026-11-25T23:00:00Z"), ("2026-12-24", "2026-12-23T23:00:00Z"),
            ("2026-07-01", "2026-06-30T22:00:00Z"),
            ("sow", "2026-11-15T23:00:00Z"), ("som", "2026-10-31T23:00:00Z"), ("soy", "2025-12-31T23:00:00Z"),
            ("next week", "2026-11-22T23:00:00Z"), ("next month", "2026-11-30T23:00:00Z"),
            ("next year", "2026-12-31T23:00:00Z"), ("next day", "2026-11-21T23:00:00Z"),
            ("eod", "2026-11-20T23:00:00Z"), ("eow", "2026-11-21T23:00:00Z"), ("eom", "2026-11-29T23:00:00Z"),
            ("eoy", "2026-12-30T23:00:00Z"), ("end of month", "2026-11-29T23:00:00Z"),
            ("end of day", "2026-11-20T23:00:00Z"), ("last friday of month", "2026-11-26T23:00:00Z"),
            ("weekend", "2026-11-20T23:00:00Z"), ("next weekend", "2026-11-27T23:00:00Z"),
            ("2024-02-29", "2024-02-28T23:00:00Z"), ("20261224", "2026-12-23T23:00:00Z"),
            ("2026-W47-6", "2026-11-20T23:00:00Z"), ("2026-W48", "2026-11-22T23:00:00Z"),
            ("2026W471", "2026-11-15T23:00:00Z"), ("2027-W53-7", nil),
            ("3d", "2026-11-23T23:00:00Z"), ("+2w", "2026-12-04T23:00:00Z"), ("-2d", "2026-11-18T23:00:00Z"),
            ("in 3 days", "2026-11-23T23:00:00Z"), ("in 2w", "2026-12-04T23:00:00Z"),
            ("3 days", "2026-11-23T23:00:00Z"),
            ("2 weeks ago", "2026-11-06T23:00:00Z"), ("1mo", "2026-12-20T23:00:00Z"), ("1y", "2027-11-20T23:00:00Z"),
            ("start of month", "2026-10-31T23:00:00Z"), ("beginning of week", "2026-11-15T23:00:00Z"),
            ("27 nov", "2026-11-26T23:00:00Z"), ("Nov 27", "2026-11-26T23:00:00Z"),
            ("Fri 27 Nov", "2026-11-26T23:00:00Z"),
            ("21 november", "2026-11-20T23:00:00Z"), ("20 nov", "2027-11-19T23:00:00Z"),
            ("4 Jan 2027", "2027-01-03T23:00:00Z"), ("Mon 4 Jan 2027", "2027-01-03T23:00:00Z"),
            ("29 feb", "2028-02-28T23:00:00Z"), ("on friday", "2026-11-26T23:00:00Z"),
        ] as [(String, String?)])
    func days(text: String, expected: String?) throws {
        let date = try? DateExpression(text, in: Self.context())
        #expect(date?.moment.description == expected)
        #expect(date?.isDay ?? true)
    }

    @Test(
        "times and durations are points in time",
        arguments: [
            ("now", "2026-11-21T09:30:15Z"), ("15:00", "2026-11-21T14:00:00Z"), ("9:05:30", "2026-11-21T08:05:30Z"),
            ("3pm", "2026-11-21T14:00:00Z"), ("12am", "2026-11-20T23:00:00Z"), ("12:30pm", "2026-11-21T11:30:00Z"),
            ("tomorrow 15:00", "2026-11-22T14:00:00Z"), ("next friday at 9am", "2026-11-27T08:00:00Z"),
            ("2026-12-24 18:00", "2026-12-24T17:00:00Z"), ("2026-12-24T18:00", "2026-12-24T17:00:00Z"),
            ("2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"), ("2026-12-24T18:00:00+05:30", "2026-12-24T12:30:00Z"),
            ("2026-12-24T18:00Z", "2026-12-24T18:00:00Z"), ("2026-12-24T18:00+05:30", "2026-12-24T12:30:00Z"),
            ("20261224T180000Z", "2026-12-24T18:00:00Z"), ("-1h", "2026-11-21T08:30:15Z"),
            ("30min", "2026-11-21T10:00:15Z"), ("in 2 hours", "2026-11-21T11:30:15Z"),
            ("1h ago", "2026-11-21T08:30:15Z"),
            ("friday 3pm", "2026-11-27T14:00:00Z"), ("friday 3 pm", "2026-11-27T14:00:00Z"),
            ("noon", "2026-11-21T11:00:00Z"), ("tomorrow noon", "2026-11-22T11:00:00Z"),
            ("in 3 days 15:00", "2026-11-24T14:00:00Z"), ("3d at 9am", "2026-11-24T08:00:00Z"),
            ("Fri 27 Nov 15:00", "2026-11-27T14:00:00Z"), ("next month 8:00", "2026-12-01T07:00:00Z"),
            ("eod 18:00", "2026-11-21T17:00:00Z"), ("15:00 tomorrow", "2026-11-22T14:00:00Z"),
        ])
    func moments(text: String, expected: String) throws {
        let date = try DateExpression(text, in: Self.context())
        #expect(date.moment.description == expected)
        #expect(!date.isDay)
    }

    @Test(
        "an invalid date is refused",
        arguments: [
            "", " ", "foo", "2026-02-30", "2026-13-01", "2025-02-29", "26-11-21", "2026-1-1", "25:00", "12:60", "13pm",
            "0am",
            "now 15:00", "2h 15:00", "in", "in 3", "3", "+d", "next", "next hour", "99999999d", "5 5", "mo",
            "2026-11-21x", "sixday", "1:2:3:4", "3m", "2026-W54", "2026-W47-8", "2026-1121", "30 feb", "31 nov",
            "thu 27 nov",
            "27 nov 26", "nov", "end of hour", "middle of week", "in 3 days ago", "at", "at 25", "pm", "on",
        ])
    func refused(text: String) throws {
        let context = try Self.context()
        #expect(throws: DateError.self) { try DateExpression(text, in: context) }
    }

    @Test("the message names the nearest word and the possible forms")
    func message() throws {
        let context = try Self.context()
        let error = try #require(throws: DateError.self) { try DateExpression("tomorow", in: context) }
        #expect(error.description.contains("Did you mean “tomorrow”?"))
        #expect(error.description.contains("2026-12-24 (`help dates`)"))
    }

    @Test("an ambiguity of minutes and months is refused; the message names both")
    func minutesOrMonths() throws {
        let context = try Self.context()
        let error = try #require(throws: DateError.self) { try DateExpression("+3m", in: context) }
        #expect(error.description == "“+3m” could be minutes or months. Write +3min or +3mo.")
    }

    @Test("of another calendar, its time zone and first weekday are used, not its years")
    func otherCalendar() throws {
        var calendar = Calendar(identifier: .buddhist)
        calendar.timeZone = .gmt
        calendar.firstWeekday = 1
        let context = DateExpression.Context(now: try #require(Timestamp(Self.now)).date, calendar: calendar)
        #expect(try DateExpression("2026-12-24", in: context).moment.description == "2026-12-24T00:00:00Z")
        #expect(try DateExpression("sow", in: context).moment.description == "2026-11-15T00:00:00Z")
    }
}
