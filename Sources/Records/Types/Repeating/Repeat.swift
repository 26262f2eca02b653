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
