internal import Foundation

/// The interval of a repeating task: its field `repeat`, for example `weekly`.
///
/// - `daily`, `weekly`, `monthly`, `yearly`; `weekdays`: Monday to Friday
/// - `3d`, `2w`, `6mo`, `2y`, and in words: `every 2 weeks`, `every other month`, `every day`
/// - names of other tools: `biweekly` and `fortnightly` (2w), `quarterly` (3mo), `annually`
///
/// Each interval has one canonical text, which a record stores: for `every 2 weeks`, `2w`.
public struct Repeat: Sendable, Hashable {
    /// The number of units between two occurrences: 1 to `maximumCount`; of weekdays always 1.
    public let count: Int
    /// The unit that is counted.
    public let unit: Unit

    /// A unit of the calendar; its raw value is written after a count. New cases may be added.
    public enum Unit: String, Sendable, CaseIterable {
        /// A day of the calendar, of any number of hours.
        case day = "d"
        /// A day from Monday to Friday.
        case weekday = "weekdays"
        /// Seven days.
        case week = "w"
        /// A month; its last day if it lacks the day.
        case month = "mo"
        /// A year; 28 February if it lacks the day.
        case year = "y"
    }

    /// The largest count.
    public static let maximumCount = 1_000

    /// Creates an interval of `count` units; nil if the count is out of range.
    public init?(every count: Int, _ unit: Unit) {
        guard (1...(unit == .weekday ? 1 : Self.maximumCount)).contains(count) else { return nil }
        self.count = count
        self.unit = unit
    }

    /// Parses a stored or typed text; nil if it has none of the forms above.
    public init?(_ text: String) {
        var words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        if words.count > 1, words[0] == "every" { words.removeFirst() }
        if words.count == 2, words[0] == "other" { words[0] = "2" }
        guard (1...2).contains(words.count) else { return nil }
        if words.count == 1, let (count, unit) = Self.names[words[0]] {
            self.init(every: count, unit)
        } else if words.count == 1, let unit = Distance.Unit(words[0]).flatMap(Unit.init) {
            self.init(every: 1, unit)
        } else if let distance = Distance(words.joined()), let unit = Unit(distance.unit) {
            self.init(every: distance.count, unit)
        } else {
            return nil
        }
    }

    /// The names of intervals that aren't a count and a unit.
    private static let names: [String: (Int, Unit)] = [
        "daily": (1, .day), "weekly": (1, .week), "monthly": (1, .month), "yearly": (1, .year), "annually": (1, .year),
        "weekdays": (1, .weekday), "weekday": (1, .weekday), "biweekly": (2, .week), "fortnightly": (2, .week),
        "fortnight": (2, .week), "quarterly": (3, .month), "quarter": (3, .month),
    ]
}

extension Repeat: CustomStringConvertible {
    /// The canonical form.
    public var description: String {
        switch (count, unit) {
        case (1, .day): "daily"
        case (1, .week): "weekly"
        case (1, .month): "monthly"
        case (1, .year): "yearly"
        case (_, .weekday): unit.rawValue
        case (_, .day), (_, .week), (_, .month), (_, .year): "\(count)\(unit.rawValue)"
        }
    }
}

extension Repeat {
    /// The interval in words, which can also be typed: `every 2 weeks`.
    public var words: String { count == 1 ? description : "every \(count) \(unit.plural)" }
}

extension Repeat.Unit {
    fileprivate var plural: String {
        switch self {
        case .day: "days"
        case .weekday: rawValue
        case .week: "weeks"
        case .month: "months"
        case .year: "years"
        }
    }

    /// The unit of a distance in dates; nil for minutes and hours.
    fileprivate init?(_ unit: Distance.Unit) {
        switch unit {
        case .minute, .hour: return nil
        case .day: self = .day
        case .week: self = .week
        case .month: self = .month
        case .year: self = .year
        }
    }
}

extension FieldKey<Repeat> {
    /// The interval at which a task repeats.
    public static var repeating: Self { Self("repeat") }
}

extension FieldKey<String> {
    /// The IANA name of the time zone in whose calendar a series is counted: that of the device where the interval was
    /// set, so that all devices compute the same dates.
    static var repeatZone: Self { Self("repeatZone") }
    /// The id of the task whose completion created this one.
    static var repeatPredecessor: Self { Self("repeatOf") }
}

extension FieldKey<DateValue> {
    /// The first due date of the series, from which it is counted; if missing, it is `due`.
    static var repeatStart: Self { Self("repeatFrom") }
}

extension Repeat: FieldValue {
    public static func read(_ json: JSONValue) -> Repeat? { json.string.flatMap { Repeat($0) } }
    public var stored: JSONValue? { .string(description) }
    public static var kind: FieldKind { .custom(syntax) }

