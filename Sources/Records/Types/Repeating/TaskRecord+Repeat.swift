internal import Foundation

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
