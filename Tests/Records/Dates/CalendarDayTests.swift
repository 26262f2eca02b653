import Foundation
import Testing

@testable import Records

@Suite("Days and local times")
struct CalendarDayTests {
    @Test("Days since 1970 are counted without gaps through leap years and centuries, with their weekdays")
    func numbers() throws {
        // Not before 1582-10-15, where Foundation's calendar may be the Julian one.
        let calendar = LocalTime.calendar(in: .gmt)
        for number in stride(from: -140_000, through: 200_000, by: 997) {
            let day = CalendarDay(daysSince1970: number)
            let date = Date(timeIntervalSince1970: Double(number) * 86_400)
            #expect(day.daysSince1970 == number)
            #expect(day == CalendarDay(year: day.year, month: day.month, day: day.day))
            #expect(day.description == LocalTime.day(date, in: calendar))
            #expect(day.weekday == calendar.component(.weekday, from: date))
        }
        for year in [1900, 2000, 2026, 2028] {
            let (february, march) = (
                CalendarDay(year: year, month: 2, day: 28), CalendarDay(year: year, month: 3, day: 1)
            )
            let isLeap = CalendarDay(year: year, month: 2, day: 29) != nil
            #expect(isLeap == [2000, 2028].contains(year))
            #expect(february?.adding(days: isLeap ? 2 : 1) == march)
        }
    }

    @Test("A day has one text; other texts and days that don't exist are refused")
    func texts() throws {
        #expect(CalendarDay("2026-12-24")?.description == "2026-12-24")
        #expect(CalendarDay("0000-01-01") == .first && CalendarDay("9999-12-31") == .last)
        for text in ["2026-02-29", "2026-13-01", "2026-00-01", "2026-1-1", "20261224", "2026-12-24T00:00:00Z", ""] {
            #expect(CalendarDay(text) == nil, "\(text)")
        }
        #expect(CalendarDay.last.adding(days: 1) == .last && CalendarDay.first.adding(days: .min) == .first)
    }

    @Test(
        "A local time that clocks skip has the offset before the change; of two equal ones it is the first",
        arguments: [
            ("2027-03-28T02:30:00", "Europe/Berlin", "2027-03-28T01:30:00Z"),
            ("2027-03-28T03:00:00", "Europe/Berlin", "2027-03-28T01:00:00Z"),
            ("2027-10-31T02:30:00", "Europe/Berlin", "2027-10-31T00:30:00Z"),
            ("2027-10-31T03:00:00", "Europe/Berlin", "2027-10-31T02:00:00Z"),
            ("2026-11-01T01:30:00", "America/New_York", "2026-11-01T05:30:00Z"),
            ("2026-10-04T02:15:00", "Australia/Lord_Howe", "2026-10-03T15:45:00Z"),
            // Samoa had no 30 December 2011.
            ("2011-12-30T12:00:00", "Pacific/Apia", "2011-12-30T22:00:00Z"),
            ("2026-07-01", "GMT", "2026-07-01T00:00:00Z"),
        ])
    func moments(local: String, zone: String, moment: String) throws {
        let (time, zone) = (try #require(LocalDateTime(local)), try #require(TimeZone(identifier: zone)))
        #expect(time.moment(in: zone).description == moment)
        #expect(time.description == local)
    }

    @Test("The local time of a moment is what clocks show then")
    func local() throws {
        let zone = try #require(TimeZone(identifier: "America/New_York"))
        let moment = try #require(Timestamp("1969-12-31T04:59:59Z"))
        #expect(LocalDateTime(moment, in: zone).description == "1969-12-30T23:59:59")
        for text in ["2026-12-24T24:00:00", "2026-12-24T23:59:60", "2026-12-24T15:00", "2026-12-24T", "x"] {
            #expect(LocalDateTime(text) == nil, "\(text)")
        }
    }
}
