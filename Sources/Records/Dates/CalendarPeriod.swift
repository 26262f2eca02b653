internal import Foundation

/// A period of the calendar that `start of`, `end of` and `next` name.
enum CalendarPeriod {
    case day, week, month, quarter, year

    /// Parses `week` and its other names.
    init?(_ word: String) {
        if word == "quarter" {
            self = .quarter
            return
        }
        switch Distance.Unit(word) {
        case .day: self = .day
        case .week: self = .week
        case .month: self = .month
        case .year: self = .year
        case .minute, .hour, nil: return nil
        }
    }
}

/// A day of a period: `end`, `third day`, `last friday`.
enum PeriodDay: Equatable {
    /// The first or the last day of the current period.
    case start, end
    /// The day with this number; -1: the last.
    case day(Int)
    /// The weekday with this number in the period; -1: the last. Sunday is 1.
    case weekday(Int, number: Int)

    /// Parses the words before `of`.
    init?(_ words: [String]) {
        switch words.count {
        case 1 where words[0] == "start" || words[0] == "beginning": self = .start
        case 1 where words[0] == "end": self = .end
        case 1:
            guard let number = Ordinal.number(words[0]) else { return nil }
            self = .day(number)
        case 2:
            guard let number = Ordinal.number(words[0]) else { return nil }
            if words[1] == "day" {
                self = .day(number)
            } else if let weekday = DateExpression.Context.weekday(words[1]) {
                self = .weekday(weekday, number: number)
            } else {
                return nil
            }
        default: return nil
        }
    }
}

extension DateExpression.Context {
    /// Returns the first day of the period that is this many periods after the current one.
    func start(of period: CalendarPeriod, offset: Int = 0) -> Date? {
        let parts = calendar.dateComponents([.year, .month], from: now)
        guard let year = parts.year, let month = parts.month else { return nil }
        switch period {
        case .day: return start(ofDay: offset).date
        case .week:
            return calendar.dateInterval(of: .weekOfYear, for: now).flatMap { start(days: 7 * offset, after: $0.start) }
        case .month: return start(ofMonth: year * 12 + month - 1 + offset)
        case .quarter: return start(ofMonth: (year * 12 + month - 1) / 3 * 3 + 3 * offset)
        case .year: return start(ofMonth: (year + offset) * 12)
        }
    }

    /// Returns the last day of the period that is this many periods after the current one.
    func end(of period: CalendarPeriod, offset: Int = 0) -> Date? {
        start(of: period, offset: offset + 1).flatMap { start(days: -1, after: $0) }
    }

    /// Returns the period from its first day to the first day after it.
    func interval(of period: CalendarPeriod, offset: Int) -> DateInterval? {
        guard let start = self.start(of: period, offset: offset), let end = self.start(of: period, offset: offset + 1)
        else { return nil }
        return DateInterval(start: start, end: end)
    }

    /// Returns a month from its first day to the first day of the next month.
    func interval(ofMonth month: Int, year: Int) -> DateInterval? {
        guard let start = self.start(ofMonth: year * 12 + month - 1), let end = self.start(ofMonth: year * 12 + month)
        else { return nil }
        return DateInterval(start: start, end: end)
    }

    /// Returns the first day of the month with this number, counted from January of the year 0.
    private func start(ofMonth number: Int) -> Date? { start(year: number / 12, month: number % 12 + 1, day: 1) }

    /// Returns a day of a period; nil if the period lacks it.
    func day(_ day: PeriodDay, in period: DateInterval) -> Date? {
        let found: Date?
        switch day {
        case .start: found = period.start
        case .end, .day(-1): found = start(days: -1, after: period.end)
        case .day(let number): found = start(days: number - 1, after: period.start)
        case .weekday(let weekday, number: -1):
            found = start(days: -7, after: period.end).flatMap { first(weekday, from: $0) }
        case .weekday(let weekday, number: let number):
            found = first(weekday, from: period.start).flatMap { start(days: 7 * (number - 1), after: $0) }
        }
        return found.flatMap { period.start <= $0 && $0 < period.end ? $0 : nil }
    }

    /// Returns the first such weekday that isn't before a day; Sunday is 1.
    func first(_ weekday: Int, from day: Date) -> Date? {
        start(days: (weekday - calendar.component(.weekday, from: day) + 7) % 7, after: day)
    }

    /// Returns the start of the day that is this many days after another one.
    func start(days: Int, after day: Date) -> Date? {
        calendar.date(byAdding: .day, value: days, to: noon(on: day)).map { calendar.startOfDay(for: $0) }
    }
}
