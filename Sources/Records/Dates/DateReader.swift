internal import Foundation

/// Parses date expressions; see `DateExpression` for their forms.
struct DateReader {
    typealias Reading = (date: Date, isDay: Bool)

    let context: DateExpression.Context
    /// The meaning of a time without a day when it is past.
    let past: DateExpression.PastTime

    /// The largest number of bytes of an expression in words. It bounds the work for a text that isn't a date.
    static let maximumBytes = 100

    static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    var now: Date { context.now }
    var calendar: Calendar { context.calendar }
    var today: Reading { (calendar.startOfDay(for: now), true) }

    func read(_ text: String) -> Reading? {
        if case .time(let moment, _)? = Self.timeWithOffset(text) { return (moment.date, false) }
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let words = Self.words(of: text)
        return sum(words) ?? dayOrTime(words)
    }

    /// Parses a time with its offset from UTC, which means the same in every time zone; nil for any other text.
    static func timeWithOffset(_ text: String) -> DateValue? {
        if case .time(let moment, let zone)? = DateValue(text) { return .time(moment, zone: zone) }
        return (Timestamp(compact: text) ?? Timestamp(toTheMinute: text)).map { .time($0) }
    }

    /// Returns the words in lower case in a uniform way: without an initial `on` and without `the`; `3 pm` is one word,
    /// `2026-11-21t15:00` two; for `at 17`, `at 17:00`; for `tonight` and `this evening`, `today night` and `today evening`.
    static func words(of text: String) -> [String] {
        var typed = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        if typed.count == 1, let parts = isoParts(typed[0]) { return parts }
        if typed.count > 1, typed[0] == "on" { typed.removeFirst() }
        var words: [String] = []
        for (index, word) in typed.enumerated() {
            let next = index + 1 < typed.count ? typed[index + 1] : nil
            switch word {
            case "tonight": words += ["today", "night"]
            case "this" where next.map(TimeOfDay.isPart) == true: words.append("today")
            case "the" where next != nil: break
            case _ where words.last == "at" && TimeOfDay.isHour(word): words.append(word + ":00")
            case "am" where words.last?.last?.isNumber == true, "pm" where words.last?.last?.isNumber == true:
                words[words.count - 1] += word
            default: words.append(word)
            }
        }
        return words
    }

    /// Splits `2026-11-21t15:00` into a date and a time.
    private static func isoParts(_ word: String) -> [String]? {
        let parts = word.split(separator: "t", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 && parts[0].first?.isNumber == true && TimeOfDay(parts[1]) != nil ? parts : nil
    }
}

// MARK: - Times

extension DateReader {
    /// The forms of the next midnight. `friday midnight` is none of them: it could be the beginning or the end of
    /// Friday.
    private static let midnights: Set = [
        "midnight", "at midnight", "midnight today night", "at midnight today night", "today night midnight",
        "today night at midnight",
    ]

    /// Parses a date and a distance with a sign: `tomorrow+2h`, `eom -3d`.
    private func sum(_ words: [String]) -> Reading? {
        guard let last = words.last, let sign = last.lastIndex(where: { $0 == "+" || $0 == "-" }),
            let distance = Distance(String(last[sign...]))
        else { return nil }
        var words = Array(words.dropLast())
        if sign != last.startIndex { words.append(String(last[..<sign])) }
        return dayOrTime(words).flatMap { add(distance, to: $0) }
    }

    private func dayOrTime(_ words: [String]) -> Reading? {
        if words.isEmpty { return nil }
        if words == ["today", "night"], past == .nextDay, let night = dayAndTime(words), night.date < now {
            // `tonight` after 20:00 is the rest of the evening.
            return context.moment(of: .endOfDay, on: today.date).map { ($0, false) }
        }
        if Self.midnights.contains(words.joined(separator: " ")) { return (context.start(ofDay: 1).date, false) }
        return dayAndTime(words) ?? timeAndDay(words) ?? day(words)
    }

    /// Parses a time, also after a day: `friday at 5pm`, `tomorrow morning`.
    private func dayAndTime(_ words: [String]) -> Reading? {
        guard let last = words.last, let time = TimeOfDay(last) else { return nil }
        var words = words.dropLast()
        if words.last == "at" || words.last == "in" && TimeOfDay.isPart(last) { words.removeLast() }
        return moment(of: time, on: words)
    }

    /// Parses a time before a day: `5pm tomorrow`, `at noon on friday`.
    private func timeAndDay(_ words: [String]) -> Reading? {
        var words = words[...]
        if words.first == "at" { words.removeFirst() }
        guard let first = words.popFirst(), let time = TimeOfDay(first) else { return nil }
        if words.first == "on" { words.removeFirst() }
        return words.isEmpty ? nil : moment(of: time, on: words)
    }

    /// Returns a time on a day; without words, on today or the next day.
    private func moment(of time: TimeOfDay, on words: ArraySlice<String>) -> Reading? {
        var words = words
        // In `tonight at 11pm` the part of the day only limits the time.
        if let part = words.last, TimeOfDay.isPart(part) {
            guard time.isIn(part) else { return nil }
            words.removeLast()
        }
        if words.isEmpty { return next(time) }
        guard let date = day(Array(words)), date.isDay else { return nil }
        return context.moment(of: time, on: date.date).map { ($0, false) }
    }

    private func next(_ time: TimeOfDay) -> Reading? {
        guard let moment = context.moment(of: time, on: today.date) else { return nil }
        if past == .allowed || moment >= now { return (moment, false) }
        return context.moment(of: time, on: context.start(ofDay: 1).date).map { ($0, false) }
    }
}

// MARK: - Distances

extension DateReader {
    /// Parses `3d`, `3 days`, `in an hour`, `two weeks ago`.
    func distance(_ words: [String]) -> Reading? {
        var words = words
        let isBack = words.last == "ago"
        if isBack { words.removeLast() } else if words.first == "in" { words.removeFirst() }
        return Distance(words: words).flatMap { after(isBack ? $0.reversed : $0) }
    }

    /// Counts hours and minutes from now, days and longer units from today.
    func after(_ distance: Distance) -> Reading? { add(distance, to: distance.unit.isDays ? today : (now, false)) }

    /// Returns a day if whole days are added to a day, else a time.
    func add(_ distance: Distance, to start: Reading) -> Reading? {
        let component = distance.unit.component
        guard start.isDay, distance.unit.isDays else {
            return calendar.date(byAdding: component, value: distance.count, to: start.date).map { ($0, false) }
        }
        return calendar.date(byAdding: component, value: distance.count, to: context.noon(on: start.date))
            .map { (calendar.startOfDay(for: $0), true) }
    }
}
