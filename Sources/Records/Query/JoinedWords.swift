extension Edit {
    /// The largest number of words that are joined to a value, and of those that are a date at the end of a title.
    static let mostDateWords = 6

    /// Returns the words with each date or interval that was typed without quotes as one word: `due:friday 15:00`,
    /// `due:first monday of december`, `repeat:every 2 weeks`.
    ///
    /// To a value of a field of times are joined as many of the following plain words as make it a date. Words that
    /// don't belong to a date are part of the title: in `due:friday 3 eggs`, nothing is joined. A date with two
    /// meanings, and a day that doesn't exist, are joined, so that they are refused. A value that is separated from its name, as in `due: friday`, is
    /// refused elsewhere. Values with a syntax of their own, such as intervals, are joined in the same way.
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

    /// Returns how many words of `rest` continue the value in a word.
    private static func followers(
        of word: String, in rest: ArraySlice<String>, _ reader: DateReader, _ catalog: FieldCatalog
    ) -> Int {
        guard case .attribute(let name, .equal, let value) = Token(word), !value.isEmpty,
            let kind = catalog.field(typed: name)?.kind
        else { return 0 }
        let plain = rest.prefix(mostDateWords).prefix { word in if case .word = Token(word) { true } else { false } }
        // The longest value first.
        for count in stride(from: plain.count, to: 0, by: -1) {
            let text = ([value] + plain.prefix(count)).joined(separator: " ")
            if kind.isValue(text, reader) { return count }
        }
        return 0
    }
}

extension Edit {
    /// Refuses a number after a date that looks like a time: in `due:friday 17.30` and `due:tomorrow 1700` it would
    /// otherwise be a part of the title, unnoticed.
    static func checkTimes(_ joined: [String], _ catalog: FieldCatalog) throws(InputError) {
        for (index, word) in joined.enumerated().dropLast() {
            guard case .attribute(let name, .equal, let value) = Token(word), !value.isEmpty,
                let field = catalog.field(typed: name), field.kind.isDate
            else { continue }
            let next = joined[index + 1]
            if let time = time(meantBy: next, isLast: index + 2 == joined.count) {
                throw .detachedTime(field: name, value: value, word: next, time: time)
            }
        }
    }

    /// Returns how a time is written that a word after a date looks like; nil: the word doesn't look like one.
    ///
    /// - Parameter isLast: Whether no word follows. `due:friday 5` is doubtful, `due:friday 5 eggs` is not.
    private static func time(meantBy word: String, isLast: Bool) -> String? {
        if let match = word.lowercased().wholeMatch(of: /([01]?[0-9]|2[0-3])(?:[.]([0-5][0-9])|h([0-5][0-9])?)/) {
            return "\(match.1):\(match.2 ?? match.3 ?? "00")"
        }
        guard isLast else { return nil }
        if let match = word.wholeMatch(of: /([01][0-9]|2[0-3])([0-5][0-9])/) { return "\(match.1):\(match.2)" }
        guard let hour = word.wholeMatch(of: /[0-9]{1,2}/).flatMap({ Int($0.0) }), (1...23).contains(hour) else {
            return nil
        }
        return hour > 12 ? "\(hour):00" : "\(hour)pm"
    }
}

extension FieldKind {
    /// Returns whether several words are a value of this kind.
    fileprivate func isValue(_ text: String, _ reader: DateReader) -> Bool {
        switch self {
        case .moment, .date:
            reader.read(text) != nil || reader.ambiguity(in: text) != nil || reader.contradiction(in: text) != nil
        case .custom(let syntax): syntax.canonical(text) != nil
        case .title, .text, .word, .path, .choice, .words, .number, .flag, .annotations, .reference, .references, .any:
            false
        }
    }
}