    /// The syntax of an interval. With it, the time zone of the device is set, and the series begins again with the
    /// present due date of the task.
    static let syntax = FieldSyntax(
        noun: "an interval",
        hint: "repeat:daily, weekdays, weekly, monthly, yearly, 3d, 2w, 6mo, \"repeat:every 2 weeks\"",
        examples: ["daily", "weekdays", "weekly", "monthly", "yearly"],
        words: { Repeat($0)?.words ?? $0 },
        companions: { value, dates in
            [
                FieldKey.repeatZone.name: value == nil ? .null : .string(dates.calendar.timeZone.identifier),
                FieldKey.repeatStart.name: .null,
            ]
        },
        canonical: { Repeat($0)?.description })
}

extension TaskRecord {
    /// The interval; nil if the task doesn't repeat, or if this version can't parse the interval.
    public var rule: Repeat? { fields[.repeating] }

    /// Returns the due date of the next instance after a completion; nil if there is none.
    ///
    /// It is the first time of the series after both the due date and the completion. So a late completion doesn't
    /// create a series of overdue tasks, and an early one doesn't repeat the same date. If the due date was moved off
    /// the series, the following ones move with it.
    func nextDue(after end: Timestamp) -> DateValue? {
        guard let due, let next = series?.next(after: max(due.start(in: calendar), end)) else { return nil }
        return lastMoment.map { next <= $0 } ?? true ? due.replaced(by: next, in: calendar) : nil
    }

    /// The times at which it is due.
    var series: Occurrences? {
        guard let rule, let due = due?.start(in: calendar) else { return nil }
        let zone = zone
        let known = fields[.repeatStart].map { Occurrences(rule, from: $0.start(in: calendar), zone: zone) }
        // A due date that isn't in the series was changed by an edit, and begins a new one.
        if let known, known.contains(due) { return known }
        return Occurrences(rule, from: due, zone: zone)
    }

    var zone: String { fields[.repeatZone] ?? "GMT" }

    /// The calendar in which the series is counted.
    var calendar: Calendar { .gregorian(in: zone) }

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

/// The times of a series, counted from its first one in the calendar of a time zone.
///
/// Each is the first one plus a number of intervals, never the previous one plus one: so a series that begins on the
/// 31st is on the 28th in February and on the 31st again in March, and one at 02:30 is at 02:30 again after the night
/// that lacks it.
struct Occurrences {
    let rule: Repeat
    let first: Timestamp
    private let calendar: Calendar

    /// Creates a series.
    ///
    /// - Parameters:
    ///   - rule: The interval.
    ///   - first: The first time.
    ///   - zone: The IANA name of the time zone; an unknown one counts as UTC.
    init(_ rule: Repeat, from first: Timestamp, zone: String) {
        self.rule = rule
        self.first = first
        calendar = .gregorian(in: zone)
    }

    /// Returns whether the series contains this time.
    func contains(_ moment: Timestamp) -> Bool {
        moment == first || (moment > first && next(after: Timestamp(seconds: moment.seconds - 1)) == moment)
    }

    /// Returns the first time of the series, other than its first one, that is after `moment`; nil if there is none
    /// before the year 10000.
    func next(after moment: Timestamp) -> Timestamp? {
        // Doubling, then halving, instead of counting up: a daily task may be overdue for years. It ends, since there
        // is no occurrence after the year 9999.
        var (low, high) = (0, 1)
        while isAtMost(moment, high) { (low, high) = (high, high * 2) }
        while high - low > 1 {
            let middle = (low + high) / 2
            if isAtMost(moment, middle) { low = middle } else { high = middle }
        }
        return occurrence(high)
    }

    /// Returns whether an occurrence exists and is not after a time.
    private func isAtMost(_ moment: Timestamp, _ number: Int) -> Bool {
        occurrence(number).map { $0 <= moment } ?? false
    }

    /// Returns the occurrence of this number; the first one has 0.
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

    /// Returns the days that this number of weekdays spans. A series that begins on a weekend continues as if it had
    /// begun on the Friday before.
    private func days(ofWeekdays number: Int) -> Int {
        // Monday is 0 here; Foundation counts from Sunday, which is 1.
        let day = (calendar.component(.weekday, from: first.date) + 5) % 7
        let start = min(day, 4)
        let (weeks, rest) = number.quotientAndRemainder(dividingBy: 5)
        return number == 0 ? 0 : start - day + 7 * weeks + rest + (start + rest > 4 ? 2 : 0)
    }
}

extension Calendar {
    /// Returns the Gregorian calendar of a time zone, independent of the user's settings.
    ///
    /// - Parameter zone: An IANA name; an unknown one counts as UTC.
    static func gregorian(in zone: String) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        // A zone may be missing in this system's database. UTC is the same for all devices that lack it, unlike the
        // local zone.
        calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
        return calendar
    }
}
