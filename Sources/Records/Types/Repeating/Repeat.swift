internal import Foundation

/// How a task repeats: its field `repeat`, stored as a rule of RFC 5545: `FREQ=WEEKLY;INTERVAL=2`.
///
/// - intervals: `daily`, `weekly`, `monthly`, `yearly`, `3d`, `2w`, `6mo`, `2y`, `every 2 weeks`, `every other month`
/// - days of the week: `weekdays`, `weekends`, `every monday`, `mon,wed,fri`, `every 2 weeks on friday`
/// - days of the month and year: `every 15th`, `last day of the month`, `first monday`, `last weekday`, `every 3 jan`
/// - from the completion: `every! 3 days`, `after 3 days`; with an end: `daily for 5 times`
/// - any `RecurrenceRule`: `FREQ=MONTHLY;BYDAY=2TU`
///
/// An interval from the completion isn't part of RFC 5545. It is stored as `FREQ=DAILY;INTERVAL=3;X-FROM=COMPLETION`
/// (record 0005 of Records).
public struct Repeat: Sendable, Hashable {
    /// The rule as stored.
    public let rule: RecurrenceRule
    /// Whether the interval is counted from the completion of a task, instead of its due date.
    public let isFromCompletion: Bool

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - isFromCompletion: Whether the interval is counted from the completion.
    /// - Throws: `RecurrenceError` for a rule from the completion that is more than an interval.
    public init(_ rule: RecurrenceRule, isFromCompletion: Bool = false) throws(RecurrenceError) {
        guard !isFromCompletion || (rule.isPlain && rule.end == nil) else {
            throw RecurrenceError(
                "", "only a plain interval, such as “after 3 days”, can be counted from the completion")
        }
        self.rule = rule
        self.isFromCompletion = isFromCompletion
    }

    /// Parses a stored or typed text; nil if it has none of the forms above.
    public init?(_ text: String) {
        // `try?`: the reason is for messages; see `problem(with:)`.
        guard let value = try? Self.parsed(text) else { return nil }
        self = value
    }

    /// Returns the reason why a text can't be parsed, a clause; nil if it isn't known, or if the text can be parsed.
    static func problem(with text: String) -> String? {
        do throws(RecurrenceError) {
            _ = try parsed(text)
            return nil
        } catch { return error.description }
    }

    private static let fromCompletion = ";X-FROM=COMPLETION"

    /// Parses a text; nil if it has no known form.
    ///
    /// - Throws: `RecurrenceError` if its form is known and a part of it is wrong.
    private static func parsed(_ text: String) throws(RecurrenceError) -> Repeat? {
        let upper = text.trimmingCharacters(in: .whitespaces).uppercased()
        guard upper.hasPrefix("RRULE:") || upper.contains("FREQ=") else { return try RepeatPhrase.read(text) }
        let isFromCompletion = upper.hasSuffix(fromCompletion)
        let rule = isFromCompletion ? String(upper.dropLast(fromCompletion.utf8.count)) : upper
        return try Repeat(RecurrenceRule(parsing: rule), isFromCompletion: isFromCompletion)
    }

    /// Returns the rule that means the same to every reader of RFC 5545 for a series from a day on.
    ///
    /// It differs from the stored rule if a month or a year may lack the day: RFC 5545 skips such months, where an
    /// interval such as `monthly` means their last day. So `FREQ=MONTHLY` from the 31st on is
    /// `FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1`.
    public func rule(from start: CalendarDay) -> RecurrenceRule {
        var exact = rule
        guard rule.isPlain, start.day > 28 else { return exact }
        switch rule.frequency {
        case .daily, .weekly: return exact
        case .yearly where start.month != 2: return exact
        case .yearly: exact.months = [2]
        case .monthly: break
        }
        exact.monthDays = Array(28...start.day)
        exact.positions = [-1]
        return exact
    }
}

