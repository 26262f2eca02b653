extension Edit {
    /// The largest number of words that are joined to a value, and of those that are a date at the end of a title.
    static let mostDateWords = 6

    /// Returns the words with each date that was typed without quotes as one word: `due:friday 15:00`,
    /// `due:first monday of december`.
    ///
    /// To a value of a field of times are joined as many of the following plain words as make it a date. Words that
    /// don't belong to a date are part of the title: in `due:friday 3 eggs`, nothing is joined. A date with two
    /// meanings is joined, so that it is refused. A value that is separated from its name, as in `due: friday`, is
    /// refused elsewhere.
    static func joiningDates(
        _ words: ArraySlice<String>, _ dates: DateExpression.Context, _ catalog: FieldCatalog
    ) -> [String] {
        let reader = DateReader(context: dates, past: .nextDay)
        var joined: [String] = []
        var rest = words
        while let word = rest.popFirst() {
            let count = followers(of: word, in: rest, reader, catalog)
            joined.append(([word] + rest.prefix(count)).joined(separator: " "))
            rest = rest.dropFirst(count)
        }
        return joined
    }

    /// Returns how many words of `rest` continue the date in a word.
    private static func followers(
        of word: String, in rest: ArraySlice<String>, _ reader: DateReader, _ catalog: FieldCatalog
    ) -> Int {
        guard case .attribute(let name, .equal, let value) = Token(word), !value.isEmpty,
            let field = catalog.field(typed: name), field.kind.isDate
        else { return 0 }
        let plain = rest.prefix(mostDateWords).prefix { word in if case .word = Token(word) { true } else { false } }
        // The longest date first.
        for count in stride(from: plain.count, to: 0, by: -1) {
            let text = ([value] + plain.prefix(count)).joined(separator: " ")
            if reader.read(text) != nil || reader.ambiguity(in: text) != nil { return count }
        }
        return 0
    }
}
