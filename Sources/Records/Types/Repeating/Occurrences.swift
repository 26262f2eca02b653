internal import Foundation

/// The moments of a series, counted from its first one in the calendar of one time zone.
///
/// Each is the first one plus a number of intervals and never the one before plus one: so what begins on the 31st is on the
/// 28th of February and on the 31st again in March, and what is at 02:30 is so again after the night that lacks it.
struct Occurrences {
    let rule: Repeat
    let first: Timestamp
    private let calendar: Calendar

    /// - Parameter zone: the time zone's IANA name; one that isn't known counts as UTC.
    init(_ rule: Repeat, from first: Timestamp, zone: String) {
        self.rule = rule
        self.first = first
        calendar = .gregorian(in: zone)
    }

    /// Whether the series meets this moment.
    func contains(_ moment: Timestamp) -> Bool {
        moment == first || (moment > first && next(after: Timestamp(seconds: moment.seconds - 1)) == moment)
    }

    /// The first one after the first that lies after a moment; nil: none does before the year 10000.
    func next(after moment: Timestamp) -> Timestamp? {
        // Doubling, then halving: a daily task may be overdue for years.
        var (low, high) = (0, 1)
        while isAtMost(moment, high) { (low, high) = (high, high * 2) }
        while high - low > 1 {
            let middle = (low + high) / 2
            if isAtMost(moment, middle) { low = middle } else { high = middle }
        }
        return occurrence(high)
    }

    /// Whether an occurrence is there and not after a moment.
    private func isAtMost(_ moment: Timestamp, _ number: Int) -> Bool {
        occurrence(number).map { $0 <= moment } ?? false
    }

    /// The occurrence of this number, the first having 0.
    private func occurrence(_ number: Int) -> Timestamp? {
        let (component, value) =
            switch rule.unit {
            case .day: (Calendar.Component.day, number * rule.count)
            case .weekday: (.day, days(ofWeekdays: number))
            case .week: (.day, 7 * number * rule.count)
            case .month: (.month, number * rule.count)
            case .year: (.year, number * rule.count)
            }
        return calendar.date(byAdding: component, value: value, to: first.date).flatMap { Timestamp($0) }
    }

    /// How many days this number of weekdays spans. A series that begins on a weekend goes on as if it had begun on the Friday.
    private func days(ofWeekdays number: Int) -> Int {
        let day = (calendar.component(.weekday, from: first.date) + 5) % 7
        let start = min(day, 4)
        let (weeks, rest) = number.quotientAndRemainder(dividingBy: 5)
        return number == 0 ? 0 : start - day + 7 * weeks + rest + (start + rest > 4 ? 2 : 0)
    }
}

extension Calendar {
    /// Days as they are at a place, independent of the user's calendar.
    ///
    /// - Parameter zone: an IANA name; one that isn't known counts as UTC.
    static func gregorian(in zone: String) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
        return calendar
    }
}