extension Repeat: CustomStringConvertible {
    /// The canonical text, as stored.
    public var description: String { rule.description + (isFromCompletion ? Self.fromCompletion : "") }

    /// The short form of an interval: `2w`, `weekly`, `weekdays`; nil for any other rule. Programs get it, and earlier
    /// versions stored it.
    public var scriptText: String? {
        guard !isFromCompletion, rule.end == nil, rule.weekStart == .monday else { return nil }
        guard rule.isPlain else { return isWeekdays ? "weekdays" : nil }
        let unit = rule.frequency.unit
        return rule.interval == 1 ? unit.adverb : "\(rule.interval)\(unit.letters)"
    }

    /// Whether it means each day from Monday to Friday.
    var isWeekdays: Bool {
        let days = RecurrenceRule.Weekday.allCases.prefix(5).map { RecurrenceRule.WeekdayPart($0) }
        let isBare = rule.months.isEmpty && rule.monthDays.isEmpty && rule.positions.isEmpty && rule.end == nil
        return isBare && rule.frequency == .weekly && rule.interval == 1 && rule.weekdays == days
            && rule.weekStart == .monday && !isFromCompletion
    }
}

extension RecurrenceRule.Frequency {
    /// The words for one and for several units, the adverb, and the letters after a number.
    var unit: Unit {
        switch self {
        case .daily: Unit(name: "day", adverb: "daily", letters: "d")
        case .weekly: Unit(name: "week", adverb: "weekly", letters: "w")
        case .monthly: Unit(name: "month", adverb: "monthly", letters: "mo")
        case .yearly: Unit(name: "year", adverb: "yearly", letters: "y")
        }
    }

    /// The words for a unit of the calendar.
    struct Unit {
        let name: String
        let adverb: String
        let letters: String

        /// Returns a number of units: `1 day`, `3 days`.
        func counted(_ count: Int) -> String { count == 1 ? "1 \(name)" : "\(count) \(name)s" }
    }
}

// MARK: - The field

extension FieldKey<Repeat> {
    /// The rule by which a task repeats.
    public static var repeating: Self { Self("repeat") }
}

extension FieldKey<String> {
    /// The IANA name of the time zone in whose calendar a series is counted: that of the device where the interval was
    /// set, so that all devices compute the same dates.
    package static var repeatZone: Self { Self("repeatZone") }
    /// The id of the task whose completion created this one.
    package static var repeatPredecessor: Self { Self("repeatOf") }
}

extension FieldKey<DateValue> {
    /// The first due date of the series, from which it is counted; if missing, it is `due`.
    package static var repeatStart: Self { Self("repeatFrom") }
}

extension Repeat: FieldValue {
    public static func read(_ json: JSONValue) -> Repeat? { json.string.flatMap { Repeat($0) } }
    public var stored: JSONValue? { .string(description) }
    public static var kind: FieldKind { .custom(syntax) }

    /// The syntax of an interval. With it, the time zone of the device is set, and the series begins again with the
    /// current due date of the task.
    static let syntax = FieldSyntax(
        noun: "an interval",
        hint: "repeat:daily, weekdays, weekly, monthly, yearly, 3d, 2w, mon,wed,fri, every 2 weeks, last friday, "
            + "after 3 days",
        // Of one word each, so that they can be typed without quotes.
        examples: [
            "daily", "weekdays", "weekends", "weekly", "monthly", "yearly", "3d", "2w", "6mo", "monday", "mon,wed,fri",
            "15th",
        ],
        words: { Repeat($0)?.words ?? $0 },
        listText: { Repeat($0)?.listText ?? $0 },
        scriptText: { Repeat($0)?.scriptText },
        companions: { value, dates in
            [
                FieldKey.repeatZone.name: value == nil ? .null : .string(dates.calendar.timeZone.identifier),
                FieldKey.repeatStart.name: .null,
            ]
        },
        problem: { Repeat.problem(with: $0) },
        canonical: { Repeat($0)?.description })
}
