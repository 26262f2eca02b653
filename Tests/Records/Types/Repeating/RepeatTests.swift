import Foundation
import Testing

@testable import Records

@Suite("Repeat intervals")
struct RepeatTests {
    @Test(
        "Typed forms have one rule, which is what is stored",
        arguments: [
            ("daily", "FREQ=DAILY"), ("every day", "FREQ=DAILY"), ("1d", "FREQ=DAILY"), ("D", "FREQ=DAILY"),
            ("weekly", "FREQ=WEEKLY"), ("7d", "FREQ=DAILY;INTERVAL=7"), ("every 2 weeks", "FREQ=WEEKLY;INTERVAL=2"),
            ("2 weeks", "FREQ=WEEKLY;INTERVAL=2"), ("2w", "FREQ=WEEKLY;INTERVAL=2"),
            ("biweekly", "FREQ=WEEKLY;INTERVAL=2"), ("every other week", "FREQ=WEEKLY;INTERVAL=2"),
            ("Fortnightly", "FREQ=WEEKLY;INTERVAL=2"), ("monthly", "FREQ=MONTHLY"), ("1mo", "FREQ=MONTHLY"),
            ("every other month", "FREQ=MONTHLY;INTERVAL=2"), ("quarterly", "FREQ=MONTHLY;INTERVAL=3"),
            ("6 months", "FREQ=MONTHLY;INTERVAL=6"), ("yearly", "FREQ=YEARLY"), ("annually", "FREQ=YEARLY"),
            ("2y", "FREQ=YEARLY;INTERVAL=2"), ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), ("weekends", "FREQ=WEEKLY;BYDAY=SA,SU"),
            ("1000d", "FREQ=DAILY;INTERVAL=1000"), ("every monday", "FREQ=WEEKLY;BYDAY=MO"),
            ("mondays", "FREQ=WEEKLY;BYDAY=MO"), ("fri,mon,wed", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
            ("every mon and thu", "FREQ=WEEKLY;BYDAY=MO,TH"), ("every tue,thu", "FREQ=WEEKLY;BYDAY=TU,TH"),
            ("every other monday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
            ("every 2 weeks on friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"), ("first monday", "FREQ=MONTHLY;BYDAY=1MO"),
            ("last friday of the month", "FREQ=MONTHLY;BYDAY=-1FR"), ("2nd tuesday", "FREQ=MONTHLY;BYDAY=2TU"),
            ("first and third monday", "FREQ=MONTHLY;BYDAY=1MO,3MO"),
            ("every 2nd monday of the month", "FREQ=MONTHLY;BYDAY=2MO"), ("every last fri", "FREQ=MONTHLY;BYDAY=-1FR"),
            ("last weekday", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
            ("last day of the month", "FREQ=MONTHLY;BYMONTHDAY=-1"),
            ("every month on the 1st", "FREQ=MONTHLY;BYMONTHDAY=1"), ("every 15th", "FREQ=MONTHLY;BYMONTHDAY=15"),
            ("monthly on the 15th", "FREQ=MONTHLY;BYMONTHDAY=15"),
            ("1st and 15th", "FREQ=MONTHLY;BYMONTHDAY=1,15"),
            ("every 31st", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"),
            ("every 3 months on the last friday", "FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR"),
            ("every year on 3 jan", "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=3"),
            ("every january 3rd", "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=3"),
            ("29 feb", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"),
            ("4th thursday of november", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH"),
            ("every! 3 days", "FREQ=DAILY;INTERVAL=3;X-FROM=COMPLETION"),
            ("after 3 days", "FREQ=DAILY;INTERVAL=3;X-FROM=COMPLETION"),
            ("3 days after completion", "FREQ=DAILY;INTERVAL=3;X-FROM=COMPLETION"),
            ("daily for 5 times", "FREQ=DAILY;COUNT=5"), ("mon,thu 5 times", "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=5"),
            ("freq=monthly;byday=2tu", "FREQ=MONTHLY;BYDAY=2TU"),
            ("RRULE:FREQ=WEEKLY;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO"),
        ])
    func forms(typed: String, stored: String) throws {
        let value = try #require(Repeat(typed))
        #expect(value.description == stored)
        #expect(Repeat(stored) == value)
    }

    @Test(
        "The words for a rule are parsed as the same rule",
        arguments: [
            ("2w", "every 2 weeks"), ("weekly", "weekly"), ("7d", "every 7 days"), ("3mo", "every 3 months"),
            ("2y", "every 2 years"), ("weekdays", "weekdays"), ("sat,sun", "weekends"),
            ("mon,thu", "every Monday and Thursday"), ("mon,wed,fri", "every Monday, Wednesday and Friday"),
            ("every other monday", "every 2 weeks on Monday"), ("last friday", "the last Friday of each month"),
            ("first and third monday", "the first Monday and third Monday of each month"),
            ("2nd-to-last tuesday", "the 2nd-to-last Tuesday of each month"),
            ("last weekday", "the last weekday of each month"), ("last day", "the last day of each month"),
            ("FREQ=MONTHLY;BYMONTHDAY=1,-2", "the 1st and 2nd-to-last day of each month"),
            ("1st and 15th", "the 1st and 15th of each month"), ("every 31st", "the 31st of each month"),
            ("every 2 months on the 22nd", "every 2 months on the 22nd"), ("jan 3", "every 3 January"),
            ("29 feb", "every 29 February"), ("every 2 years on jan 3", "every 2 years on 3 January"),
            ("4th thursday of november", "every year on the fourth Thursday of November"),
            ("after 3 days", "3 days after completion"), ("after 1 week", "1 week after completion"),
            ("daily for 5 times", "daily, 5 times"), ("mon,thu for 1 time", "every Monday and Thursday, 1 time"),
        ])
    func words(typed: String, words: String) throws {
        let value = try #require(Repeat(typed))
        #expect(value.words == words)
        #expect(Repeat(words) == value)
    }

    @Test(
        "A rule without words is displayed as it is",
        arguments: [
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU", "FREQ=DAILY;BYMONTH=1", "FREQ=WEEKLY;UNTIL=20261224",
            "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR",
        ])
    func withoutWords(rule: String) throws { #expect(try #require(Repeat(rule)).words == rule) }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "every", "soon", "0d", "-2w", "1001d", "2h", "30min", "hourly", "2 weekdays", "every 2 blue weeks", "2",
            "every 3rd day", "monthly on monday", "weekly on the 15th", "first monday and 15th", "every january",
            "every 30 feb", "after 3 days 5 times", "every! monday", "5 times", "daily 0 times",
            "FREQ=DAILY;X-FROM=DUE", "every 2nd monday", "every third fri",
        ])
    func refused(typed: String) { #expect(Repeat(typed) == nil) }

    @Test(
        "A refusal names the reason",
        arguments: [
            ("hourly", "a task repeats at most daily"), ("FREQ=HOURLY", "in “FREQ=HOURLY”"),
            ("every 2 hours", "a task repeats at most daily"), ("1001d", "in “INTERVAL=1001”"),
            ("every 30 feb", "that month has 29 days"), ("every! monday", "only a plain interval"),
            ("FREQ=WEEKLY;BYDAY=XX", "“XX” isn't a weekday"), ("soon", nil),
            (
                "every 2nd monday",
                "it has two meanings: “every 2 weeks on monday” and “2nd monday of the month”"
            ),
        ] as [(String, String?)])
    func reasons(typed: String, reason: String?) {
        let problem = Repeat.problem(with: typed)
        #expect(reason.map { problem?.contains($0) == true } ?? (problem == nil), "\(problem ?? "no reason")")
    }

    @Test(
        "An interval has the short form that earlier versions stored; other rules have none",
        arguments: [
            ("daily", "daily"), ("3d", "3d"), ("weekly", "weekly"), ("2w", "2w"), ("monthly", "monthly"),
            ("6mo", "6mo"), ("yearly", "yearly"), ("2y", "2y"), ("weekdays", "weekdays"), ("last friday", nil),
            ("daily for 5 times", nil), ("after 3 days", nil),
        ] as [(String, String?)])
    func scriptText(typed: String, scriptText: String?) throws {
        let value = try #require(Repeat(typed))
        #expect(value.scriptText == scriptText)
        #expect(scriptText.map { Repeat($0) == value } ?? true)
    }

    @Test(
        "Lists show few letters",
        arguments: [
            ("weekly", "weekly"), ("every 2 weeks", "2w"), ("weekdays", "weekdays"), ("sat,sun", "weekends"),
            ("mon,wed,fri", "Mon, Wed, Fri"), ("every other monday", "2w Mon"), ("last friday", "last Fri"),
            ("first and third monday", "1st Mon, 3rd Mon"), ("last weekday", "last weekday"),
            ("last day", "last day"), ("1st and 15th", "1st, 15th"), ("every 31st", "31st"),
            ("every 3 months on the last friday", "3mo last Fri"), ("jan 3", "3 Jan"),
            ("4th thursday of november", "4th Thu Nov"), ("after 3 days", "3d after done"),
            ("daily for 5 times", "daily ×5"), ("FREQ=DAILY;BYMONTH=1", "FREQ=DAILY;BYMONTH=1"),
        ])
    func listText(typed: String, listText: String) throws { #expect(try #require(Repeat(typed)).listText == listText) }

    @Test("For other programs, a day that months lack becomes their last day, as here")
    func exact() throws {
        for (typed, start, rule) in [
            ("monthly", "2027-01-28", "FREQ=MONTHLY"),
            ("monthly", "2027-01-31", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"),
            ("3mo", "2027-01-29", "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=28,29;BYSETPOS=-1"),
            ("yearly", "2028-02-29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"),
            ("yearly", "2028-01-31", "FREQ=YEARLY"), ("weekly", "2028-02-29", "FREQ=WEEKLY"),
        ] {
            let day = try #require(CalendarDay(start))
            #expect(try #require(Repeat(typed)).rule(from: day).description == rule, "\(typed) from \(start)")
        }
    }

    private func next(_ rule: String, _ first: String, after: String? = nil, zone: String = "Europe/Berlin") -> String?
    {
        guard let rule = Repeat(rule), let first = Timestamp(first) else { return nil }
        let moment = after.flatMap { Timestamp($0) } ?? first
        let zone = Calendar.gregorian(in: zone).timeZone
        return RepeatSeries(rule, from: .time(first), in: zone).next(after: .time(moment))?.description
    }

    @Test("A series that begins on the 31st returns to it, in leap years as in others")
    func monthEnds() {
        let dues = ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"].map { $0 + "T10:00:00Z" }
        var last = "2027-01-31T10:00:00Z"
        for due in dues {
            #expect(next("monthly", "2027-01-31T10:00:00Z", after: last, zone: "GMT") == due)
            last = due
        }
        #expect(next("monthly", "2028-01-31T10:00:00Z", zone: "GMT") == "2028-02-29T10:00:00Z")
        #expect(next("yearly", "2028-02-29T10:00:00Z", zone: "GMT") == "2029-02-28T10:00:00Z")
        #expect(
            next("yearly", "2028-02-29T10:00:00Z", after: "2031-02-28T10:00:00Z", zone: "GMT") == "2032-02-29T10:00:00Z"
        )
        #expect(next("2mo", "2026-12-31T00:00:00Z", zone: "GMT") == "2027-02-28T00:00:00Z")
    }

    @Test("The time of day stays the local time when the clocks change and when they skip it")
    func daylightSaving() {
        // 15:00 in Berlin is 14:00Z in winter and 13:00Z in summer; the clocks change on 28 March 2027.
        #expect(next("weekly", "2027-03-26T14:00:00Z") == "2027-04-02T13:00:00Z")
        #expect(next("daily", "2027-10-30T13:00:00Z") == "2027-10-31T14:00:00Z")
        // 02:30 doesn't exist on 28 March, when clocks show 03:30 at that moment; it does on the 29th.
        #expect(next("daily", "2027-03-27T01:30:00Z") == "2027-03-28T01:30:00Z")
        #expect(next("daily", "2027-03-27T01:30:00Z", after: "2027-03-28T01:30:00Z") == "2027-03-29T00:30:00Z")
        // On 31 October it exists twice.
        #expect(next("daily", "2027-10-30T00:30:00Z") == "2027-10-31T00:30:00Z")
        #expect(next("daily", "2027-10-30T00:30:00Z", after: "2027-10-31T00:30:00Z") == "2027-11-01T01:30:00Z")
        #expect(next("weekly", "2027-03-26T14:00:00Z", zone: "Nowhere/Atall") == "2027-04-02T14:00:00Z")
    }

    @Test(
        "Weekdays skip weekends, even for a series that begins on one",
        arguments: [
            ("2026-11-26", "2026-11-27"), ("2026-11-27", "2026-11-30"), ("2026-11-28", "2026-11-30"),
            ("2026-11-29", "2026-11-30"), ("2026-11-30", "2026-12-01"),
        ])
    func weekdays(first: String, due: String) {
        #expect(next("weekdays", first + "T09:00:00Z", zone: "GMT") == due + "T09:00:00Z")
    }

    @Test("A series contains each of its times and no other, however far away")
    func membership() throws {
        for (rule, first) in [
            ("weekdays", "2026-11-28T09:00:00Z"), ("monthly", "2026-08-31T22:30:00Z"), ("3d", "2026-03-01T01:30:00Z"),
            ("last weekday", "2026-03-31T12:00:00Z"), ("daily for 200 times", "2026-03-01T01:30:00Z"),
        ] {
            let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
            var moment = try #require(Timestamp(first))
            let series = RepeatSeries(try #require(Repeat(rule)), from: .time(moment), in: zone)
            for _ in 0..<100 {
                #expect(series.contains(.time(moment)))
                #expect(!series.contains(.time(Timestamp(seconds: moment.seconds + 1))))
                guard case .time(let next, _)? = series.next(after: .time(moment)) else {
                    Issue.record("\(rule) ends at \(moment)")
                    break
                }
                #expect(next > moment)
                moment = next
            }
        }
        #expect(
            next("daily", "2026-01-01T00:00:00Z", after: "9998-12-31T00:00:00Z", zone: "GMT") == "9999-01-01T00:00:00Z")
        #expect(next("1000y", "9500-01-01T00:00:00Z", zone: "GMT") == nil)
    }

    @Test("A series of days has days, in any time zone")
    func days() throws {
        let zone = try #require(TimeZone(identifier: "Asia/Tokyo"))
        let (first, later) = (try #require(CalendarDay("2027-01-31")), try #require(CalendarDay("2027-02-28")))
        let series = RepeatSeries(try #require(Repeat("monthly")), from: .day(first), in: zone)
        #expect(series.next(after: .day(first)) == .day(later))
        #expect(series.next(after: .day(later))?.description == "2027-03-31")
        #expect(series.contains(.day(first)) && series.contains(.day(later)))
        #expect(!series.contains(.day(later.adding(days: 1))) && !series.contains(.time(later.start(in: .current))))
    }

    @Test("A number of times counts the first one, also if it doesn't match the rule")
    func count() {
        let friday = "2026-11-27T09:00:00Z"
        #expect(next("every friday 2 times", friday, zone: "GMT") == "2026-12-04T09:00:00Z")
        #expect(next("every friday 2 times", friday, after: "2026-12-04T09:00:00Z", zone: "GMT") == nil)
        #expect(next("every monday 2 times", friday, zone: "GMT") == "2026-11-30T09:00:00Z")
        #expect(next("every monday 2 times", friday, after: "2026-11-30T09:00:00Z", zone: "GMT") == nil)
        #expect(next("every monday 1 time", friday, zone: "GMT") == nil)
    }

    @Test("A filter finds an interval in today's and in former texts")
    func filter() throws {
        let rows = ["weekly", "FREQ=WEEKLY", "2w", "FREQ=WEEKLY;INTERVAL=2", "FREQ=WEEKLY;BYDAY=MO"].map {
            QueryRow(collection: "tasks", id: $0, fields: ["title": "a", "repeat": .string($0)])
        }
        for (word, ids) in [
            ("repeat:weekly", ["FREQ=WEEKLY", "weekly"]), ("repeat:every 2 weeks", ["2w", "FREQ=WEEKLY;INTERVAL=2"]),
            ("repeat:monday", ["FREQ=WEEKLY;BYDAY=MO"]), ("repeat:daily", []),
        ] {
            let query = try Query([word], dates: DateExpressionTests.context(), types: .standard, scope: .all)
            #expect(Set(query.select(from: rows).map(\.id)) == Set(ids), "\(word)")
        }
    }
}
