/// A date at the end of a title: `tomorrow 5pm` in `Dentist tomorrow 5pm`.
public struct TitleDate: Sendable, Equatable {
    /// The title without the date.
    public let title: String
    /// The date as typed.
    public let text: String
    /// The meaning of the date.
    public let expression: DateExpression

    /// Whether it is a time of day alone: `5pm`.
    public var isTime: Bool { TimeOfDay(text.lowercased()) != nil }

    /// Finds the date at the end of a title; nil if the title ends otherwise.
    ///
    /// It must be clear that a date is meant, and it must not be before today. `Read chapter 3`, `Meet Mon` and `Call
    /// 5th` end with no clear date.
    ///
    /// - Parameters:
    ///   - words: The words after `add`. After `--` no date is sought.
    ///   - catalog: The fields that can be named.
    ///   - dates: The time and the calendar.
    public static func find(
        in words: [String], catalog: FieldCatalog, dates: DateExpression.Context
    ) -> TitleDate? {
        if words.contains("--") { return nil }
        // A title may be typed as one word, with quotes.
        let title = Edit.titleWords(of: words, catalog: catalog, dates: dates)
            .flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        let reader = DateReader(context: dates, past: .nextDay)
        let today = dates.start(ofDay: 0)
        // The longest date first; at least one word is left for the title.
        for count in stride(from: min(Edit.mostDateWords, title.count - 1), to: 0, by: -1) {
            let text = title.suffix(count).joined(separator: " ")
            guard isClear(text), let expression = DateExpression(text, reader), expression.moment >= today else {
                continue
            }
            var rest = title.dropLast(count)
            if rest.count > 1, rest.last?.lowercased() == "by" { rest.removeLast() }
            return TitleDate(title: rest.joined(separator: " "), text: text, expression: expression)
        }
        return nil
    }

    /// Words that only a date contains, if the text is one.
    private static let clearWords = Set(
        DateReader.weekdays + DateExpression.Context.monthNames + ["today", "tomorrow", "of", "from"])

    /// Returns whether a text is clearly meant as a date, if it is one: with the whole name of a day or a month, a word
    /// such as `tomorrow`, or a time in digits.
    private static func isClear(_ text: String) -> Bool {
        let words = DateReader.words(of: text)
        let isTime = { (word: String) in word.first?.isNumber == true && TimeOfDay(word) != nil }
        if words.contains(where: { clearWords.contains($0) || isTime($0) }) { return true }
        return words.count > 1 && ["in", "next", "this"].contains(words[0])
    }
}
