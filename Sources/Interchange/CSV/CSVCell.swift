internal import Records

/// The form of values in cells.
enum CSVCell {
    // MARK: Formulas

    /// What makes a spreadsheet read a cell as a formula (OWASP, "CSV Injection"), the full-width forms included.
    private static let formulaStarts: [Unicode.Scalar] = [
        "=", "+", "-", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// Whether a spreadsheet might run the text; an apostrophe in front, which prevents that, doesn't change the answer,
    /// so that one more can always be removed again.
    private static func isFormula(_ text: String) -> Bool {
        text.unicodeScalars.first { $0 != "'" }.map(formulaStarts.contains) ?? false
    }

    /// A text that no spreadsheet runs.
    static func guarded(_ text: String) -> String { isFormula(text) ? "'" + text : text }

    /// The text that was guarded; others as they are.
    static func unguarded(_ text: String) -> String {
        text.unicodeScalars.first == "'" && isFormula(text) ? String(text.unicodeScalars.dropFirst()) : text
    }

    // MARK: Values

    /// How the values of a field are written.
    enum Kind {
        /// The text as it is.
        case text
        /// RFC 3339; a day can be read, too.
        case moment
        /// Words between spaces.
        case words
        /// A text unchanged, unless it could be read as JSON; any other value as JSON.
        case json

        /// The kind of a field, which need not be declared.
        init(_ name: String, in catalog: FieldCatalog) {
            guard let field = catalog[name], field.name == name, field.place != .hidden else {
                self = .json
                return
            }
            switch field.kind {
            case .title, .text, .word, .path, .choice: self = .text
            case .moment: self = .moment
            case .words: self = .words
            case .number, .flag, .remarks, .custom, .any: self = .json
            }
        }
    }

    /// A value of a field that may hold anything: a text unchanged, unless it could be read as JSON; else JSON.
    static func text(of value: JSONValue) -> String {
        guard let string = value.string, !string.isEmpty, (try? JSONValue(parsing: string)) == nil else {
            return value.text
        }
        return string
    }

    static func value(of text: String) -> JSONValue { (try? JSONValue(parsing: text)) ?? .string(text) }

    /// Tags: apart by spaces, or as a JSON array where one has a space itself.
    static func tagsText(_ tags: [String]) -> String {
        let joined = tags.joined(separator: " ")
        return Self.tags(of: joined) == tags ? joined : JSONValue.array(tags.map(JSONValue.string)).text
    }

    /// The tags of a cell; nil if it is a JSON array of something else.
    static func tags(of text: String) -> [String]? {
        guard text.hasPrefix("["), let elements = try? JSONValue(parsing: text).array else {
            return text.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        let tags = elements.compactMap(\.string)
        return tags.count == elements.count ? tags : nil
    }
}
