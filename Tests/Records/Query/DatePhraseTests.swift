import Foundation
import Records
import Testing

/// The phrases that people tried, typed on Sunday, 22 November 2026, 03:43.
@Suite("Dates that people type")
struct DatePhraseTests {
    private static func context(_ zone: String = "UTC") throws -> DateExpression.Context {
        try DateExpressionTests.context("2026-11-22T03:43:00Z", zone: zone)
    }

    @Test(
        "days",
        arguments: [
            ("in 2 days", "2026-11-24"), ("in 3 weeks", "2026-12-13"), ("2d", "2026-11-24"), ("+2d", "2026-11-24"),
            ("mon", "2026-11-23"), ("monday", "2026-11-23"), ("next monday", "2026-11-23"),
            ("this friday", "2026-11-27"), ("jan 3", "2027-01-03"), ("3 jan", "2027-01-03"), ("eod", "2026-11-22"),
            ("eow", "2026-11-22"), ("eom", "2026-11-30"), ("eoy", "2026-12-31"), ("end of month", "2026-11-30"),
            ("2026-W50", "2026-12-07"), ("next week", "2026-11-23"), ("next month", "2026-12-01"),
            ("next year", "2027-01-01"), ("next quarter", "2027-01-01"), ("sow", "2026-11-16"),
            ("january 3rd", "2027-01-03"), ("3rd of june", "2027-06-03"), ("15th", "2026-12-15"),
            ("24th", "2026-11-24"), ("the 22nd", "2026-11-22"), ("31st", "2026-12-31"), ("mon 23rd", "2026-11-23"),
            ("1/15", "2027-01-15"), ("15/1/2027", "2027-01-15"), ("15.1.", "2027-01-15"), ("15.1", "2027-01-15"),
            ("24.12.2026", "2026-12-24"), ("1.5.", "2027-05-01"), ("5/5", "2027-05-05"), ("2026/12/24", "2026-12-24"),
            ("29/2", "2028-02-29"), ("eoq", "2026-12-31"), ("soq", "2026-10-01"), ("someday", "9999-12-30"),
            ("later", "9999-12-30"), ("weekend", "2026-11-22"), ("this weekend", "2026-11-22"),
            ("next weekend", "2026-11-28"), ("a week from friday", "2026-12-04"), ("a week from now", "2026-11-29"),
            ("2 days before easter", "2027-03-26"), ("wed next week", "2026-11-25"), ("next week wed", "2026-11-25"),
            ("monday in 2 weeks", "2026-12-07"), ("sunday in a week", "2026-11-29"),
            ("first monday of december", "2026-12-07"), ("first monday of november", "2027-11-01"),
            ("2nd tuesday of june 2027", "2027-06-08"), ("last friday of month", "2026-11-27"),
            ("last friday of next month", "2026-12-25"), ("first friday of month", "2026-12-04"),
            ("first friday of this month", "2026-11-06"), ("5th sunday of month", "2026-11-29"),
            ("5th monday of month", "2026-11-30"), ("last day of month", "2026-11-30"),
            ("last day of the month", "2026-11-30"), ("last day of february", "2027-02-28"),
            ("first day of next month", "2026-12-01"), ("15th of next month", "2026-12-15"),
            ("end of next month", "2026-12-31"), ("end of december", "2026-12-31"), ("end of week", "2026-11-22"),
            ("easter", "2027-03-28"), ("easter 2026", "2026-04-05"), ("good friday", "2027-03-26"),
            ("easter monday", "2027-03-29"), ("eom-3d", "2026-11-27"), ("tomorrow+1w", "2026-11-30"),
            ("in two weeks", "2026-12-06"), ("in twelve days", "2026-12-04"), ("a month ago", "2026-10-22"),
        ])
    func days(text: String, day: String) throws {
        for zone in ["UTC", "Europe/Berlin"] {
            let context = try Self.context(zone)
            let date = try DateExpression(text, in: context, past: .nextDay)
            let start = try DateExpression(day, in: context).moment
            #expect(date.moment == start, "\(zone)")
            #expect(date.isDay, "\(zone)")
        }
    }

