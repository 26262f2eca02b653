internal import Foundation
internal import TextMerge

/// The error of a text that isn't a date, or that has two meanings.
public struct DateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The typed text.
    public let text: String
    private let reason: Reason

    private enum Reason: Equatable, Sendable {
        /// - Parameters:
        ///   - nearest: A similar text that is a date.
        ///   - day: A future day in digits, as an example.
        case unreadable(nearest: String?, day: String)
        case ambiguous(DateAmbiguity)
        /// The form of a day that doesn't exist, with the fact that excludes it.
        case impossible(fact: String)
    }

    init(_ text: String, _ reader: DateReader) {
        self.text = text
        if let ambiguity = reader.ambiguity(in: text) {
            reason = .ambiguous(ambiguity)
        } else if let fact = reader.contradiction(in: text) {
            reason = .impossible(fact: fact)
        } else {
            // 24 December, in this year or the next: a fixed day would be past at some time.
            let day = reader.context.next(month: 12, day: 24) ?? reader.now
            reason = .unreadable(
                nearest: reader.nearest(to: text), day: LocalTime.day(day, in: reader.calendar))
        }
    }

    /// The message for the user, with what to do.
    public var description: String {
        switch reason {
        case .ambiguous(let ambiguity): return ambiguity.description
        case .impossible(let fact): return "There is no day “\(text)”: \(fact)."
        case .unreadable(let nearest, let day):
            let suggestion = nearest.map { " Did you mean “\($0)”?" } ?? ""
            return "Can't read “\(text)” as a date.\(suggestion) "
                + "Write one like tomorrow, \"friday 15:00\", +3d, eow or \(day) (`help dates`)."
        }
    }
}

/// A word of a date that has two meanings.
struct DateAmbiguity: Equatable, Sendable, CustomStringConvertible {
    /// The word as typed.
    let word: String
    /// What it could mean.
    let meanings: [String]
    /// What to write instead of it, for each meaning.
    let alternatives: [String]

    /// Finds the meanings of a word: `5m`, `1/5` or `midnight`; nil if it has fewer than two.
    init?(_ word: String, _ context: DateExpression.Context) {
        self.word = word
        if let count = word.wholeMatch(of: /([+-]?[0-9]+)[mM]/)?.1 {
            meanings = ["minutes", "months"]
            alternatives = ["\(count)min", "\(count)mo"]
        } else if let day = NumericDay(word), let first = day.readings.first, let last = day.readings.last,
            first != last
        {
            let year = day.year.map { " \($0)" } ?? ""
            let names = DateExpression.Context.monthNames
            meanings = day.readings.map { "\($0.day) \(names[$0.month - 1].capitalized)\(year)" }
            let date = context.date(of: last, year: day.year) ?? context.now
            alternatives =
                day.readings.map { "\($0.day) \(names[$0.month - 1].prefix(3))\(year)" }
                + [LocalTime.day(date, in: context.calendar)]
        } else if word.lowercased() == "midnight" {
            meanings = ["the beginning", "the end of the day"]
            alternatives = ["00:00", "23:59"]
        } else {
            return nil
        }
    }

    /// Finds the meanings of a number after `at`: `5`; nil if it isn't an hour of both halves of the day.
    init?(hour word: String) {
        guard word.utf8.count <= 2, let hour = Int(word), (1...12).contains(hour) else { return nil }
        self.word = word
        alternatives = ["\(hour)am", "\(hour)pm"]
        // 12am is midnight.
        meanings = [hour % 12, hour % 12 + 12].map { "\($0.zeroPadded(to: 2)):00" }
    }

    /// The message for the user.
    var description: String {
        "“\(word)” could be \(meanings.joined(conjunction: "or")). Write \(alternatives.joined(conjunction: "or"))."
    }
}

extension DateReader {
    /// Returns the word because of which a text isn't a date, although it would be one with either meaning; nil: there
    /// is none.
    func ambiguity(in text: String) -> DateAmbiguity? {
        let found = firstReplacement(in: text) { word, previous -> Replacement<DateAmbiguity>? in
            let hour = previous == "at" ? DateAmbiguity(hour: word) : nil
            guard let ambiguity = hour ?? DateAmbiguity(word, context), let other = ambiguity.alternatives.first else {
                return nil
            }
            return Replacement(text: other, value: ambiguity)
        }
        return found?.value
    }

    /// Returns the fact because of which a text is no day, although it has the form of one: `2026-12-03 is a Thursday` for
    /// `mon 3 dec`, `November has 30 days` for `31 nov`; nil for any other text.
    func contradiction(in text: String) -> String? {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        var words = Self.words(of: text)
        if let last = words.last, words.count > 1, TimeOfDay(last) != nil {
            words.removeLast()
            if words.last == "at" { words.removeLast() }
        }
        let isWeekday = words.first.flatMap(DateExpression.Context.weekday) != nil
        let rest = isWeekday ? Array(words.dropFirst()) : words
        if isWeekday, rest.count > 1 || rest.first?.contains("-") == true, context.calendarDay(words) == nil,
            let day = context.calendarDay(rest)
        {
            let name = Self.weekdays[calendar.component(.weekday, from: day) - 1].capitalized
            return "\(LocalTime.day(day, in: calendar)) is a \(name)"
        }
        guard let (day, month, year) = Self.monthDay(rest), (1...12).contains(month) else { return nil }
        // 2024 is a leap year.
        let length = CalendarDay.days(in: month, of: year ?? 2_024)
        let name = DateExpression.Context.monthNames[month - 1].capitalized
        return day > length ? "\(name)\(year.map { " \($0)" } ?? "") has \(length) days" : nil
    }

    /// Returns the numbers of a day as typed, existing or not: `31 nov`, `29 feb 2027`, `2026-02-30`.
    private static func monthDay(_ words: [String]) -> (day: Int, month: Int, year: Int?)? {
        if words.count == 1 {
            let parts = words[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 3, words[0].utf8.count == 10, let year = parts[0], let month = parts[1],
                let day = parts[2]
            else { return nil }
            return (day, month, year)
        }
        guard words.count == 2 || words.count == 3 else { return nil }
        let context = DateExpression.Context.self
        guard let (day, month) = context.dayAndMonth(words[0], words[1]) ?? context.dayAndMonth(words[1], words[0])
        else { return nil }
        if words.count == 2 { return (day, month, nil) }
        return context.year(words[2]).map { (day, month, $0) }
    }

    /// Returns the text with one word replaced by a similar one, so that it is a date; nil: there is none.
    func nearest(to text: String) -> String? {
        let found = firstReplacement(in: text) { word, _ -> Replacement<String>? in
            Suggestion.nearest(word, among: Self.vocabulary).map { Replacement(text: $0, value: word) }
        }
        return found?.text
    }

    /// A text in place of another one, and what is known about it.
    private struct Replacement<Value> {
        let text: String
        let value: Value
    }

    /// Returns the first text with one word replaced that is a date, with the value of the replaced word.
    private func firstReplacement<Value>(
        in text: String, _ replacement: (_ word: String, _ previous: String?) -> Replacement<Value>?
    ) -> Replacement<Value>? {
        // Nothing of this length is a date.
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        for index in words.indices {
            let previous = index > 0 ? words[index - 1].lowercased() : nil
            guard let found = replacement(words[index], previous) else { continue }
            var replaced = words
            replaced[index] = found.text
            let candidate = replaced.joined(separator: " ")
            if read(candidate) != nil { return Replacement(text: candidate, value: found.value) }
        }
        return nil
    }
}
