import Testing

@testable import Records

@Suite("Repeat intervals")
struct RepeatTests {
    @Test(
        "Typed intervals have one canonical form, which is parsed as itself",
        arguments: [
            ("daily", "daily"), ("every day", "daily"), ("1d", "daily"), ("D", "daily"), ("weekly", "weekly"),
            ("7d", "7d"), ("every 2 weeks", "2w"), ("2 weeks", "2w"), ("2w", "2w"), ("biweekly", "2w"),
            ("every other week", "2w"), ("Fortnightly", "2w"), ("monthly", "monthly"), ("1mo", "monthly"),
            ("quarterly", "3mo"), ("6 months", "6mo"), ("yearly", "yearly"), ("annually", "yearly"), ("2y", "2y"),
            ("weekdays", "weekdays"), ("every weekday", "weekdays"), ("1000d", "1000d"),
        ])
    func forms(typed: String, canonical: String) throws {
        let rule = try #require(Repeat(typed))
        #expect(rule.description == canonical)
        #expect(Repeat(canonical) == rule)
    }

    @Test(
        "The words for an interval are parsed as the same interval",
        arguments: [
            ("2w", "every 2 weeks"), ("weekly", "weekly"), ("7d", "every 7 days"), ("3mo", "every 3 months"),
            ("2y", "every 2 years"), ("weekdays", "weekdays"),
        ])
    func words(canonical: String, words: String) throws {
        #expect(try #require(Repeat(canonical)).words == words)
        #expect(Repeat(words)?.description == canonical)
    }

    @Test(
        "Other texts are refused",
        arguments: ["", "every", "soon", "0d", "-2w", "1001d", "2h", "30min", "2 weekdays", "every 2 blue weeks", "2"])
    func refused(typed: String) { #expect(Repeat(typed) == nil) }

    private func next(_ rule: String, _ first: String, after: String? = nil, zone: String = "Europe/Berlin") -> String?
    {
        guard let rule = Repeat(rule), let first = Timestamp(first) else { return nil }
        let moment = after.flatMap { Timestamp($0) } ?? first
        return Occurrences(rule, from: first, zone: zone).next(after: moment)?.description
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
        // 02:30 doesn't exist on 28 March; it does on the 29th.
        #expect(next("daily", "2027-03-27T01:30:00Z") == "2027-03-28T01:30:00Z")
        #expect(next("daily", "2027-03-27T01:30:00Z", after: "2027-03-28T01:30:00Z") == "2027-03-29T00:30:00Z")
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
        ] {
            let series = Occurrences(
                try #require(Repeat(rule)), from: try #require(Timestamp(first)), zone: "Europe/Berlin")
            var moment = series.first
            for _ in 0..<100 {
                #expect(series.contains(moment))
                #expect(!series.contains(Timestamp(seconds: moment.seconds + 1)))
                let next = try #require(series.next(after: moment))
                #expect(next > moment)
                moment = next
            }
        }
        #expect(
            next("daily", "2026-01-01T00:00:00Z", after: "9998-12-31T00:00:00Z", zone: "GMT") == "9999-01-01T00:00:00Z")
        #expect(next("1000y", "9500-01-01T00:00:00Z", zone: "GMT") == nil)
    }
}