    @Test(
        "times",
        arguments: [
            ("tomorrow at 17", "2026-11-23T17:00"), ("at 0 tomorrow", "2026-11-23T00:00"),
            ("tomorrow 5pm", "2026-11-23T17:00"), ("tomorrow at 5pm", "2026-11-23T17:00"),
            ("today at 17:00", "2026-11-22T17:00"), ("17:00", "2026-11-22T17:00"), ("5pm", "2026-11-22T17:00"),
            ("5:30pm", "2026-11-22T17:30"), ("noon", "2026-11-22T12:00"), ("fri 9am", "2026-11-27T09:00"),
            ("dec 24 18:00", "2026-12-24T18:00"), ("2027-01-15 09:30", "2027-01-15T09:30"),
            ("in 90 minutes", "2026-11-22T05:13"), ("+90min", "2026-11-22T05:13"), ("3am", "2026-11-23T03:00"),
            ("today 3am", "2026-11-22T03:00"), ("at 3am", "2026-11-23T03:00"), ("5pm tomorrow", "2026-11-23T17:00"),
            ("5 pm tomorrow", "2026-11-23T17:00"), ("at noon on friday", "2026-11-27T12:00"),
            ("tonight", "2026-11-22T20:00"), ("tonight at 11pm", "2026-11-22T23:00"),
            ("8pm tonight", "2026-11-22T20:00"), ("tomorrow morning", "2026-11-23T09:00"),
            ("this afternoon", "2026-11-22T15:00"), ("friday evening", "2026-11-27T18:00"),
            ("tomorrow in the morning", "2026-11-23T09:00"), ("morning", "2026-11-22T09:00"),
            ("evening", "2026-11-22T18:00"), ("in an hour", "2026-11-22T04:43"),
            ("in half an hour", "2026-11-22T04:13"),
            ("an hour from now", "2026-11-22T04:43"), ("midnight", "2026-11-23T00:00"),
            ("midnight tonight", "2026-11-23T00:00"), ("tomorrow+2h", "2026-11-23T02:00"),
            ("first monday of december 9am", "2026-12-07T09:00"), ("15.1. 9:00", "2027-01-15T09:00"),
            ("now+2h", "2026-11-22T05:43"), ("noon+30min", "2026-11-22T12:30"),
        ])
    func times(text: String, moment: String) throws {
        let context = try Self.context()
        let date = try DateExpression(text, in: context, past: .nextDay)
        let expected = try DateExpression(moment, in: context).moment
        #expect(date.moment == expected)
        #expect(!date.isDay)
    }

    @Test(
        "a past time without a day means today's where that is allowed",
        arguments: [("3am", "2026-11-22T03:00:00Z"), ("midnight", "2026-11-23T00:00:00Z")])
    func pastTimes(text: String, moment: String) throws {
        #expect(try DateExpression(text, in: Self.context()).moment.description == moment)
    }

    @Test(
        "a date with two meanings is refused with both",
        arguments: [
            ("1/5", "“1/5” could be 1 May or 5 January. Write 1 may, 5 jan or 2027-01-05."),
            (
                "1/5/2027 5pm",
                "“1/5/2027” could be 1 May 2027 or 5 January 2027. Write 1 may 2027, 5 jan 2027 or 2027-01-05."
            ),
            ("5m", "“5m” could be minutes or months. Write 5min or 5mo."),
            ("in 5m", "“5m” could be minutes or months. Write 5min or 5mo."),
            ("friday at 5", "“5” could be 05:00 or 17:00. Write 5am or 5pm."),
            ("at 12 tomorrow", "“12” could be 00:00 or 12:00. Write 12am or 12pm."),
            ("friday midnight", "“midnight” could be the beginning or the end of the day. Write 00:00 or 23:59."),
        ])
    func ambiguities(text: String, message: String) throws {
        let context = try Self.context()
        let error = try #require(throws: DateError.self) { try DateExpression(text, in: context) }
        #expect(error.description == message)
    }

    @Test(
        "other texts are refused, with a similar one that is a date",
        arguments: [
            ("tomorow", "tomorrow"), ("tomorow 5pm", "tomorrow 5pm"),
            ("januery 3rd", "january 3rd"), ("none", nil), ("whenever", nil), ("friday 3", nil), ("3 eggs", nil),
            ("friday the", nil), ("at", nil), ("the", nil), ("0th", nil), ("32nd", nil), ("3th", nil), ("31/2", nil),
            ("30.2.", nil), ("15.1.27", nil), ("29/2/2027", nil), ("1.5.x", nil), ("tue 23rd", nil),
            ("5th friday of february 2027", nil), ("last friday", nil), ("easter 27", nil), ("+2h+", nil),
            ("tonight 3am", nil), ("now 5pm", nil), ("5pm now", nil), ("5pm 6pm", nil), ("a week from", nil),
            ("this week", nil), ("first of", nil), ("of december", nil), ("midnight snack", nil),
        ] as [(String, String?)])
    func refused(text: String, nearest: String?) throws {
        let context = try Self.context()
        let error = try #require(throws: DateError.self) { try DateExpression(text, in: context) }
        let suggestion = nearest.map { " Did you mean “\($0)”?" } ?? ""
        let forms = "Write one like tomorrow, \"friday 15:00\", +3d, eow or 2026-12-24 (`help dates`)."
        if nearest != nil { #expect(error.description == "Can't read “\(text)” as a date.\(suggestion) \(forms)") }
        #expect(error.description.hasPrefix("Can't read “\(text)” as a date."))
        #expect(error.description.hasSuffix(forms))
    }

    @Test("a long text is refused")
    func long() throws {
        let context = try Self.context()
        let text = "today" + String(repeating: "+1d", count: 100_000)
        #expect(throws: DateError.self) { try DateExpression(text, in: context) }
    }

    @Test("completion offers words that are dates")
    func offered() throws {
        let context = try Self.context()
        let due = try #require(RecordTypes.standard.catalog["due"])
        #expect(Set(due.completions).isSuperset(of: ["tonight", "weekend", "eoq", "someday"]))
        for word in due.completions { #expect(throws: Never.self) { try DateExpression(word, in: context) } }
    }
}
