internal import Foundation

extension TaskRecord {
    /// The fields of a task that repeats.
    public enum RepeatField {
        /// How often, see `Repeat`.
        public static let rule = "repeat"
        /// The IANA name of the time zone in whose calendar it is counted: that of the device where `rule` was set, so
        /// that all devices count alike.
        public static let zone = "repeatZone"
        /// When the series was due first, from which it is counted; absent: `due` is that moment.
        public static let start = "repeatFrom"
        /// The id of the task whose completion made this one.
        public static let predecessor = "repeatOf"

        /// What only says how the series is counted.
        public static let inner: Set<String> = [zone, start, predecessor]
    }

    /// How often it comes again; nil: it doesn't, or nobody here knows how.
    public var rule: Repeat? { fields[text: RepeatField.rule].flatMap { Repeat($0) } }

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
        let known = fields[time: RepeatField.start].map { Occurrences(rule, from: $0, zone: zone) }
        if let known, known.contains(due) { return known }
        return Occurrences(rule, from: due, zone: zone)
    }

    var zone: String { fields[text: RepeatField.zone] ?? "GMT" }

    /// Whether the series ends before its due date, and so before it begins.
    public var endsBeforeDue: Bool {
        guard let due, let lastMoment else { return false }
        return lastMoment < due
    }

    /// The moment after which it doesn't come again; of a day, its end.
    private var lastMoment: Timestamp? {
        guard let until = fields[time: "until"] else { return nil }
        let calendar = Calendar.gregorian(in: zone)
        let isDay = calendar.startOfDay(for: until.date) == until.date
        guard isDay, let day = calendar.dateInterval(of: .day, for: until.date) else { return until }
        return Timestamp(day.end.addingTimeInterval(-1))
    }
}

extension Record {
    /// Whether the completion of another task made it: so that another device may make the same one.
    public var isNextInstance: Bool { fields[TaskRecord.RepeatField.predecessor] != nil }
}
