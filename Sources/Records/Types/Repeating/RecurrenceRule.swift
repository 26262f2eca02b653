/// A recurrence rule of RFC 5545, section 3.3.10, whose occurrences are days: `FREQ=MONTHLY;BYDAY=-1FR`.
///
/// It has the parts FREQ (`DAILY`, `WEEKLY`, `MONTHLY`, `YEARLY`), INTERVAL, BYMONTH, BYMONTHDAY, BYDAY, BYSETPOS, WKST,
/// and one of COUNT and UNTIL. Lists are sorted and have each element once, so that two rules with the same parts are
/// equal.
public struct RecurrenceRule: Sendable, Hashable {
    /// FREQ: the period that is repeated.
    public let frequency: Frequency
    /// INTERVAL: the number of periods from one to the next: 1 to `maximumInterval`.
    public let interval: Int
    /// BYMONTH: the months, 1 to 12; empty: no condition.
    public internal(set) var months: [Int]
    /// BYMONTHDAY: the days of the month, 1 to 31, or -1 to -31 from its end; empty: no condition.
    public internal(set) var monthDays: [Int]
    /// BYDAY: the days of the week; empty: no condition.
    public let weekdays: [WeekdayPart]
    /// BYSETPOS: of the days of a period, the first (1), the last (-1) and so on; empty: all.
    public internal(set) var positions: [Int]
    /// WKST: the first day of a week.
    public let weekStart: Weekday
    /// COUNT or UNTIL; nil: the rule has no end.
    public internal(set) var end: End?

    /// The largest interval.
    public static let maximumInterval = 1_000
    /// The largest number of occurrences.
    public static let maximumCount = 10_000
    /// The largest number of elements of a list.
    public static let maximumListLength = 62
    /// The maximum length of a text, in bytes of UTF-8.
    public static let maximumTextLength = 1_000

    /// The period that is repeated. New cases may be added.
    public enum Frequency: String, Sendable, CaseIterable {
        /// A day of the calendar.
        case daily = "DAILY"
        /// Seven days.
        case weekly = "WEEKLY"
        /// A month of the calendar.
        case monthly = "MONTHLY"
        /// A year of the calendar.
        case yearly = "YEARLY"
    }

    /// A day of the week; Monday is 0.
    public enum Weekday: Int, Sendable, CaseIterable {
        /// Monday.
        case monday
        /// Tuesday.
        case tuesday
        /// Wednesday.
        case wednesday
        /// Thursday.
        case thursday
        /// Friday.
        case friday
        /// Saturday.
        case saturday
        /// Sunday.
        case sunday

