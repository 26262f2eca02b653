public import Foundation

extension RecurrenceRule {
    /// Returns the occurrences in order, as clocks show them: each at the time of day of the start.
    ///
    /// They are computed one by one. There is none after the year 9999, and the sequence also ends when no period within
    /// 400 years has an occurrence.
    ///
    /// - Parameters:
    ///   - start: The start (DTSTART), from which periods and occurrences are counted. It is an occurrence only if it
    ///     matches the rule.
    ///   - zone: The time zone in which `UNTIL` is compared if it is a time.
    ///   - notBefore: The day before which none is returned; nil: that of the start.
    public func occurrences(
        from start: LocalDateTime, in zone: TimeZone, notBefore: CalendarDay? = nil
    ) -> RecurrenceTimes { RecurrenceTimes(self, from: start, in: zone, notBefore: notBefore) }
}

/// The occurrences of a rule.
public struct RecurrenceTimes: Sequence, IteratorProtocol, Sendable {
    private var days: RecurrenceDays
    private let secondOfDay: Int?
    private let zone: TimeZone
    /// The last moment; nil: no limit besides that of the days.
    private let until: Timestamp?

    init(_ rule: RecurrenceRule, from start: LocalDateTime, in zone: TimeZone, notBefore: CalendarDay?) {
        days = RecurrenceDays(rule, from: start.day, notBefore: notBefore)
        secondOfDay = start.secondOfDay
        self.zone = zone
        if case .moment(let moment)? = rule.end { until = moment } else { until = nil }
    }

    /// Returns the next occurrence; nil if there is none.
    public mutating func next() -> LocalDateTime? {
        guard let day = days.next() else { return nil }
        let time = LocalDateTime(day, secondOfDay: secondOfDay)
        guard let until else { return time }
        // Later occurrences are after the end, too, so a further call also returns nil.
        let isLate = secondOfDay == nil ? day > LocalDateTime(until, in: zone).day : time.moment(in: zone) > until
        return isLate ? nil : time
    }
}
