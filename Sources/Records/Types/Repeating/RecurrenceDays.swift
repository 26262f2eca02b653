/// The occurrences of a rule as days, in order, from a start.
///
/// The start is one of them only if it matches the rule. The sequence ends after the year 9999, or when no period within a whole
/// cycle of the calendar (400 years) has a day: `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30`.
struct RecurrenceDays: Sequence, IteratorProtocol {
    private let rule: RecurrenceRule
    /// The conditions of the rule, or those that follow from the start.
    private let months: [Int]
    private let monthDays: [Int]
    private let weekdays: [RecurrenceRule.WeekdayPart]
    private let start: CalendarDay
    /// The start, as the number of days since 1970-01-01.
    private let first: Int
    /// The first day of the week of the start.
    private let week: Int
    /// The first day that is returned.
    private let target: Int
    /// The last day that is returned.
    private let last: Int
    /// The number of the next period; that of the start is 0.
    private var period = 0
    /// The number of periods without a day since the last one with a day.
    private var emptyCount = 0
    /// The number of occurrences that are left; nil: no limit.
    private var remaining: Int?
    /// The days of the current period that are left, the last one first.
    private var found: [Int] = []
    private var isOver = false

    /// Creates the sequence.
    ///
    /// - Parameters:
    ///   - rule: The rule. An end at a moment is ignored: it needs a time zone.
    ///   - start: The start (DTSTART), from which periods and occurrences are counted.
    ///   - notBefore: The day before which none is returned; nil: the start.
    init(_ rule: RecurrenceRule, from start: CalendarDay, notBefore: CalendarDay? = nil) {
        self.rule = rule
        self.start = start
        let first = start.daysSince1970
        let target = Swift.max(first, notBefore?.daysSince1970 ?? first)
        let week = first - (Self.weekday(first) - rule.weekStart.rawValue + 7) % 7
        var (months, monthDays, weekdays) = (rule.months, rule.monthDays, rule.weekdays)
        if monthDays.isEmpty, weekdays.isEmpty {
            switch rule.frequency {
            case .daily: break
            case .weekly:
                weekdays =
                    RecurrenceRule.Weekday(rawValue: Self.weekday(first)).map { [RecurrenceRule.WeekdayPart($0)] } ?? []
            case .monthly: monthDays = [start.day]
            case .yearly:
                monthDays = [start.day]
                if months.isEmpty { months = [start.month] }
            }
        }
        self.months = months
        self.monthDays = monthDays
        self.weekdays = weekdays
        var last = CalendarDay.numbers.upperBound
        if case .day(let day)? = rule.end { last = day.daysSince1970 }
        self.first = first
        self.week = week
        self.target = target
        self.last = last
        if case .count(let count)? = rule.end {
            remaining = count
        } else {
            // Occurrences need not be counted, so periods before the first day that is returned are skipped.
            period = Self.periods(rule, from: start, week: week, to: CalendarDay(daysSince1970: target))
        }
    }

    /// Returns the number of whole intervals from a start to a later day.
    private static func periods(_ rule: RecurrenceRule, from start: CalendarDay, week: Int, to day: CalendarDay) -> Int
    {
        switch rule.frequency {
        case .daily: (day.daysSince1970 - start.daysSince1970) / rule.interval
        case .weekly: (day.daysSince1970 - week) / (7 * rule.interval)
        case .monthly: ((day.year - start.year) * 12 + day.month - start.month) / rule.interval
        case .yearly: (day.year - start.year) / rule.interval
        }
    }

    mutating func next() -> CalendarDay? {
        while !isOver {
            guard let number = found.popLast() else {
                readPeriod()
                continue
            }
            if number > last || remaining == 0 { break }
            remaining = remaining.map { $0 - 1 }
            if number >= target { return CalendarDay(daysSince1970: number) }
        }
        isOver = true
        return nil
    }

