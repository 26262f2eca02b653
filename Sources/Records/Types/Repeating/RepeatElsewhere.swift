// Intervals in the notation of other programs, which have no rules.
extension Repeat {
    /// The value of Taskwarrior's `recur`: `weekly`, `2weeks`, `weekdays`; nil if Taskwarrior has none for it.
    package var taskwarrior: String? {
        guard !isFromCompletion, rule.end == nil else { return nil }
        if isWeekdays { return "weekdays" }
        guard rule.isPlain, rule.weekStart == .monday else { return nil }
        let unit = rule.frequency.unit
        return rule.interval == 1 ? unit.adverb : "\(rule.interval)\(unit.name)s"
    }

    /// The value of `rec:`, which programs of todo.txt share: `+2w`, or `2w` if counted from the completion; nil if there
    /// is none for it.
    package var todoTxt: String? {
        guard rule.end == nil else { return nil }
        if isWeekdays { return "+1b" }
        guard rule.isPlain, rule.weekStart == .monday else { return nil }
        return (isFromCompletion ? "" : "+") + "\(rule.interval)\(rule.frequency.unit.letters.prefix(1))"
    }

    /// Parses a value of `rec:`; nil for any other text.
    package init?(todoTxt text: String) {
        let isFromCompletion = !text.hasPrefix("+")
        let digits = text.dropFirst(isFromCompletion ? 0 : 1).prefix { $0.isASCII && $0.isNumber }
        let unit = text.suffix(1)
        guard let count = Int(digits), text.utf8.count == digits.utf8.count + (isFromCompletion ? 1 : 2) else {
            return nil
        }
        if unit == "b" {
            guard count == 1, !isFromCompletion else { return nil }
            self.init("weekdays")
            return
        }
        let frequency = RecurrenceRule.Frequency.allCases.first { $0.unit.letters.prefix(1) == unit }
        // `try?`: an interval beyond the limits is kept as the text that it is.
        guard let frequency, let rule = try? RecurrenceRule(frequency, interval: count),
            let value = try? Repeat(rule, isFromCompletion: isFromCompletion)
        else { return nil }
        self = value
    }

    /// Taskwarrior's names and letters of intervals that mean something else here, or nothing.
    private static let names = [
        "annual": "yearly", "biannual": "2y", "biyearly": "2y", "bimonthly": "2mo", "semiannual": "6mo",
        "sennight": "2w", "q": "quarterly", "m": "monthly",
    ]

    /// Parses a value of Taskwarrior's `recur`: `weekly`, `2weeks`, `3m`, `2q`, `P1M`; nil if it has no such interval, as
    /// for one shorter than a day.
    package init?(taskwarrior text: String) {
        let text = text.lowercased()
        if let name = Self.names[text] {
            self.init(name)
            return
        }
        // ISO 8601 with one unit: P3D, P2W, P1M, P1Y.
        let isISO = text.hasPrefix("p") && text.utf8.count > 2
        let rest = isISO ? text.dropFirst() : text[...]
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let unit = rest.dropFirst(digits.utf8.count)
        // Without digits it is a name: a phrase such as “monday” isn't one of Taskwarrior's.
        guard !isISO || (!digits.isEmpty && unit.utf8.count == 1), !text.contains(" ") else { return nil }
        let interval: String
        switch unit {
        case "m", "mth", "mths", "mnths", "mos": interval = "\(digits)mo"
        case "q", "qtr", "qtrs", "qrtrs", "quarter", "quarters", "quarterly":
            guard let count = digits.isEmpty ? 1 : Int(digits), count <= RecurrenceRule.maximumInterval else {
                return nil
            }
            interval = "\(count * 3)mo"
        default: interval = String(rest)
        }
        guard let value = Repeat(interval), value.rule.isPlain || value.isWeekdays, !value.isFromCompletion,
            value.rule.end == nil
        else { return nil }
        self = value
    }
}
