package import Foundation

extension TaskRecord {
    /// How the task repeats; nil if it doesn't, or if this version can't parse the rule.
    public var rule: Repeat? { fields[.repeating] }

    /// Returns the due date of the next instance after a completion; nil if there is none.
    ///
    /// It is the first date of the series after both the due date and the completion. So a late completion doesn't
    /// create a series of overdue tasks, and an early one doesn't repeat the same date. If the due date was moved off
    /// the series, the following ones move with it. An interval from the completion is counted from its day instead.
    func nextDue(after end: Timestamp) -> DateValue? {
        guard let next = date(after: end) else { return nil }
        return lastMoment.map { next.start(in: calendar) <= $0 } ?? true ? next : nil
    }

    /// Returns the date of the next instance, without regard to the end of the series.
    private func date(after end: Timestamp) -> DateValue? {
        guard let rule, let due else { return nil }
        let zone = calendar.timeZone
        let endDay = LocalDateTime(end, in: zone).day
        if rule.isFromCompletion {
            let start = LocalDateTime(endDay, secondOfDay: LocalDateTime(due, in: zone).secondOfDay)
            let first = due.replaced(by: start.moment(in: zone), in: calendar)
            return RepeatSeries(rule, from: first, in: zone).next(after: first)
        }
        switch due {
        case .day(let day): return series?.next(after: .day(max(day, endDay)))
        case .time(let time, _): return series?.next(after: .time(max(time, end)))
        }
    }

    /// The dates at which it is due.
    var series: RepeatSeries? {
        guard let rule, let due else { return nil }
        let calendar = calendar
        // The start has the form of the due date: a user may have replaced a time at midnight by the day.
        let start = fields[.repeatStart].map { due.replaced(by: $0.start(in: calendar), in: calendar) }
        let known = start.map { RepeatSeries(rule, from: $0, in: calendar.timeZone) }
        // A due date that isn't in the series was changed by an edit, and begins a new one.
        if let known, known.contains(due) { return known }
        return RepeatSeries(rule, from: due, in: calendar.timeZone)
    }

    /// The calendar in which the series is counted: that of the time zone of the due time. For a due day, and for a
    /// time without a time zone, it is that of the device where the interval was set.
    var calendar: Calendar { .gregorian(in: due?.zone?.text ?? fields[.repeatZone] ?? "GMT") }

    /// Whether the series ends before its due date, and so before it begins.
    var endsBeforeDue: Bool {
        guard let due, let lastMoment else { return false }
        return lastMoment < due.start(in: calendar)
    }

    /// The last time at which the task may repeat; of a day, its end.
    private var lastMoment: Timestamp? {
        guard let until = fields[.until] else { return nil }
        let calendar = calendar
        let start = until.start(in: calendar)
        // A time at the start of a day means the day, of which all counts.
        let isDay = calendar.startOfDay(for: start.date) == start.date
        guard isDay, let day = calendar.dateInterval(of: .day, for: start.date) else { return start }
        return Timestamp(day.end.addingTimeInterval(-1))
    }
}

/// The dates at which a repeating task is due, counted from the first one in a time zone: days, or times.
///
/// The first one always counts, even if it doesn't match the rule. A task that repeats after its completion has a series
/// from each completion.
struct RepeatSeries {
    let first: DateValue
    private let zone: TimeZone
    private let start: LocalDateTime
    /// The rule of the occurrences; of those at the start or after it, the first one is left out.
    private let rule: RecurrenceRule

    init(_ repeating: Repeat, from first: DateValue, in zone: TimeZone) {
        self.first = first
        self.zone = zone
        start = LocalDateTime(first, in: zone)
        var rule = repeating.rule(from: start.day)
        if case .count(let count)? = rule.end {
            var days = RecurrenceDays(rule, from: start.day)
            // A count of 0 has no occurrences, unlike a rule that can be typed.
            if days.next() != start.day { rule.end = .count(count - 1) }
        }
        self.rule = rule
    }

    /// Returns the times after the first one, without those before a day.
    private func times(notBefore day: CalendarDay) -> some Sequence<LocalDateTime> {
        let start = start
        return rule.occurrences(from: start, in: zone, notBefore: day).lazy.filter { $0 > start }
    }

    /// Returns the first date that is after another one and isn't the first of the series; nil if there is none before
    /// the year 10000.
    ///
    /// - Parameter date: For a series of days, only its day counts.
    func next(after date: DateValue) -> DateValue? {
        let day = LocalDateTime(date, in: zone).day
        if start.secondOfDay == nil {
            return times(notBefore: day.adding(days: 1)).first { $0.day > day }.map { .day($0.day) }
        }
        let moment =
            switch date {
            case .day: LocalDateTime(day).moment(in: zone)
            case .time(let time, _): time
            }
        // The moment may be on another day where clocks skip or repeat a time.
        for time in times(notBefore: day.adding(days: -1)) {
            let next = time.moment(in: zone)
            if next > moment { return .time(next, zone: first.zone) }
        }
        return nil
    }

    /// Returns whether the series contains this date, in the same form. The time zone of a time doesn't matter.
    func contains(_ date: DateValue) -> Bool {
        if date.withoutZone == first.withoutZone { return true }
        switch (first, date) {
        case (.day(let first), .day(let day)): return day > first && next(after: .day(day.adding(days: -1))) == date
        case (.time(let first, _), .time(let time, _)):
            let following = next(after: .time(Timestamp(seconds: time.seconds - 1)))
            return time > first && following?.withoutZone == date.withoutZone
        case (.day, .time), (.time, .day): return false
        }
    }
}

extension Repeat {
    /// The largest number of a date that is looked up in a series.
    private static let maximumNumber = 10_000

    /// Returns a date of the series that begins with a date, which has the number 0; nil if there is none with this
    /// number.
    package func date(_ number: Int, from first: DateValue, in zone: TimeZone) -> DateValue? {
        guard number <= Self.maximumNumber else { return nil }
        let series = RepeatSeries(self, from: first, in: zone)
        var date = first
        for _ in 0..<number {
            guard let next = series.next(after: date) else { return nil }
            date = next
        }
        return date
    }

    /// Returns the number of a date in the series that begins with a date; nil if it isn't in the series.
    package func number(of date: DateValue, from first: DateValue, in zone: TimeZone) -> Int? {
        let series = RepeatSeries(self, from: first, in: zone)
        guard series.contains(date) else { return nil }
        var other = first
        for number in 0...Self.maximumNumber {
            if other.withoutZone == date.withoutZone { return number }
            guard let next = series.next(after: other) else { return nil }
            other = next
        }
        return nil
    }
}

extension LocalDateTime {
    /// Creates the day, or the day and the time of day that clocks of a time zone show.
    fileprivate init(_ date: DateValue, in zone: TimeZone) {
        switch date {
        case .day(let day): self.init(day)
        case .time(let time, _): self.init(time, in: zone)
        }
    }
}

extension Calendar {
    /// Returns the Gregorian calendar of a time zone, independent of the user's settings.
    ///
    /// - Parameter zone: An IANA name; an unknown one counts as UTC.
    static func gregorian(in zone: String) -> Calendar {
        // A zone may be missing in this system's database. UTC is the same for all devices that lack it, unlike the
        // local zone.
        LocalTime.calendar(in: TimeZone(identifier: zone) ?? .gmt)
    }
}
