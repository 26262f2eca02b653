/// Parses intervals in words: `every 2 weeks on friday`, `last weekday of the month`, `after 3 days`.
///
/// A phrase has a head, the period (`every 2 weeks`), and a tail, the days in it (`on friday`). Each may be missing.
struct RepeatPhrase {
    /// The period: its frequency and interval.
    private var head: Head?
    private var tail = Tail()

    private struct Head {
        let frequency: RecurrenceRule.Frequency
        let interval: Int
    }

    /// Parses a phrase; nil if it has no known form.
    ///
    /// - Throws: `RecurrenceError` if a part of it is wrong.
    static func read(_ text: String) throws(RecurrenceError) -> Repeat? {
        var words = text.lowercased().split { $0.isWhitespace || $0 == "," }.map(String.init)
        let count = removeCount(from: &words)
        var isFromCompletion = words.suffix(2) == ["after", "completion"]
        if isFromCompletion {
            words.removeLast(2)
        } else if words.first == "after" || words.first == "every!" {
            isFromCompletion = true
        }
        try checkOrdinal(words)
        words.removeAll { particles.contains($0) }
        guard !words.isEmpty, var phrase = try RepeatPhrase(words[...]) else { return nil }
        guard let rule = try phrase.rule(end: count.map { RecurrenceRule.End.count($0) }) else { return nil }
        return try Repeat(rule, isFromCompletion: isFromCompletion)
    }

    private static let particles: Set = ["every", "every!", "each", "after", "and", "the", "of", "on"]

    /// Refuses `every 2nd monday`, which means every other Monday to some, and the second one of each month to others.
    private static func checkOrdinal(_ words: [String]) throws(RecurrenceError) {
        guard words.count == 3, ["every", "each"].contains(words[0]), let number = CalendarNames.ordinal(words[1]),
            number > 1, let day = CalendarNames.weekday(words[2])
        else { return }
        let name = day.name.lowercased()
        throw RecurrenceError(
            "",
            "it has two meanings: “every \(number) weeks on \(name)” and “\(CalendarNames.digits(number)) \(name) of the "
                + "month”")
    }

    /// Removes `for 5 times` or `5 times` from the end.
    private static func removeCount(from words: inout [String]) -> Int? {
        guard words.count > 2, words.last == "times" || words.last == "time", let count = Int(words[words.count - 2])
        else { return nil }
        words.removeLast(2)
        if words.last == "for" { words.removeLast() }
        return count
    }

    /// Parses the words; nil if one of them isn't known.
    private init?(_ words: ArraySlice<String>) throws(RecurrenceError) {
        var words = words
        head = try Self.removeHead(from: &words)
        guard tail.read(words, isAlone: head == nil) else { return nil }
    }

    // MARK: The period

    private static let names: [String: Head] = [
        "daily": Head(frequency: .daily, interval: 1), "weekly": Head(frequency: .weekly, interval: 1),
        "biweekly": Head(frequency: .weekly, interval: 2), "fortnightly": Head(frequency: .weekly, interval: 2),
        "fortnight": Head(frequency: .weekly, interval: 2), "monthly": Head(frequency: .monthly, interval: 1),
        "quarterly": Head(frequency: .monthly, interval: 3), "quarter": Head(frequency: .monthly, interval: 3),
        "yearly": Head(frequency: .yearly, interval: 1), "annually": Head(frequency: .yearly, interval: 1),
    ]

    private static func removeHead(from words: inout ArraySlice<String>) throws(RecurrenceError) -> Head? {
        guard let word = words.first else { return nil }
        let rest = words.dropFirst()
        if ["hourly", "minutely"].contains(word) { throw RecurrenceError("", RecurrenceRule.tooOften) }
        if let head = names[word] {
            words = rest
            return head
        }
        if let unit = Distance.Unit(word) {
            words = rest
            return try head(1, unit)
        }
        if let distance = Distance(word) {
            words = rest
            return try head(distance.count, distance.unit)
        }
        guard let next = rest.first else { return nil }
        if word == "other", CalendarNames.weekday(next) != nil {
            words = rest
            return Head(frequency: .weekly, interval: 2)
        }
        guard let distance = Distance((word == "other" ? "2" : word) + next) else { return nil }
        words = rest.dropFirst()
        return try head(distance.count, distance.unit)
    }

