internal import Foundation

/// The days ahead as a person sees them at a moment, in their calendar: which of them a due date falls in, and whether it is
/// past.
///
/// A due date at the very start of a day means the whole day, as `due:friday` sets it: it is overdue once the day is over.
public struct Horizon: Sendable {
    /// Where a moment lies, in order.
    public enum Day: Sendable, CaseIterable {
        /// Before today.
        case past
        /// Today, past or not.
        case today
        /// The day after.
        case tomorrow
        /// After tomorrow, in the present week of the calendar.
        case thisWeek
        /// After that.
        case later
    }

    private let now: Timestamp
    private let today: Timestamp
    private let tomorrow: Timestamp
    private let dayAfter: Timestamp
    private let nextWeek: Timestamp

    /// The days ahead at a moment in a time zone.
    public init(_ context: DateExpression.Context) {
        now = Timestamp(seconds: Int64(context.now.timeIntervalSince1970.rounded(.down)))
        today = context.start(ofDay: 0)
        tomorrow = context.start(ofDay: 1)
        dayAfter = context.start(ofDay: 2)
        let week = context.calendar.dateInterval(of: .weekOfYear, for: context.now)
        nextWeek = week.flatMap { Timestamp($0.end) } ?? dayAfter
    }

    /// The day of a moment.
    public func day(of moment: Timestamp) -> Day {
        switch moment {
        case ..<today: .past
        case ..<tomorrow: .today
        case ..<dayAfter: .tomorrow
        case ..<nextWeek: .thisWeek
        default: .later
        }
    }

    /// Whether a due date is past.
    public func isOverdue(_ due: Timestamp) -> Bool { due < now && due != today }
}

extension DateExpression.Context {
    /// The start of the day that is this many days after today.
    func start(ofDay offset: Int) -> Timestamp {
        let day = calendar.date(byAdding: .day, value: offset, to: noon(on: now)) ?? now
        return Timestamp(calendar.startOfDay(for: day)) ?? Timestamp(seconds: 0)
    }
}

/// Moments in a person's words: `today`, `tomorrow 15:00`, `Fri 27 Nov`, `Mon 4 Jan 2027`. What it writes of days to come,
/// `DateExpression` reads.
public struct DateWords: Sendable {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private let calendar: Calendar
    private let year: Int
    private let near: [(start: Timestamp, end: Timestamp, name: String)]

    /// Words as seen at a moment in a time zone.
    public init(_ context: DateExpression.Context) {
        calendar = context.calendar
        year = calendar.component(.year, from: context.now)
        near = [(-1, "yesterday"), (0, "today"), (1, "tomorrow")].map {
            (context.start(ofDay: $0), context.start(ofDay: $0 + 1), $1)
        }
    }

    /// The moment's day, with the time, in minutes, where it isn't the day's start; with the year where it isn't this one.
    public func words(for moment: Timestamp) -> String {
        let date = moment.date
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .weekday], from: date)
        let day = near.first { $0.start <= moment && moment < $0.end }?.name ?? Self.day(parts, besides: year)
        if calendar.startOfDay(for: date) == date { return day }
        return "\(day) \((parts.hour ?? 0).zeroPadded(to: 2)):\((parts.minute ?? 0).zeroPadded(to: 2))"
    }

    private static func day(_ parts: DateComponents, besides year: Int) -> String {
        let name =
            weekdays[((parts.weekday ?? 1) - 1) % 7] + " \(parts.day ?? 0) " + months[((parts.month ?? 1) - 1) % 12]
        return parts.year == year ? name : name + " \(parts.year ?? 0)"
    }
}
