extension Repeat {
    /// The interval in words, which can also be typed: `every 2 weeks`, `the last Friday of each month`; the rule itself
    /// if there are no words for it.
    public var words: String {
        guard let phrase else { return description }
        switch rule.end {
        case nil: return phrase
        case .count(let count)?: return "\(phrase), \(count) \(count == 1 ? "time" : "times")"
        case .day?, .moment?: return description
        }
    }

    /// The words without the end of the rule; nil if there are none.
    private var phrase: String? {
        guard rule.weekStart == .monday else { return nil }
        let unit = rule.frequency.unit
        if isFromCompletion { return "\(unit.counted(rule.interval)) after completion" }
        if rule.isPlain { return period ?? unit.adverb }
        switch rule.frequency {
        case .daily: return nil
        case .weekly: return weekly
        case .monthly:
            guard rule.months.isEmpty, let days = daysOfMonth else { return nil }
            return period.map { "\($0) on the \(days)" } ?? "the \(days) of each month"
        case .yearly: return yearly
        }
    }

    /// The words for an interval of several units: `every 2 weeks`.
    private var period: String? {
        rule.interval == 1 ? nil : "every " + rule.frequency.unit.counted(rule.interval)
    }

    private var weekly: String? {
        guard rule.months.isEmpty, rule.positions.isEmpty else { return nil }
        let days = rule.weekdays.map(\.weekday)
        let names = days.map(\.name).joined(conjunction: "and")
        if let period { return "\(period) on \(names)" }
        switch days {
        case [.monday, .tuesday, .wednesday, .thursday, .friday]: return "weekdays"
        case [.saturday, .sunday]: return "weekends"
        default: return "every \(names)"
        }
    }

    private var yearly: String? {
        guard rule.months.count == 1, let month = rule.months.first.map({ CalendarNames.name(ofMonth: $0) }) else {
            return nil
        }
        if let day = dayOfMonth, rule.weekdays.isEmpty {
            return period.map { "\($0) on \(day) \(month)" } ?? "every \(day) \(month)"
        }
        return daysOfMonth.map { "\(period ?? "every year") on the \($0) of \(month)" }
    }

    /// The only day of the month; of a rule that moves it to the end of shorter months, the day that is meant.
    private var dayOfMonth: Int? {
        guard let last = rule.monthDays.last, last > 0 else { return nil }
        if rule.positions.isEmpty { return rule.monthDays.count == 1 ? last : nil }
        return rule.positions == [-1] && last > 28 && rule.monthDays == Array(28...last) ? last : nil
    }

    /// The words for the days in a month: `1st and 15th`, `last day`, `last Friday`, `first weekday`.
    private var daysOfMonth: String? {
        if rule.weekdays.isEmpty {
            if let dayOfMonth { return CalendarNames.digits(dayOfMonth) }
            guard rule.positions.isEmpty, !rule.monthDays.isEmpty else { return nil }
            let numbers = rule.monthDays.map(CalendarNames.digits).joined(conjunction: "and")
            return rule.monthDays.contains { $0 < 0 } ? numbers + " day" : numbers
        }
        guard rule.monthDays.isEmpty else { return nil }
        if rule.positions.isEmpty {
            guard rule.weekdays.allSatisfy({ $0.ordinal != 0 && abs($0.ordinal) <= 31 }) else { return nil }
            return rule.weekdays.map { "\(CalendarNames.word($0.ordinal)) \($0.weekday.name)" }.joined(
                conjunction: "and")
        }
        let weekdays = RecurrenceRule.Weekday.allCases.prefix(5).map { RecurrenceRule.WeekdayPart($0) }
        guard rule.weekdays == weekdays, rule.positions.allSatisfy({ abs($0) <= 31 }) else { return nil }
        return rule.positions.map(CalendarNames.word).joined(conjunction: "and") + " weekday"
    }
}

// The form for lists.
extension Repeat {
    /// The rule in few letters: `2w`, `Mon, Wed, Fri`, `last Fri`, `15th`, `3d after done`, `weekly ×5`; the rule itself
    /// if there are no words for it. Not all of these can be typed.
    public var listText: String {
        guard let phrase = listPhrase else { return description }
        switch rule.end {
        case nil: return phrase
        case .count(let count)?: return "\(phrase) ×\(count)"
        case .day?, .moment?: return description
        }
    }

    private var listPhrase: String? {
        guard rule.weekStart == .monday else { return nil }
        let unit = rule.frequency.unit
        let period = "\(rule.interval)\(unit.letters)"
        if isFromCompletion { return "\(period) after done" }
        if rule.isPlain { return rule.interval == 1 ? unit.adverb : period }
        guard phrase != nil, let days = listDays else { return nil }
        return rule.interval == 1 ? days : "\(period) \(days)"
    }

    /// The days of a rule that has words.
    private var listDays: String? {
        switch rule.frequency {
        case .daily: return nil
        case .weekly: return listWeekdays
        case .monthly: return briefDaysOfMonth
        case .yearly:
            guard let month = rule.months.first.map({ CalendarNames.name(ofMonth: $0).prefix(3) }) else { return nil }
            if rule.weekdays.isEmpty, let dayOfMonth { return "\(dayOfMonth) \(month)" }
            return briefDaysOfMonth.map { "\($0) \(month)" }
        }
    }

    private var listWeekdays: String {
        let days = rule.weekdays.map(\.weekday)
        switch days {
        case [.monday, .tuesday, .wednesday, .thursday, .friday]: return "weekdays"
        case [.saturday, .sunday]: return "weekends"
        default: return days.map { String($0.name.prefix(3)) }.joined(separator: ", ")
        }
    }

    private var briefDaysOfMonth: String? {
        if rule.weekdays.isEmpty {
            return dayOfMonth.map { CalendarNames.digits($0) }
                ?? rule.monthDays.map { $0 == -1 ? "last day" : CalendarNames.digits($0) }.joined(separator: ", ")
        }
        if rule.positions.isEmpty {
            return rule.weekdays.map { "\(CalendarNames.digits($0.ordinal)) \($0.weekday.name.prefix(3))" }
                .joined(separator: ", ")
        }
        return rule.positions.map { CalendarNames.digits($0) }.joined(separator: ", ") + " weekday"
    }
}

extension RecurrenceRule.Weekday {
    /// Its English name: `Monday`.
    var name: String {
        switch self {
        case .monday: "Monday"
        case .tuesday: "Tuesday"
        case .wednesday: "Wednesday"
        case .thursday: "Thursday"
        case .friday: "Friday"
        case .saturday: "Saturday"
        case .sunday: "Sunday"
        }
    }
}
