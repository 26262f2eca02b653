internal import Foundation

/// Parses date expressions; see `DateExpression` for their forms.
struct DateReader {
    typealias Reading = (date: Date, isDay: Bool)

    let context: DateExpression.Context

    /// The words that mean a date without others, for suggestions.
    static let words =
        ["today", "tomorrow", "yesterday", "now", "noon"] + weekdays
        + ["sod", "eod", "sow", "eow", "som", "eom", "soy", "eoy"]

    static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    var now: Date { context.now }
    var calendar: Calendar { context.calendar }
    var today: Reading { (calendar.startOfDay(for: now), true) }

    func read(_ text: String) -> Reading? {
        if let moment = Timestamp(text) ?? Timestamp(compact: text) ?? Timestamp(toTheMinute: text) {
            return (moment.date, false)
        }
        var words = Self.words(of: text)
        guard let last = words.last else { return nil }
        guard let time = TimeOfDay(last) else { return readDay(words) }
        words.removeLast()
        if words.last == "at" { words.removeLast() }
        guard let day = words.isEmpty ? today : readDay(words), day.isDay else { return nil }
        return context.moment(of: time, on: day.date).map { ($0, false) }
    }

    /// Returns the words in lower case, without an initial `on`; `3 pm` is one word, `2026-11-21t15:00` two.
    private static func words(of text: String) -> [String] {
        var words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        if words.count == 1, let parts = isoParts(words[0]) { return parts }
        if words.count > 1, words[0] == "on" { words.removeFirst() }
        if let half = words.last, half == "am" || half == "pm", words.count > 1,
            words[words.count - 2].last?.isNumber == true
        {
            words.removeLast()
            words[words.count - 1] += half
        }
        return words
    }

    /// Splits `2026-11-21t15:00` into a date and a time.
    private static func isoParts(_ word: String) -> [String]? {
        let parts = word.split(separator: "t", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 && parts[0].first?.isNumber == true && TimeOfDay(parts[1]) != nil ? parts : nil
    }

    /// Parses an expression without a time of day.
    private func readDay(_ words: [String]) -> Reading? {
        if let day = context.calendarDay(words) { return (day, true) }
        switch words.count {
        case 1: return keyword(words[0]) ?? context.isoDay(words[0]).map { ($0, true) } ?? distance(words)
        case 2 where words[0] == "next" || words[0] == "this": return named(words[1], isNext: words[0] == "next")
        case 3 where words[1] == "of": return boundary(words[0], of: words[2])
        default: return distance(words)
        }
    }
}

// MARK: - Words

extension DateReader {
    private func keyword(_ word: String) -> Reading? {
        switch word {
        case "now": (now, false)
        case "today", "sod": today
        case "tomorrow": (context.start(ofDay: 1).date, true)
        case "yesterday": (context.start(ofDay: -1).date, true)
        case "sow": start(of: .weekOfYear)
        case "som": start(of: .month)
        case "soy": start(of: .year)
        case "eod": end(of: .day)
        case "eow": end(of: .weekOfYear)
        case "eom": end(of: .month)
        case "eoy": end(of: .year)
        default: weekday(word)
        }
    }

    /// Parses `next friday`, `next week`, `this friday`.
    private func named(_ word: String, isNext: Bool) -> Reading? {
        if let day = weekday(word) { return day }
        guard isNext, let unit = Distance.Unit(word), unit.isDays else { return nil }
        return after(Distance(count: 1, unit: unit))
    }

    /// Parses `end of month`, `start of week`.
    private func boundary(_ word: String, of unit: String) -> Reading? {
        guard let unit = Distance.Unit(unit), unit.isDays else { return nil }
        switch word {
        case "start", "beginning": return start(of: unit.component)
        case "end": return end(of: unit.component)
        default: return nil
        }
    }

    /// Returns the first such day after today.
    private func weekday(_ word: String) -> Reading? {
        guard word.count >= 3, let index = Self.weekdays.firstIndex(where: { $0.hasPrefix(word) }) else { return nil }
        let distance = (index + 1 - calendar.component(.weekday, from: now) + 7) % 7
        return (context.start(ofDay: distance == 0 ? 7 : distance).date, true)
    }

    private func start(of unit: Calendar.Component) -> Reading? {
        calendar.dateInterval(of: unit, for: now).map { ($0.start, true) }
    }

    private func end(of unit: Calendar.Component) -> Reading? {
        // The last second, since a due date at the start of a day means all of that day.
        calendar.dateInterval(of: unit, for: now).map { ($0.end.addingTimeInterval(-1), false) }
    }
}

// MARK: - Distances

extension DateReader {
    /// Parses `3d`, `3 days`, `in 3 days`, `3 days ago`.
    private func distance(_ words: [String]) -> Reading? {
        var words = words[...]
        let isBack = words.last == "ago"
        if isBack { words.removeLast() } else if words.first == "in" { words.removeFirst() }
        guard (1...2).contains(words.count), let distance = Distance(words.joined()) else { return nil }
        return after(isBack ? distance.reversed : distance)
    }

    /// Counts hours and minutes from now, days and longer units from today.
    private func after(_ distance: Distance) -> Reading? {
        let component = distance.unit.component
        if !distance.unit.isDays {
            return calendar.date(byAdding: component, value: distance.count, to: now).map { ($0, false) }
        }
        return calendar.date(byAdding: component, value: distance.count, to: context.noon(on: now))
            .map { (calendar.startOfDay(for: $0), true) }
    }
}
