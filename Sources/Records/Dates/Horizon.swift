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
        /// After tomorrow, in the current week of the calendar.
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
        case .time(let time, _): self.day(of: time)
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
        case .time(let time, _): time < now && time != today
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

/// Dates as every view shows them, in the two forms of this type: in sentences as words (`today`, `tomorrow 15:00`,
/// `Fri 27 Nov`, `Mon 4 Jan 2027`), and in lists in a short form (`tomorrow`, `Fri 17:00`, `3 Dec`, `-3d`). A record's own
/// view shows the full date. `DateExpression` parses the words for future times. In the style ``Style/iso``, both forms are
/// `2026-11-24` and `2026-11-24 17:00`.
public struct DateWords: Sendable {
    /// The style of dates. New cases may be added.
    public enum Style: String, Sendable, CaseIterable {
        /// Relative to today: `tomorrow`.
        case relative
        /// As `2026-11-24` (ISO 8601), with the time as `2026-11-24 17:00`.
        case iso
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private let style: Style
    private let calendar: Calendar
    private let year: Int
    private let near: [(start: Timestamp, end: Timestamp, name: String)]
    private let today: CalendarDay

    /// Creates the words as seen at the context's time.
    public init(_ context: DateExpression.Context) {
        (style, calendar) = (context.style, context.calendar)
        year = calendar.component(.year, from: context.now)
        today = CalendarDay(context.now, in: calendar)
        near = [(-1, "yesterday"), (0, "today"), (1, "tomorrow")].map {
            (context.start(ofDay: $0), context.start(ofDay: $0 + 1), $1)
        }
    }

    /// Returns the day, with the year if it isn't the current one, and with the time to the minute if there is one. A
    /// time at the start of a day means the day.
    public func words(for date: DateValue) -> String {
        switch date {
        case .day(let day): words(for: day)
        case .time(let time, _): words(for: time)
        }
    }

    /// Returns the short form for lists, at most 14 columns wide, in the style ``Style/iso`` 16:
    ///
    /// - `today`, `tomorrow`, and for the five days after it the weekday: `Fri`
    /// - later days without the weekday: `3 Dec`, in another year `3 Dec 27`
    /// - past days by their number: `-3d`; those of more than 99 days ago with the year: `3 Dec 25`
    ///
    /// The time follows (`Fri 17:00`) unless the day is past or in another year. The start of a day, and its last minute
    /// (`due:eod`), mean the day.
    public func short(for date: DateValue) -> String {
        switch date {
        case .day(let day): return short(for: day).text
        case .time(let time, _):
            let day = short(for: CalendarDay(time.date, in: calendar))
            let ofDay = LocalTime.time(time.date, in: calendar)
            let isWholeDay = calendar.startOfDay(for: time.date) == time.date || ofDay == "23:59"
            return day.hasTime && !isWholeDay ? "\(day.text) \(ofDay)" : day.text
        }
    }

    /// A day in the short form, and whether a time may follow it.
    private struct ShortDay {
        let text: String
        let hasTime: Bool
    }

    private func short(for day: CalendarDay) -> ShortDay {
        switch style {
        case .iso: ShortDay(text: day.description, hasTime: true)
        case .relative: relative(for: day)
        }
    }

    private func relative(for day: CalendarDay) -> ShortDay {
        switch day.daysSince1970 - today.daysSince1970 {
        case 0: return ShortDay(text: "today", hasTime: true)
        case 1: return ShortDay(text: "tomorrow", hasTime: true)
        case 2...6: return ShortDay(text: Self.weekdays[day.weekday - 1], hasTime: true)
        case -99 ... -1:
            return ShortDay(text: "-\(today.daysSince1970 - day.daysSince1970)d", hasTime: false)
        case let ahead:
            if Self.isSomeday(day) { return ShortDay(text: "someday", hasTime: false) }
            let date = "\(day.day) \(Self.months[day.month - 1])"
            if ahead > 0, day.year == year { return ShortDay(text: date, hasTime: true) }
            // Two digits are clear within this century only.
            let shownYear = (2000...2099).contains(day.year) ? (day.year % 100).zeroPadded(to: 2) : String(day.year)
            return ShortDay(text: "\(date) \(shownYear)", hasTime: false)
        }
    }

    private func words(for day: CalendarDay) -> String {
        if style == .iso { return day.description }
        return switch day.daysSince1970 - today.daysSince1970 {
        case -1: "yesterday"
        case 0: "today"
        case 1: "tomorrow"
        default: Self.isSomeday(day) ? "someday" : Self.day(day, omittingYear: year)
        }
    }

    /// Returns whether it is the day that `someday` means (Taskwarrior's).
    private static func isSomeday(_ day: CalendarDay) -> Bool { (day.year, day.month, day.day) == (9_999, 12, 30) }

    private func words(for moment: Timestamp) -> String {
        let date = moment.date
        let name = style == .iso ? nil : near.first { $0.start <= moment && moment < $0.end }?.name
        let day = name ?? words(for: CalendarDay(date, in: calendar))
        if calendar.startOfDay(for: date) == date { return day }
        return "\(day) \(LocalTime.time(date, in: calendar))"
    }

    private static func day(_ day: CalendarDay, omittingYear year: Int) -> String {
        let name = "\(weekdays[day.weekday - 1]) \(day.day) \(months[day.month - 1])"
        return day.year == year ? name : "\(name) \(day.year)"
    }
}