    /// Finds the days of the next period.
    private mutating func readPeriod() {
        guard emptyCount < cycle, let days = days(ofPeriod: period) else {
            isOver = true
            return
        }
        period += 1
        found = selected(days).filter { $0 >= first }.reversed()
        emptyCount = found.isEmpty ? emptyCount + 1 : 0
    }

    /// The number of periods after which the calendar begins again: those of 400 years.
    private var cycle: Int {
        switch rule.frequency {
        case .daily: 146_097
        case .weekly: 20_871
        case .monthly: 4_800
        case .yearly: 400
        }
    }

    /// Returns the days at the positions of the rule.
    private func selected(_ days: [Int]) -> [Int] {
        if rule.positions.isEmpty { return days }
        let indices = rule.positions.map { $0 > 0 ? $0 - 1 : days.count + $0 }
        return Set(indices.filter { days.indices.contains($0) }).sorted().map { days[$0] }
    }

    // MARK: The days of a period

    /// Returns the days of a period that meet the conditions; nil after the last day of the calendar.
    private func days(ofPeriod number: Int) -> [Int]? {
        let offset = number * rule.interval
        switch rule.frequency {
        case .daily: return days(first + offset, count: 1)
        case .weekly:
            // The first week begins with the start, also for positions, as in python-dateutil.
            let begin = week + 7 * offset
            return number == 0 ? days(first, count: 7 - (first - week)) : days(begin, count: 7)
        case .monthly:
            let month = start.year * 12 + start.month - 1 + offset
            return month / 12 > CalendarDay.last.year ? nil : days(ofMonth: month % 12 + 1, of: month / 12)
        case .yearly:
            let year = start.year + offset
            return year > CalendarDay.last.year ? nil : (1...12).flatMap { days(ofMonth: $0, of: year) }
        }
    }

    /// Returns the matching ones of consecutive days; nil if the first is after the last day of the calendar.
    private func days(_ begin: Int, count: Int) -> [Int]? {
        let end = CalendarDay.numbers.upperBound
        guard begin <= end else { return nil }
        return (begin...Swift.min(begin + count - 1, end)).filter { matches($0, CalendarDay(daysSince1970: $0)) }
    }

    private func days(ofMonth month: Int, of year: Int) -> [Int] {
        guard let day = CalendarDay(year: year, month: month, day: 1), months.isEmpty || months.contains(month) else {
            return []
        }
        let begin = day.daysSince1970
        return (0..<CalendarDay.days(in: month, of: year)).map { begin + $0 }
            .filter { matches($0, year: year, month: month, day: $0 - begin + 1) }
    }

    private func matches(_ number: Int, _ day: CalendarDay) -> Bool {
        matches(number, year: day.year, month: day.month, day: day.day)
    }

    /// Returns whether a day meets the conditions.
    private func matches(_ number: Int, year: Int, month: Int, day: Int) -> Bool {
        guard months.isEmpty || months.contains(month) else { return false }
        let length = CalendarDay.days(in: month, of: year)
        guard monthDays.isEmpty || monthDays.contains(day) || monthDays.contains(day - length - 1) else { return false }
        if weekdays.isEmpty { return true }
        let weekday = Self.weekday(number)
        return weekdays.contains { part in
            guard part.weekday.rawValue == weekday else { return false }
            if part.ordinal == 0 { return true }
            // BYDAY counts in the year only if no months are given.
            guard rule.frequency == .yearly, months.isEmpty else {
                return part.ordinal == (day - 1) / 7 + 1 || part.ordinal == -((length - day) / 7 + 1)
            }
            let before = number - CalendarDay.number(year: year, month: 1, day: 1)
            let after = (CalendarDay.isLeap(year) ? 365 : 364) - before
            return part.ordinal == before / 7 + 1 || part.ordinal == -(after / 7 + 1)
        }
    }

    /// Returns the day of the week; Monday is 0.
    private static func weekday(_ number: Int) -> Int {
        // 1970-01-01 was a Thursday.
        let weekday = (number + 3) % 7
        return weekday < 0 ? weekday + 7 : weekday
    }
}
