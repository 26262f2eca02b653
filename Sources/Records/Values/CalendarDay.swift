/// A day of the Gregorian calendar without a time zone, in text as `2026-12-24`; years 0000 to 9999.
///
/// It uses integer arithmetic only, so that days can be counted and compared without a calendar of the system.
public struct CalendarDay: Sendable, Hashable {
    /// The year: 0 to 9999.
    public let year: Int
    /// The month: 1 to 12.
    public let month: Int
    /// The day of the month: 1 to 31.
    public let day: Int

    /// The first day that has a text: `0000-01-01`.
    public static let first = CalendarDay(unchecked: 0, 1, 1)
    /// The last day that has a text: `9999-12-31`.
    public static let last = CalendarDay(unchecked: 9_999, 12, 31)

    /// The days since 1970-01-01 of the first and the last day.
    static let numbers = -719_528...2_932_896

    /// Creates a day; nil if there is no such day, or if its year is not 0 to 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
        else { return nil }
        self.init(unchecked: year, month, day)
    }

    /// Parses `2026-12-24`; nil for any other text.
    public init?(_ text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Creates the day of a number of days since 1970-01-01; one outside the years 0000 to 9999 becomes the nearest in
    /// them.
    public init(daysSince1970: Int) {
        let days = min(max(daysSince1970, Self.numbers.lowerBound), Self.numbers.upperBound)
        // The inverse of `number(year:month:day:)`.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        self.init(
            unchecked: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private init(unchecked year: Int, _ month: Int, _ day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The number of days since 1970-01-01; negative before.
    public var daysSince1970: Int { Self.number(year: year, month: month, day: day) }

    /// The day of the week: 1 is Sunday and 7 is Saturday, as in Foundation.
    public var weekday: Int {
        // 1970-01-01 was a Thursday.
        let sinceSunday = (daysSince1970 + 4) % 7
        return (sinceSunday < 0 ? sinceSunday + 7 : sinceSunday) + 1
    }

    /// Returns the day that is a number of days later, or earlier for a negative number; outside the years 0000 to
    /// 9999, the nearest day in them.
    public func adding(days: Int) -> CalendarDay {
        let (sum, overflow) = daysSince1970.addingReportingOverflow(days)
        return CalendarDay(daysSince1970: overflow ? (days < 0 ? .min : .max) : sum)
    }

    /// Returns the first day of its week.
    ///
    /// - Parameter weekday: The weekday on which weeks begin: 1 is Sunday and 7 is Saturday.
    public func startOfWeek(beginningWith weekday: Int) -> CalendarDay {
        adding(days: -((self.weekday - weekday + 7) % 7))
    }

    /// Returns the first day of the month that is a number of months after its own; after the year 9999, the last day.
    public func startOfMonth(after months: Int = 0) -> CalendarDay {
        let number = year * 12 + month - 1 + months
        return CalendarDay(year: number / 12, month: number % 12 + 1, day: 1) ?? .last
    }

    /// Returns the number of days of a month.
    ///
    /// - Parameters:
    ///   - month: 1 to 12.
    ///   - year: The year.
    public static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns whether a year has a 29 February.
    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Returns the days since 1970-01-01. Years start in March here, so that a leap day is the last of its year
    /// (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    static func number(year: Int, month: Int, day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        // An era has 400 years, which is the period of the calendar, and 146,097 days. 719,468 days are from 0000-03-01
        // to 1970-01-01.
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension CalendarDay: Comparable {
    /// Compares by time.
    public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension CalendarDay: CustomStringConvertible {
    /// The text of ISO 8601: `2026-12-24`.
    public var description: String {
        var writer = DigitWriter()
        write(to: &writer)
        return writer.text
    }

    func write(to writer: inout DigitWriter) {
        writer.append(year, digits: 4)
        writer.append("-")
        writer.append(month, digits: 2)
        writer.append("-")
        writer.append(day, digits: 2)
    }
}
