internal import Foundation

/// How often a task comes again: its field `repeat`, for instance `weekly`.
///
/// - `daily`, `weekly`, `monthly`, `yearly`; `weekdays`: Monday to Friday
/// - `3d`, `2w`, `6mo`, `2y`, and in words: `every 2 weeks`, `every other month`, `every day`
/// - names of other tools: `biweekly` and `fortnightly` (2w), `quarterly` (3mo), `annually`
///
/// A text has one canonical form, which is what a record holds: of `every 2 weeks`, `2w`.
public struct Repeat: Sendable, Hashable {
    /// How many units lie between two occurrences: 1 to `maximumCount`; of weekdays always 1.
    public let count: Int
    /// What is counted.
    public let unit: Unit

    /// A unit of the calendar; its raw value follows a count.
    public enum Unit: String, Sendable, CaseIterable {
        /// A day of the calendar, however many hours it has.
        case day = "d"
        /// A day that is no Saturday or Sunday.
        case weekday = "weekdays"
        /// Seven days.
        case week = "w"
        /// A month; where it lacks the day, its last one.
        case month = "mo"
        /// A year; where it lacks the day, 28 February.
        case year = "y"
    }

    /// The largest count.
    public static let maximumCount = 1_000

    /// Every `count` units; nil for a count out of range.
    public init?(every count: Int, _ unit: Unit) {
        guard (1...(unit == .weekday ? 1 : Self.maximumCount)).contains(count) else { return nil }
        self.count = count
        self.unit = unit
    }

    /// Reads a text as a record has it or a person types it; nil if it is none of the forms above.
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

    /// The names that stand for an interval of their own.
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
    /// The interval in words, for people; they may type it so, too: `every 2 weeks`.
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
    /// How often a task comes again.
    public static var repeating: Self { Self("repeat") }
}

extension FieldKey<String> {
    /// The IANA name of the time zone in whose calendar a series is counted: that of the device where the interval was
    /// set, so that all devices count alike.
    static var repeatZone: Self { Self("repeatZone") }
    /// The id of the task whose completion made this one.
    static var repeatPredecessor: Self { Self("repeatOf") }
}

extension FieldKey<Timestamp> {
    /// When the series was due first, from which it is counted; absent: `due` is that moment.
    static var repeatStart: Self { Self("repeatFrom") }
}

extension Repeat: FieldValue {
    public static func read(_ json: JSONValue) -> Repeat? { json.string.flatMap { Repeat($0) } }
    public var stored: JSONValue? { .string(description) }
    public static var kind: FieldKind { .custom(syntax) }

    /// How an interval is typed. With it are set the time zone where it is typed, and that the series begins with the due
    /// date that the task has then.
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
    /// How often it repeats; nil: it doesn't, or this version can't parse the interval.
    public var rule: Repeat? { fields[.repeating] }

    /// When it is due after it was done at a moment; nil: it doesn't come again.
    ///
    /// The first moment of the series after both: its due, and when it was done. So what is done late leaves no heap of
    /// overdue ones behind, and what is done early doesn't come twice. A due that was moved away from the series moves
    /// all that follow.
    public func nextDue(after end: Timestamp) -> Timestamp? {
        guard let due, let next = series?.next(after: max(due, end)) else { return nil }
        return lastMoment.map { next <= $0 } ?? true ? next : nil
    }

    /// The moments at which it is due.
    var series: Occurrences? {
        guard let rule, let due else { return nil }
        let zone = zone
        let known = fields[.repeatStart].map { Occurrences(rule, from: $0, zone: zone) }
        if let known, known.contains(due) { return known }
        return Occurrences(rule, from: due, zone: zone)
    }

    var zone: String { fields[.repeatZone] ?? "GMT" }

    /// Whether the series ends before its due date, and so before it begins.
    public var endsBeforeDue: Bool {
        guard let due, let lastMoment else { return false }
        return lastMoment < due
    }

    /// The moment after which it doesn't come again; of a day, its end.
    private var lastMoment: Timestamp? {
        guard let until = fields[.until] else { return nil }
        let calendar = Calendar.gregorian(in: zone)
        let isDay = calendar.startOfDay(for: until.date) == until.date
        guard isDay, let day = calendar.dateInterval(of: .day, for: until.date) else { return until }
        return Timestamp(day.end.addingTimeInterval(-1))
    }
}

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
