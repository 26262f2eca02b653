public import Records

extension RecordText {
    /// A line above the body.
    public enum Line: Sendable, Equatable {
        /// Instructions for the user; they may be removed.
        case comment(String)
        /// A field with a value; nil: an empty one.
        case field(String, JSONValue?)
        /// A field with a value as people type it, see `isPlain`.
        case typed(String, String)
        /// Which record the text is of, and in which state.
        case facts(id: String, fingerprint: String)
    }

    /// The text of these lines and a body.
    public static func text(of lines: [Line], body: String?) -> String {
        (["---"] + lines.flatMap(\.texts) + ["---", ""]).joined(separator: "\n") + (body.map { $0 + "\n" } ?? "")
    }

    /// Whether a text can be written as a value without quotes and parsed unchanged.
    public static func isPlain(_ text: String) -> Bool {
        FrontMatterScalar.read(text) == .plain(text) && !text.isEmpty
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
            && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}

extension RecordText.Line {
    fileprivate var texts: [String] {
        switch self {
        case .comment(let text): ["# " + text]
        case .field(let field, let value):
            [Self.name(field) + ":" + (value.map { " " + FrontMatterScalar.text(of: .json($0)) } ?? "")]
        case .typed(let field, let text): [Self.name(field) + ": " + text]
        case .facts(let id, let fingerprint):
            ["id: " + FrontMatterScalar.text(of: .json(.string(id))), "base: \"\(fingerprint)\""]
        }
    }

    /// A field's name as it is written.
    private static func name(_ field: String) -> String {
        FrontMatterScalar.name(MarkdownFormat.name(ofField: field))
    }
}