        /// Its two letters in a rule: `MO`.
        public var code: String { ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][rawValue] }
    }

    /// An element of BYDAY: `MO`, `1MO`, `-1FR`.
    public struct WeekdayPart: Sendable, Hashable {
        /// Which of these days of the month or year: 1 to 53, or -1 to -53 from the end; 0: each of them.
        public let ordinal: Int
        /// The day of the week.
        public let weekday: Weekday

        /// Creates an element; ordinal 0 means each such day.
        public init(_ weekday: Weekday, ordinal: Int = 0) {
            self.ordinal = ordinal
            self.weekday = weekday
        }
    }

    /// The end of a rule. New cases may be added.
    public enum End: Sendable, Hashable {
        /// COUNT: the number of occurrences.
        case count(Int)
        /// UNTIL as a date: the last day.
        case day(CalendarDay)
        /// UNTIL as a time in UTC: the last moment.
        case moment(Timestamp)
    }

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - frequency: The period that is repeated.
    ///   - interval: The number of periods from one to the next.
    ///   - months: The months; empty: no condition.
    ///   - monthDays: The days of the month; empty: no condition.
    ///   - weekdays: The days of the week; empty: no condition.
    ///   - positions: The days of a period by their order; empty: all.
    ///   - weekStart: The first day of a week.
    ///   - end: The end; nil: none.
    /// - Throws: `RecurrenceError` if RFC 5545 doesn't allow such a rule, or if a number is beyond its limit.
    public init(
        _ frequency: Frequency, interval: Int = 1, months: [Int] = [], monthDays: [Int] = [],
        weekdays: [WeekdayPart] = [], positions: [Int] = [], weekStart: Weekday = .monday, end: End? = nil
    ) throws(RecurrenceError) {
        self.frequency = frequency
        self.interval = interval
        self.months = Set(months).sorted()
        // From the beginning of a period to its end: 1, 15, -2, -1.
        self.monthDays = Set(monthDays).sorted { Self.rank($0) < Self.rank($1) }
        self.weekdays = Set(weekdays).sorted {
            (Self.rank($0.ordinal), $0.weekday.rawValue) < (Self.rank($1.ordinal), $1.weekday.rawValue)
        }
        self.positions = Set(positions).sorted { Self.rank($0) < Self.rank($1) }
        self.weekStart = weekStart
        self.end = end
        try check()
    }

    private static func rank(_ number: Int) -> Int { number < 0 ? number + 1_000 : number }

    /// Whether it has none of the parts that select days, so that its start alone determines them.
    var isPlain: Bool { months.isEmpty && monthDays.isEmpty && weekdays.isEmpty && positions.isEmpty }

    // MARK: Checks

    private func check() throws(RecurrenceError) {
        guard (1...Self.maximumInterval).contains(interval) else {
            throw RecurrenceError("INTERVAL=\(interval)", "the interval must be 1 to 1000")
        }
        if case .count(let count)? = end, !(1...Self.maximumCount).contains(count) {
            throw RecurrenceError("COUNT=\(count)", "the number of times must be 1 to 10000")
        }
        for month in months where !(1...12).contains(month) {
            throw RecurrenceError("BYMONTH=\(month)", "a month must be 1 to 12")
        }
        for day in monthDays where !(1...31).contains(abs(day)) {
            throw RecurrenceError("BYMONTHDAY=\(day)", "a day of a month must be 1 to 31, or -1 to -31")
        }
        for position in positions where !(1...366).contains(abs(position)) {
            throw RecurrenceError("BYSETPOS=\(position)", "a position must be 1 to 366, or -1 to -366")
        }
        if frequency == .weekly, let day = monthDays.first {
            throw RecurrenceError("BYMONTHDAY=\(day)", "days of a month need FREQ=MONTHLY, YEARLY or DAILY")
        }
        if !positions.isEmpty, months.isEmpty, monthDays.isEmpty, weekdays.isEmpty {
            throw RecurrenceError("BYSETPOS=\(positions[0])", "positions need BYDAY, BYMONTHDAY or BYMONTH")
        }
        try checkWeekdays()
        try checkLengths()
    }

    private func checkWeekdays() throws(RecurrenceError) {
        for part in weekdays where part.ordinal != 0 {
            guard (1...53).contains(abs(part.ordinal)) else {
                throw RecurrenceError("BYDAY=\(part)", "the number before a weekday must be 1 to 53, or -1 to -53")
            }
            guard frequency == .monthly || frequency == .yearly else {
                throw RecurrenceError(
                    "BYDAY=\(part)", "a number before a weekday needs FREQ=MONTHLY or FREQ=YEARLY")
            }
        }
    }

    private func checkLengths() throws(RecurrenceError) {
        let lengths = [
            ("BYMONTHDAY", monthDays.count), ("BYDAY", weekdays.count), ("BYSETPOS", positions.count),
        ]
        for (name, length) in lengths where length > Self.maximumListLength {
            throw RecurrenceError(name, "a list has at most 62 elements")
        }
    }
}

/// The error of a text that isn't a recurrence rule: the part that is wrong, and the reason.
public struct RecurrenceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The part that is wrong: `BYMONTHDAY=32`; empty: the whole text.
    public let part: String
    /// The reason, a clause.
    public let reason: String

    /// Creates an error.
    init(_ part: String, _ reason: String) {
        self.part = part
        self.reason = reason
    }

    /// A clause for the user: `in “INTERVAL=0”, the interval must be 1 to 1000`.
    public var description: String { part.isEmpty ? reason : "in “\(part)”, \(reason)" }
}
