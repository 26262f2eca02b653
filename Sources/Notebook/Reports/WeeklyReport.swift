internal import Foundation
public import Records

/// How many records were added and completed in each week.
public struct WeeklyReport: Sendable, Equatable {
    /// The weeks. The current week is last.
    public let weeks: [Week]
    /// The context within which the records were counted; nil: none.
    public let context: FilterContext?

    /// A week.
    public struct Week: Sendable, Equatable {
        /// Its first day.
        public let start: CalendarDay
        /// The number of records that were created in it.
        public internal(set) var added = 0
        /// The number of records that were completed in it and are still completed.
        public internal(set) var completed = 0
    }

    /// The maximum number of weeks.
    public static let maximumWeeks = 260
}

extension Notebook {
    /// Counts the records that match a filter, in any state, by the weeks in which they were added and completed,
    /// within the current context. Deleted records aren't counted.
    ///
    /// - Parameter weeks: The number of weeks, among them the current one: 1 to ``WeeklyReport/maximumWeeks``.
    /// - Throws: ``NotebookError``, `InputError`.
    public func weeklyReport(_ filter: [String] = [], weeks: Int) async throws -> WeeklyReport {
        try await read { records in
            var tally = WeekTally(
                records.types, days: ReportDays(records.notebook), weeks: min(max(weeks, 1), WeeklyReport.maximumWeeks))
            for row in try records.matching(try records.query(filter, scope: .all), in: records.types.listed) {
                tally.count(row)
            }
            return WeeklyReport(weeks: tally.weeks, context: try records.contexts().current)
        }
    }
}

/// The days of the user's calendar around the current time.
struct ReportDays {
    /// The Gregorian calendar in the user's time zone, with the user's first day of the week.
    let calendar: Calendar
    /// Today.
    let today: CalendarDay

    init(_ notebook: Notebook) {
        var calendar = LocalTime.calendar(in: notebook.calendar.timeZone)
        calendar.firstWeekday = notebook.calendar.firstWeekday
        self.calendar = calendar
        today = CalendarDay(notebook.now(), in: calendar)
    }

    /// The first day of the user's week: 1 is Sunday and 7 is Saturday.
    var firstWeekday: Int { calendar.firstWeekday }

    /// The first day of the current week.
    var startOfWeek: CalendarDay { today.startOfWeek(beginningWith: firstWeekday) }

    /// Returns the day of a date.
    func day(of date: DateValue) -> CalendarDay {
        switch date {
        case .day(let day): day
        case .time(let time, _): CalendarDay(time.date, in: calendar)
        }
    }
}

/// Counts records by weeks.
private struct WeekTally {
    private(set) var weeks: [WeeklyReport.Week]
    /// The times at which the weeks start, and the end of the last one. A time is found among them without a calendar.
    private let starts: [Timestamp]
    private let facts: [String: Facts]

    /// What is read of the records of a type.
    private struct Facts {
        let type: RecordType
        let created: FieldKey<Timestamp>?
        let closed: FieldKey<Timestamp>?
    }

    init(_ types: RecordTypes, days: ReportDays, weeks count: Int) {
        let first = days.startOfWeek.adding(days: -7 * (count - 1))
        weeks = (0..<count).map { WeeklyReport.Week(start: first.adding(days: 7 * $0)) }
        starts = (0...count).map { first.adding(days: 7 * $0).start(in: days.calendar) }
        let key = { (role: Field.Role, type: RecordType) in
            type.catalog.fields.first { $0.role == role }.map { FieldKey<Timestamp>($0.name) }
        }
        facts = Dictionary(
            types.listedTypes.map {
                ($0.collection, Facts(type: $0, created: key(.created, $0), closed: key(.closed, $0)))
            }
        ) { first, _ in first }
    }

    mutating func count(_ row: QueryRow) {
        guard let facts = facts[row.collection] else { return }
        if let index = facts.created.flatMap({ row.fields[$0] }).flatMap({ week(of: $0) }) { weeks[index].added += 1 }
        // A record that another program has reopened may keep the time.
        let end = facts.closed.flatMap { row.fields[$0] }
        if let index = end.flatMap({ week(of: $0) }), facts.type.isClosed(row.fields) {
            weeks[index].completed += 1
        }
    }

    /// Returns the index of the week of a time; nil: it is in none of them.
    private func week(of time: Timestamp) -> Int? {
        guard let first = starts.first, let last = starts.last, first <= time, time < last else { return nil }
        // Binary search: the largest index whose week has started.
        var (low, high) = (0, weeks.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