    private static func head(_ count: Int, _ unit: Distance.Unit) throws(RecurrenceError) -> Head {
        switch unit {
        case .minute, .hour: throw RecurrenceError("", RecurrenceRule.tooOften)
        case .day: return Head(frequency: .daily, interval: count)
        case .week: return Head(frequency: .weekly, interval: count)
        case .month: return Head(frequency: .monthly, interval: count)
        case .year: return Head(frequency: .yearly, interval: count)
        }
    }

    // MARK: The rule

    /// Returns the rule; nil if period and days don't fit together.
    private mutating func rule(end: RecurrenceRule.End?) throws(RecurrenceError) -> RecurrenceRule? {
        guard let frequency = head?.frequency ?? tail.frequency, tail.fits(frequency) else { return nil }
        try tail.moveToMonthEnd(frequency)
        return try RecurrenceRule(
            frequency, interval: head?.interval ?? 1, months: tail.months, monthDays: tail.monthDays,
            weekdays: tail.weekdays, positions: tail.positions, end: end)
    }
}

/// The days that a phrase names.
private struct Tail {
    var months: [Int] = []
    var monthDays: [Int] = []
    var weekdays: [RecurrenceRule.WeekdayPart] = []
    var positions: [Int] = []
    /// Whether it has the word `month`.
    private var namesMonth = false
    /// The numbers before a word, such as 1 and 3 in `first and third monday`.
    private var ordinals: [Int] = []
    /// Whether these numbers were applied to a word.
    private var isApplied = false
    /// Numbers such as 3 in `3 jan`.
    private var numbers: [Int] = []

    /// Reads words; returns false if one isn't known, or if they have no meaning together.
    ///
    /// - Parameter isAlone: Whether no period precedes them.
    mutating func read(_ words: ArraySlice<String>, isAlone: Bool) -> Bool {
        var namesDay = false
        for word in words {
            if let ordinal = CalendarNames.ordinal(word) {
                if isApplied { ordinals = [] }
                isApplied = false
                ordinals.append(ordinal)
            } else if let weekday = CalendarNames.weekday(word) {
                add([weekday])
            } else if word == "weekday" || word == "weekdays" {
                addGroup(Array(RecurrenceRule.Weekday.allCases.prefix(5)))
            } else if word == "weekend" || word == "weekends", ordinals.isEmpty {
                add([.saturday, .sunday])
            } else if word == "day", !ordinals.isEmpty, !isApplied {
                namesDay = true
                addMonthDays()
            } else if word == "month" || word == "months" {
                namesMonth = true
            } else if let month = CalendarNames.month(word) {
                months.append(month)
            } else if let number = Int(word), (1...31).contains(number) {
                numbers.append(number)
            } else {
                return false
            }
        }
        if !isApplied { addMonthDays() }
        if months.isEmpty, !numbers.isEmpty { return false }
        monthDays += numbers
        // `every 3rd day` could be an interval.
        return !(namesDay && isAlone && !namesMonth && months.isEmpty && monthDays.contains { abs($0) != 1 })
    }

    private mutating func add(_ days: [RecurrenceRule.Weekday]) {
        for ordinal in ordinals.isEmpty ? [0] : ordinals {
            weekdays += days.map { RecurrenceRule.WeekdayPart($0, ordinal: ordinal) }
        }
        isApplied = true
    }

    /// Adds days of which the numbers before them select some: `last weekday`.
    private mutating func addGroup(_ days: [RecurrenceRule.Weekday]) {
        weekdays += days.map { RecurrenceRule.WeekdayPart($0) }
        positions += ordinals
        isApplied = true
    }

    private mutating func addMonthDays() {
        monthDays += ordinals
        isApplied = true
    }

    private var isEmpty: Bool { months.isEmpty && monthDays.isEmpty && weekdays.isEmpty }

