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
        let today = calendar.startOfDay(for: now)
        // From noon, since a day may begin later than at midnight.
        let noon = calendar.date(bySettingHour: 12, minute: 0, second: 0, of: today) ?? today
        let day = calendar.date(byAdding: .day, value: offset, to: noon) ?? noon
        return Timestamp(calendar.startOfDay(for: day)) ?? Timestamp(seconds: 0)
    }
}
