import Foundation
import Records
import Testing

@Suite("Dates in time zones")
struct DateZonesTests {
    /// A date as it is typed in a zone at a time, and its meaning.
    struct Case: CustomTestStringConvertible {
        let zone: String
        let now: String
        let text: String
        let moment: String
        var testDescription: String { "\(zone) at \(now): \(text)" }

        init(_ zone: String, _ now: String, _ text: String, _ moment: String) {
            (self.zone, self.now, self.text, self.moment) = (zone, now, text, moment)
        }
    }

    @Test(
        "days and times are those of the zone, whatever its clocks do",
        arguments: [
            // Berlin: forward on 29 March 2026, 02:00; back on 25 October, 03:00.
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "tomorrow", "2026-03-28T23:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "monday", "2026-03-29T22:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "2d", "2026-03-29T22:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "24h", "2026-03-29T11:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "tomorrow 02:30", "2026-03-29T01:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "tomorrow 03:30", "2026-03-29T01:30:00Z"),
            Case("Europe/Berlin", "2026-10-24T10:00:00Z", "tomorrow 02:30", "2026-10-25T00:30:00Z"),
            Case("Europe/Berlin", "2026-10-24T10:00:00Z", "tomorrow 03:00", "2026-10-25T02:00:00Z"),
            Case("Europe/Berlin", "2026-10-24T10:00:00Z", "tomorrow noon", "2026-10-25T11:00:00Z"),
            Case("Europe/Berlin", "2026-10-25T10:00:00Z", "eod", "2026-10-24T22:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "tomorrow+2h", "2026-03-29T01:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "tomorrow+1d", "2026-03-29T22:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "midnight", "2026-03-28T23:00:00Z"),
            Case("Europe/Berlin", "2026-03-28T11:00:00Z", "monday in 2 weeks", "2026-04-12T22:00:00Z"),
            Case("Europe/Berlin", "2026-10-24T10:00:00Z", "5pm tomorrow", "2026-10-25T16:00:00Z"),
            Case("Europe/Berlin", "2026-10-24T10:00:00Z", "last day of month", "2026-10-30T23:00:00Z"),
            Case("Europe/Berlin", "2026-10-24T10:00:00Z", "easter", "2027-03-27T23:00:00Z"),
            // New York: forward on 8 March 2026, back on 1 November, both at 02:00.
            Case("America/New_York", "2026-03-07T12:00:00Z", "tomorrow 2:15", "2026-03-08T07:00:00Z"),
            Case("America/New_York", "2026-10-31T12:00:00Z", "tomorrow 1:30am", "2026-11-01T05:30:00Z"),
            Case("America/New_York", "2026-11-21T03:00:00Z", "today", "2026-11-20T05:00:00Z"),
            Case("Asia/Kolkata", "2026-11-21T19:00:00Z", "today", "2026-11-21T18:30:00Z"),
            Case("Asia/Kolkata", "2026-11-21T19:00:00Z", "15:00", "2026-11-22T09:30:00Z"),
            // Lord Howe: half an hour, forward on 4 October 2026, back on 5 April, both at 02:00.
            Case("Australia/Lord_Howe", "2026-10-03T00:00:00Z", "tomorrow 02:15", "2026-10-03T15:30:00Z"),
            Case("Australia/Lord_Howe", "2026-04-04T00:00:00Z", "tomorrow 01:45", "2026-04-04T14:45:00Z"),
            // Cairo and Beirut: forward at midnight, so that the day begins at 01:00.
            Case("Africa/Cairo", "2026-04-23T10:00:00Z", "tomorrow", "2026-04-23T22:00:00Z"),
            Case("Africa/Cairo", "2026-04-23T10:00:00Z", "tomorrow 00:30", "2026-04-23T22:00:00Z"),
            Case("Africa/Cairo", "2026-04-24T10:00:00Z", "12am", "2026-04-23T22:00:00Z"),
            Case("Africa/Cairo", "2026-04-23T10:00:00Z", "2d", "2026-04-24T21:00:00Z"),
            Case("Asia/Beirut", "2026-03-28T10:00:00Z", "2026-03-29", "2026-03-28T22:00:00Z"),
            // Apia crossed the date line: 30 December 2011 didn't exist.
            Case("Pacific/Apia", "2011-12-29T20:00:00Z", "tomorrow", "2011-12-30T10:00:00Z"),
            Case("Pacific/Apia", "2011-12-29T20:00:00Z", "31 dec", "2011-12-30T10:00:00Z"),
            Case("Pacific/Apia", "2011-12-29T20:00:00Z", "eom", "2011-12-30T10:00:00Z"),
        ])
    func zones(item: Case) throws {
        let context = try DateExpressionTests.context(item.now, zone: item.zone)
        #expect(try DateExpression(item.text, in: context).moment.description == item.moment)
    }

    @Test(
        "a filter's day has the hours of that day: 23, 24 or 25",
        arguments: [("2026-03-29", 23), ("2026-10-25", 25), ("2026-11-21", 24)])
    func dayLengths(day: String, hours: Int64) throws {
        let context = try DateExpressionTests.context()
        let start = try DateExpression(day, in: context).moment
        let query = try Query(["due:" + day], dates: context, types: .standard)
        let isIn = { (seconds: Int64) in
            let due = Timestamp(seconds: start.seconds + seconds).description
            return query.matches(QueryRow(collection: "tasks", id: "x", fields: ["due": .string(due)]))
        }
        #expect(!isIn(-1) && isIn(0) && isIn(hours * 3_600 - 1) && !isIn(hours * 3_600))
    }
}

@Suite("Dates in words for the user")
struct DateWordsTests {
    @Test(
        "near days have names, others their date; the time is shown if it isn't the start of the day",
        arguments: [
            ("2026-11-20T23:00:00Z", "today"), ("2026-11-21T14:00:00Z", "today 15:00"),
            ("2026-11-22T14:05:00Z", "tomorrow 15:05"), ("2026-11-20T22:59:59Z", "yesterday 23:59"),
            ("2026-11-26T23:00:00Z", "Fri 27 Nov"), ("2026-11-27T08:00:00Z", "Fri 27 Nov 09:00"),
            ("2026-11-18T23:00:00Z", "Thu 19 Nov"), ("2027-01-03T23:00:00Z", "Mon 4 Jan 2027"),
            ("2026-11-21", "today"), ("2026-11-20", "yesterday"), ("2026-11-22", "tomorrow"),
            ("2026-11-27", "Fri 27 Nov"), ("2027-01-04", "Mon 4 Jan 2027"), ("0000-02-29", "Tue 29 Feb 0"),
        ])
    func words(date: String, words: String) throws {
        let date = try #require(DateValue(date))
        #expect(try DateWords(DateExpressionTests.context()).words(for: date) == words)
    }