    private var hasEachWeekday: Bool { positions.isEmpty && weekdays.contains { $0.ordinal == 0 } }

    private var hasOrdinalWeekdays: Bool { weekdays.contains { $0.ordinal != 0 } }

    /// The frequency that follows from the days; nil if there are none.
    var frequency: RecurrenceRule.Frequency? {
        if isEmpty { return nil }
        if !months.isEmpty { return .yearly }
        return hasEachWeekday && !namesMonth ? .weekly : .monthly
    }

    /// Returns whether the days have a meaning in such a period, and only one.
    func fits(_ frequency: RecurrenceRule.Frequency) -> Bool {
        let kinds = [!monthDays.isEmpty, hasEachWeekday, hasOrdinalWeekdays, !positions.isEmpty]
        let isOne = kinds.count { $0 } == 1 && (positions.isEmpty || weekdays.count == 5)
        switch frequency {
        case .daily: return isEmpty && !namesMonth
        case .weekly: return months.isEmpty && !namesMonth && (isEmpty || (isOne && hasEachWeekday))
        case .monthly: return months.isEmpty && (isEmpty ? !namesMonth : isOne && !hasEachWeekday)
        case .yearly: return !namesMonth && (isEmpty || (!months.isEmpty && isOne && !hasEachWeekday))
        }
    }

    /// Replaces a day that some months lack by the last one in them: the 31st is the 30th in April. RFC 5545 would skip
    /// these months.
    ///
    /// - Throws: `RecurrenceError` for a day that the only month never has.
    mutating func moveToMonthEnd(_ frequency: RecurrenceRule.Frequency) throws(RecurrenceError) {
        // 2024 is a leap year.
        let longest = months.map { CalendarDay.days(in: $0, of: 2_024) }.max() ?? 31
        for day in monthDays where day > longest {
            throw RecurrenceError("", "that month has \(longest) days")
        }
        guard monthDays.count == 1, let day = monthDays.first, day > 28, frequency == .monthly || months == [2] else {
            return
        }
        monthDays = Array(28...day)
        positions = [-1]
    }
}

/// The words for weekdays, months and ordinal numbers.
enum CalendarNames {
    private static let monthNames = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let ordinals = ["first", "second", "third", "fourth", "fifth"]
    private static let fromEnd = "-to-last"

    /// Returns the weekday of a name, also shortened to three letters or more, or in the plural.
    static func weekday(_ word: String) -> RecurrenceRule.Weekday? {
        guard word.utf8.count >= 3 else { return nil }
        return RecurrenceRule.Weekday.allCases.first { ($0.name.lowercased() + "s").hasPrefix(word) }
    }

    /// Returns the number of a month's name, also shortened to three letters or more.
    static func month(_ word: String) -> Int? {
        guard word.utf8.count >= 3 else { return nil }
        return monthNames.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }

    /// Returns the name of a month: 1 is January.
    static func name(ofMonth month: Int) -> String {
        let name = monthNames[month - 1]
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Returns the number of `1st`, `second`, `last` (-1) or `2nd-to-last` (-2).
    static func ordinal(_ word: String) -> Int? {
        if word == "last" { return -1 }
        if word.hasSuffix(fromEnd) {
            return ordinal(String(word.dropLast(fromEnd.count))).flatMap { $0 > 1 ? -$0 : nil }
        }
        if let index = ordinals.firstIndex(of: word) { return index + 1 }
        guard ["st", "nd", "rd", "th"].contains(word.suffix(2)), let number = Int(word.dropLast(2)),
            (1...31).contains(number)
        else { return nil }
        return number
    }

    /// Returns an ordinal number in digits: `1st`, `2nd-to-last`, `last`.
    static func digits(_ number: Int) -> String {
        if number == -1 { return "last" }
        let size = abs(number)
        let ending =
            switch (size % 100, size % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(size)\(ending)" + (number < 0 ? fromEnd : "")
    }

    /// Returns an ordinal number as a word up to five: `first`, `last`, `6th`.
    static func word(_ number: Int) -> String {
        (1...ordinals.count).contains(number) ? ordinals[number - 1] : digits(number)
    }
}
