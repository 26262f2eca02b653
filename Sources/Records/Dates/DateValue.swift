public import Foundation

/// The value of a date field: a day, which is the same day in every time zone, or a time with its time zone.
///
/// A record stores a day as `2026-12-24`, and a time as RFC 9557 in UTC: `2026-12-24T14:00:00Z[Europe/Berlin]`, without
/// a name in UTC (record 0006 of Records). Earlier versions and other programs store all times without a name, and a
/// day as the time at which it starts in their time zone. Such a time means the whole day, too, where the clocks show
/// the start of a day.
public enum DateValue: Sendable, Hashable {
    /// A day of the calendar.
    case day(CalendarDay)
    /// A time, and the time zone in which it was typed; nil: UTC, or unknown.
    case time(Timestamp, zone: ZoneName? = nil)
}

extension DateValue: CustomStringConvertible {
    /// Parses the text of a stored value: a day, or a time as RFC 3339, perhaps with the name of a time zone in
    /// brackets (RFC 9557); nil for any other text.
    public init?(_ text: String) {
        if let day = CalendarDay(text) {
            self = .day(day)
        } else if let time = Timestamp(text) {
            self = .time(time)
        } else if text.last == "]", let bracket = text.firstIndex(of: "["),
            let time = Timestamp(String(text[..<bracket])),
            let zone = ZoneName(text[text.index(after: bracket)...].dropLast())
        {
            self = .time(time, zone: zone)
        } else {
            return nil
        }
    }

    /// The text that a record stores.
    public var description: String {
        switch self {
        case .day(let day): day.description
        case .time(let time, let zone): Self.text(time.description, zone: zone?.text)
        }
    }

    /// Returns the text that a record stores for a time and the name of its time zone, which a state has as two texts.
    ///
    /// - Parameters:
    ///   - text: The time as RFC 3339.
    ///   - zone: The name of the time zone; nil: none.
    package static func text(_ text: String, zone: String?) -> String { zone.map { "\(text)[\($0)]" } ?? text }
}

extension DateValue {
    /// The time zone of a time; nil: it is UTC or unknown, or this is a day.
    public var zone: ZoneName? {
        switch self {
        case .day: nil
        case .time(_, let zone): zone
        }
    }

    /// The day, or the time without its time zone: equal for values that mean the same. Programs get its text, which is
    /// RFC 3339.
    public var withoutZone: DateValue {
        switch self {
        case .day: self
        case .time(let time, _): .time(time)
        }
    }

    /// Returns the time of day that clocks show in the time zone of the value, with its name: `17:00 Europe/Berlin`, or
    /// with the day if that differs, too.
    ///
    /// - Parameter timeZone: The time zone in which the time is shown.
    /// - Returns: Nil if clocks of both time zones show the same, if the zone isn't known, and for a day.
    public func wallTime(ifDifferentFrom timeZone: TimeZone) -> String? {
        guard case .time(let time, let zone?) = self, let own = zone.timeZone,
            own.secondsFromGMT(for: time.date) != timeZone.secondsFromGMT(for: time.date)
        else { return nil }
        let calendar = LocalTime.calendar(in: own)
        let day = LocalTime.day(time.date, in: calendar)
        let isSameDay = day == LocalTime.day(time.date, in: LocalTime.calendar(in: timeZone))
        let shown = isSameDay ? [] : [day]
        return (shown + [LocalTime.time(time.date, in: calendar), zone.text]).joined(separator: " ")
    }
}

extension DateValue {
    /// Returns a time as the day that starts with it in a time zone; any other time unchanged.
    public init(_ time: Timestamp, wholeDayIn timeZone: TimeZone) {
        let calendar = LocalTime.calendar(in: timeZone)
        self =
            calendar.startOfDay(for: time.date) == time.date ? .day(CalendarDay(time.date, in: calendar)) : .time(time)
    }

    /// Returns another time in the form of this value: its day if this is a day, else with the same time zone.
    func replaced(by time: Timestamp, in calendar: Calendar) -> DateValue {
        switch self {
        case .day: .day(CalendarDay(time.date, in: calendar))
        case .time(_, let zone): .time(time, zone: zone)
        }
    }

    /// Returns the time; of a day, its start in the calendar's time zone.
    public func start(in calendar: Calendar) -> Timestamp {
        switch self {
        case .day(let day): day.start(in: calendar)
        case .time(let time, _): time
        }
    }
}

extension CalendarDay {
    /// Creates the day of a time in the time zone of a Gregorian calendar.
    public init(_ date: Date, in calendar: Calendar) {
        let local = Timestamp(clamping: date).seconds + Int64(calendar.timeZone.secondsFromGMT(for: date))
        // Rounds down, also before 1970.
        self.init(daysSince1970: Int((Double(local) / 86_400).rounded(.down)))
    }

    /// Returns the time at which the day starts in the time zone of a Gregorian calendar.
    public func start(in calendar: Calendar) -> Timestamp {
        // From noon, since a day may begin later than midnight.
        let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12))
        return Timestamp(clamping: noon.map { calendar.startOfDay(for: $0) } ?? .distantPast)
    }
}

/// A range of days and times. The start is included, the end isn't; each may be open.
struct DateRange: Sendable, Equatable {
    private let from: Timestamp?
    private let until: Timestamp?
    private let firstDay: CalendarDay?
    /// The first day after the range.
    private let dayAfter: CalendarDay?

    /// Creates a range of times. A day is in it if the day starts in it.
    init(from: Timestamp?, until: Timestamp?, in context: DateExpression.Context) {
        (self.from, self.until) = (from, until)
        firstDay = from.map { Self.firstDay(from: $0, context.calendar) }
        dayAfter = until.map { Self.firstDay(from: $0, context.calendar) }
    }

    /// Returns the first day that starts at a time or after it.
    private static func firstDay(from time: Timestamp, _ calendar: Calendar) -> CalendarDay {
        let day = CalendarDay(time.date, in: calendar)
        return calendar.startOfDay(for: time.date) == time.date ? day : day.adding(days: 1)
    }

    func contains(_ value: DateValue) -> Bool {
        switch value {
        case .day(let day): firstDay.map { $0 <= day } ?? true && dayAfter.map { day < $0 } ?? true
        case .time(let time, _): from.map { $0 <= time } ?? true && until.map { time < $0 } ?? true
        }
    }
}

/// The starts of days in a time zone, each computed once, for sorting days among times.
struct DayStarts {
    private let calendar: Calendar
    private var starts: [CalendarDay: Timestamp] = [:]

    init(in calendar: Calendar) { self.calendar = calendar }

    mutating func time(of value: DateValue) -> Timestamp {
        guard case .day(let day) = value else { return value.start(in: calendar) }
        if let known = starts[day] { return known }
        let start = day.start(in: calendar)
        starts[day] = start
        return start
    }
}
