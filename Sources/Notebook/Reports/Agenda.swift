internal import LocalStore
public import Records

/// The records with a deadline by day, from the overdue ones to the end of a span.
public struct Agenda: Sendable {
    /// Today.
    public let today: CalendarDay
    /// The first day of the user's week: 1 is Sunday and 7 is Saturday.
    public let firstWeekday: Int
    /// The records, by day; those of the past first. Each has a number on this terminal until the next list.
    public let entries: [Entry]
    /// The number of records in the span that `entries` omits because there are too many.
    public let hidden: Int
    /// The number of records after the span.
    public let later: Int
    /// The number of records of each day from the first day of the current month, for ``months`` months.
    public let counts: [CalendarDay: Int]
    /// The context within which the records were found; nil: none.
    public let context: FilterContext?

    /// The maximum number of records.
    public static let maximumRecords = 500
    /// The number of months whose days are counted.
    public static let months = 3

    /// A record with a deadline.
    public struct Entry: Sendable {
        /// Its number; nil: it was found after the agenda was made.
        public let number: Int?
        /// The shortest unique prefix of its id.
        public let prefix: String
        /// The record.
        public let record: Record
        /// Its deadline.
        public let due: DateValue
        /// The day of the deadline in the user's time zone.
        public let day: CalendarDay
        /// Whether the record is open and the deadline is past.
        public let isOverdue: Bool
    }

    /// The days that an agenda shows, after those of the past. New cases may be added.
    public enum Span: String, Sendable, CaseIterable, Codable {
        /// Today.
        case today
        /// Today and tomorrow.
        case tomorrow
        /// Seven days from today.
        case week
        /// 31 days from today.
        case month
        /// 366 days from today.
        case year
        /// All days.
        case all

        /// The number of days; nil: all.
        var days: Int? {
            switch self {
            case .today: 1
            case .tomorrow: 2
            case .week: 7
            case .month: 31
            case .year: 366
            case .all: nil
            }
        }
    }
}

extension Notebook {
    /// Finds the records with a deadline that match a filter within the current context, by day, and numbers them on
    /// this terminal.
    ///
    /// - Parameter numbers: The numbers of an agenda that is read again; no record gets a new one then. Nil: the records
    ///   are numbered from 1.
    /// - Throws: ``NotebookError``, `InputError`.
    public func agenda(
        _ span: Agenda.Span, _ filter: [String] = [], keeping numbers: [RecordKey: Int]? = nil
    ) async throws -> Agenda {
        let agenda = try await read { try $0.agenda(span, filter, numbers) }
        if numbers != nil { return agenda }
        // In a transaction of its own, as for `list`.
        let keys = agenda.entries.map(\.record.key)
        try await view { try $0.cache.index.remember(keys, terminal: terminal) }
        return agenda
    }
}

extension Notebook.Transaction {
    fileprivate func agenda(
        _ span: Agenda.Span, _ filter: [String], _ numbers: [RecordKey: Int]?
    ) throws -> Agenda {
        let days = ReportDays(notebook)
        let deadlines = Dictionary(
            types.listedTypes.compactMap { type in
                type.deadline.map { (type.collection, FieldKey<DateValue>($0.name)) }
            }
        ) { first, _ in first }
        let found = try selected(try query(filter), in: deadlines.keys.sorted())
        let due = found.compactMap { row in
            deadlines[row.collection].flatMap { row.fields[$0] }
                .map { DueRow(row: row, due: $0, day: days.day(of: $0)) }
        }
        let end = span.days.map { days.today.adding(days: $0 - 1) } ?? CalendarDay.last
        let shown = due.enumerated().filter { $0.element.day <= end }
            // The order of the query is kept within a day; `sorted` isn't documented as stable.
            .sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }
            .map(\.element)
        let horizon = Horizon(notebook.dates)
        let entries = try zip(1..., shown.prefix(Agenda.maximumRecords)).map { number, found in
            let key = found.row.key
            let isOpen = !types[found.row.collection].isClosed(found.row.fields)
            return Agenda.Entry(
                number: numbers.map { $0[key] } ?? number, prefix: try cache.index.shortPrefix(of: key.id),
                record: Record(key: key, fields: found.row.fields), due: found.due, day: found.day,
                isOverdue: isOpen && horizon.isOverdue(found.due))
        }
        return Agenda(
            today: days.today, firstWeekday: days.firstWeekday, entries: entries,
            hidden: shown.count - entries.count, later: due.count - shown.count,
            counts: counts(due.map(\.day), from: days.today), context: try contexts().current)
    }

    /// Returns the number of records of each day in the months of an agenda.
    private func counts(_ days: [CalendarDay], from today: CalendarDay) -> [CalendarDay: Int] {
        let (first, after) = (today.startOfMonth(), today.startOfMonth(after: Agenda.months))
        return Dictionary(days.filter { first <= $0 && $0 < after }.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

/// A record with its deadline.
private struct DueRow {
    let row: QueryRow
    let due: DateValue
    let day: CalendarDay
}