    @Test(
        "the short form for lists is relative and at most 14 columns wide",
        arguments: [
            ("2026-11-21", "today"), ("2026-11-21T14:00:00Z", "today 15:00"), ("2026-11-21T22:59:00Z", "today"),
            ("2026-11-22", "tomorrow"), ("2026-11-22T14:05:00Z", "tomorrow 15:05"), ("2026-11-23", "Mon"),
            ("2026-11-27T08:00:00Z", "Fri 09:00"), ("2026-11-28", "28 Nov"), ("2026-12-03T16:00:00Z", "3 Dec 17:00"),
            ("2027-12-03", "3 Dec 27"), ("2027-12-03T16:00:00Z", "3 Dec 27"), ("2026-11-20", "-1d"),
            ("2026-11-20T14:00:00Z", "-1d"), ("2026-08-14", "-99d"), ("2026-08-13", "13 Aug 26"),
            ("2009-01-05", "5 Jan 09"), ("1999-12-03", "3 Dec 1999"), ("2126-12-03", "3 Dec 2126"),
        ])
    func short(date: String, words: String) throws {
        let date = try #require(DateValue(date))
        #expect(try DateWords(DateExpressionTests.context()).short(for: date) == words)
    }

    @Test(
        "in the style `iso` both forms are ISO 8601",
        arguments: [
            ("2026-11-21", "2026-11-21"), ("2026-11-20T23:00:00Z", "2026-11-21"),
            ("2026-11-20T14:00:00Z", "2026-11-20 15:00"), ("2027-12-03T16:00:00Z", "2027-12-03 17:00"),
        ])
    func iso(date: String, words: String) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let now = try #require(Timestamp(DateExpressionTests.now)).date
        let dates = DateWords(DateExpression.Context(now: now, calendar: calendar, style: .iso))
        let date = try #require(DateValue(date))
        #expect([dates.words(for: date), dates.short(for: date)] == [words, words])
    }

    @Test(
        "the words for a future time are parsed as that time",
        arguments: ["Europe/Berlin", "Africa/Cairo", "Asia/Kolkata"])
    func readAgain(zone: String) throws {
        let context = try DateExpressionTests.context("2026-03-27T09:30:15Z", zone: zone)
        let words = DateWords(context)
        let now = try #require(Timestamp("2026-03-27T09:31:00Z")).seconds
        for step in 0..<1_500 {
            // Seven hours and seven minutes apart: all hours of many days, including changes of the clocks.
            let moment = Timestamp(seconds: now + Int64(step) * 25_620)
            let shown = words.words(for: .time(moment))
            let read = try DateExpression(shown, in: context).moment
            // An hour that the clocks repeat has one name.
            #expect(read == moment || moment.seconds - read.seconds == 3_600, "\(moment): \(shown)")
        }
    }
}

@Suite("The days ahead")
struct HorizonTests {
    @Test("a due date is overdue when it is past; one without a time when its day is over")
    func overdue() throws {
        let horizon = Horizon(try DateExpressionTests.context())
        let isOverdue = { (text: String) in try horizon.isOverdue(#require(DateValue(text))) }
        #expect(try isOverdue("2026-11-21T09:30:14Z"))
        #expect(try !isOverdue("2026-11-21T09:30:15Z"))
        #expect(try !isOverdue("2026-11-20T23:00:00Z"))
        #expect(try isOverdue("2026-11-19T23:00:00Z"))
        #expect(try isOverdue("2026-11-20"))
        #expect(try !isOverdue("2026-11-21"))
    }

    @Test(
        "days are distinguished by the user's calendar, a week by its last day",
        arguments: [
            ("2026-11-17T22:59:59Z", Horizon.Day.past), ("2026-11-17T23:00:00Z", .today),
            ("2026-11-18T23:00:00Z", .tomorrow),
            ("2026-11-19T23:00:00Z", .thisWeek), ("2026-11-22T22:59:59Z", .thisWeek), ("2026-11-22T23:00:00Z", .later),
            ("2026-11-17", .past), ("2026-11-18", .today), ("2026-11-19", .tomorrow), ("2026-11-20", .thisWeek),
            ("2026-11-22", .thisWeek), ("2026-11-23", .later),
        ])
    func days(date: String, day: Horizon.Day) throws {
        // A Wednesday.
        let horizon = Horizon(try DateExpressionTests.context("2026-11-18T11:00:00Z"))
        #expect(try horizon.day(of: #require(DateValue(date))) == day)
    }
}
