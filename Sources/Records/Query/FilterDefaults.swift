/// The values that a filter requires of each record, as words for a new record: of `project:house +garden due<eow`, the
/// words `project:house` and `+garden`.
///
/// A filter with alternatives, negations or parentheses requires no single value, so it has no such words. Dates,
/// ranges, several values and the status of records are conditions only.
public struct FilterDefaults: Sendable, Equatable {
    /// The words, as they are typed after `add`.
    public let words: [String]

    /// Determines the words.
    ///
    /// - Parameters:
    ///   - filter: The words of the filter.
    ///   - catalog: The fields of the type of the new record; the values of other fields are omitted.
    public init(of filter: [String], catalog: FieldCatalog) {
        let parts = FilterPart.parts(of: Array(filter.prefix { $0 != "--" }))
        var words: [String] = []
        for part in parts {
            switch part {
            case .word(let word): if Self.isDefault(word, catalog) { words.append(word) }
            case .operator(.and), .text, .saved: break
            case .operator, .group:
                self.words = []
                return
            }
        }
        self.words = words
    }

    /// Returns the words that don't concern a field whose value was typed.
    public func without(fieldsIn edit: Edit) -> [String] {
        let replacesTags = edit.fields[FieldKey.tags.name] != nil
        return words.filter { word in
            if case .tag = Token(word) { !replacesTags } else { true }
        }
    }

    private static func isDefault(_ word: String, _ catalog: FieldCatalog) -> Bool {
        switch Token(word) {
        case .tag(let name): !name.contains(",") && catalog[FieldKey.tags.name] != nil
        case .attribute(let name, .equal, let value):
            catalog.field(typed: name).map { isPlain(value, of: $0) } ?? false
        case .attribute, .withoutTag, .word: false
        }
    }

    /// Returns whether a condition on a field names the one value that a record must have.
    private static func isPlain(_ value: String, of field: Field) -> Bool {
        switch field.kind {
        case .path, .word:
            !value.isEmpty && !value.contains(",") && !value.contains("..") && !value.hasPrefix("/")
                && !["none", "any"].contains(value.lowercased())
        // The field with the status is a condition: a new record is open.
        case .choice(let choices, _):
            !choices.contains(where: \.isClosed) && choices.contains { $0.isOffered && $0.isMeant(by: value) }
        case .title, .text, .words, .moment, .date, .number, .flag, .annotations, .reference, .references, .custom,
            .any:
            false
        }
    }
}
