internal import Foundation

/// The days ahead of a time, in the user's calendar: the day of a due date, and whether it is overdue.
///
/// A due date at the start of a day means the whole day, as `due:friday` sets it: it is overdue when the day is over.
public struct Horizon: Sendable {
    /// The day of a time, in order. New cases may be added.
    public enum Day: Sendable, CaseIterable {
        /// Before today.
        case past
        /// Today, whether past or not.
        case today
        /// The next day.
        case tomorrow
        /// After tomorrow, in the present week of the calendar.
        case thisWeek
        /// After this week.
        case later
    }

    private let now: Timestamp
    private let today: Timestamp
    private let tomorrow: Timestamp
    private let dayAfter: Timestamp
    private let nextWeek: Timestamp
    private let todaysDay: CalendarDay
    private let nextWeeksDay: CalendarDay

    /// Creates the days ahead of the context's time.
    public init(_ context: DateExpression.Context) {
        now = Timestamp(clamping: context.now)
        today = context.start(ofDay: 0)
        tomorrow = context.start(ofDay: 1)
        dayAfter = context.start(ofDay: 2)
        let week = context.calendar.dateInterval(of: .weekOfYear, for: context.now)
        nextWeek = week.flatMap { Timestamp($0.end) } ?? dayAfter
        todaysDay = CalendarDay(today.date, in: context.calendar)
        nextWeeksDay = CalendarDay(nextWeek.date, in: context.calendar)
    }

    /// Returns the day of a date.
    public func day(of date: DateValue) -> Day {
        switch date {
        case .day(let day): self.day(of: day)
        case .time(let time): self.day(of: time)
        }
    }

    private func day(of day: CalendarDay) -> Day {
        switch day {
        case ..<todaysDay: .past
        case todaysDay: .today
        case todaysDay.adding(days: 1): .tomorrow
        case ..<nextWeeksDay: .thisWeek
        default: .later
        }
    }

    private func day(of time: Timestamp) -> Day {
        switch time {
        case ..<today: .past
        case ..<tomorrow: .today
        case ..<dayAfter: .tomorrow
        case ..<nextWeek: .thisWeek
        default: .later
        }
    }

    /// Returns whether a due date is past. A time at the start of today means the whole day, which isn't over.
    public func isOverdue(_ due: DateValue) -> Bool {
        switch due {
        case .day(let day): day < todaysDay
        case .time(let time): time < now && time != today
        }
    }
}

extension DateExpression.Context {
    /// Returns the start of the day that is this many days after today.
    func start(ofDay offset: Int) -> Timestamp {
        let day = calendar.date(byAdding: .day, value: offset, to: noon(on: now)) ?? now
        return Timestamp(calendar.startOfDay(for: day)) ?? Timestamp(seconds: 0)
    }
}

/// Times in words: `today`, `tomorrow 15:00`, `Fri 27 Nov`, `Mon 4 Jan 2027`. `DateExpression` parses the words for
/// future times.
public struct DateWords: Sendable {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private let calendar: Calendar
    private let year: Int
    private let near: [(start: Timestamp, end: Timestamp, name: String)]
    private let today: CalendarDay

    /// Creates the words as seen at the context's time.
    public init(_ context: DateExpression.Context) {
        calendar = context.calendar
        year = calendar.component(.year, from: context.now)
        today = CalendarDay(context.now, in: calendar)
        near = [(-1, "yesterday"), (0, "today"), (1, "tomorrow")].map {
            (context.start(ofDay: $0), context.start(ofDay: $0 + 1), $1)
        }
    }

    /// Returns the day, with the year if it isn't the present one, and with the time to the minute if there is one. A
    /// time at the start of a day means the day.
    public func words(for date: DateValue) -> String {
        switch date {
        case .day(let day): words(for: day)
        case .time(let time): words(for: time)
        }
    }

    private func words(for day: CalendarDay) -> String {
        switch day.daysSince1970 - today.daysSince1970 {
        case -1: "yesterday"
        case 0: "today"
        case 1: "tomorrow"
        default: Self.day(day, besides: year)
        }
    }

    private func words(for moment: Timestamp) -> String {
        let date = moment.date
        let name = near.first { $0.start <= moment && moment < $0.end }?.name
        let day = name ?? Self.day(CalendarDay(date, in: calendar), besides: year)
        if calendar.startOfDay(for: date) == date { return day }
        return "\(day) \(LocalTime.time(date, in: calendar))"
    }

    private static func day(_ day: CalendarDay, besides year: Int) -> String {
        let name = "\(weekdays[day.weekday - 1]) \(day.day) \(months[day.month - 1])"
        return day.year == year ? name : "\(name) \(day.year)"
    }
}
