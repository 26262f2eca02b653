import Controllers
import Records

/// A month as a grid of weeks, with marks at the days that have records.
struct MonthGrid: Equatable {
    /// `November 2026`.
    let title: String
    /// The short names of the weekdays, in the order of the user's week.
    let weekdays: [String]
    /// The weeks; nil: a day of another month.
    let weeks: [[Day?]]

    /// A day of the month.
    struct Day: Equatable {
        let number: Int
        /// The number of its records.
        let count: Int
        let isToday: Bool
        let isPast: Bool
    }

    private static let names = ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Creates the grid of the month of a day.
    ///
    /// - Parameters:
    ///   - firstWeekday: 1 is Sunday and 7 is Saturday.
    ///   - counts: The numbers of records, by day.
    init(of day: CalendarDay, today: CalendarDay, firstWeekday: Int, counts: [CalendarDay: Int]) {
        let first = day.startOfMonth()
        title = "\(Self.months[first.month - 1]) \(first.year)"
        weekdays = (0..<7).map { Self.names[(firstWeekday - 1 + $0) % 7] }
        let before = (first.weekday - firstWeekday + 7) % 7
        var cells = [Day?](repeating: nil, count: before)
        for number in 1...CalendarDay.days(in: first.month, of: first.year) {
            let day = first.adding(days: number - 1)
            cells.append(Day(number: number, count: counts[day] ?? 0, isToday: day == today, isPast: day < today))
        }
        cells += [Day?](repeating: nil, count: (7 - cells.count % 7) % 7)
        weeks = stride(from: 0, to: cells.count, by: 7).map { Array(cells[$0..<$0 + 7]) }
    }
}

extension AgendaScreen.State {
    /// The current month, and those after it to which the marks and the span reach, at most `limit`. Empty: nothing was
    /// read yet.
    func months(limit: Int) -> [MonthGrid] {
        guard let today = CalendarDay(today) else { return [] }
        var counts: [CalendarDay: Int] = [:]
        for mark in marks { if let day = CalendarDay(mark.date) { counts[day] = mark.count } }
        // The next month is shown near the end of the current one, or if the span reaches it.
        let last = max(days.last.flatMap { CalendarDay($0.date) } ?? today, today.adding(days: 6))
        return (0..<limit).map { today.startOfMonth(after: $0) }.filter { $0 <= last }.map {
            MonthGrid(of: $0, today: today, firstWeekday: firstWeekday, counts: counts)
        }
    }
}
