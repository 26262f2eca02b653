/// A text to import, with its format.
public struct ImportSource: Sendable, Equatable {
    /// The format; nil: neither the text nor the name shows it.
    public let format: ExchangeFormat?
    /// The text as `FormatCodec.decode` reads it.
    public let text: String

    /// Determines the format of a text.
    ///
    /// - Parameters:
    ///   - format: The format that the user named; nil: none.
    ///   - name: The name or path of the file, whose ending shows the format if the text doesn't; nil: unknown.
    public init(_ text: String, as format: ExchangeFormat?, name: String? = nil) {
        let named = name.flatMap(Self.formatShown)
        // Before the content: a document may begin like JSON or like a table.
        if format ?? named == .markdown, let file = name.flatMap(Self.noteName),
            ExchangeFormat(recognising: text) != .markdown
        {
            self.format = .markdown
            self.text = NoteFolder([file: text]).text
        } else {
            // A format that the user named isn't looked for in the text, which may be long.
            self.format = format ?? ExchangeFormat(recognising: text) ?? named
            self.text = text
        }
    }

    /// Returns the format that the ending of a name shows; nil for `.json`, the ending of two formats.
    private static func formatShown(by name: String) -> ExchangeFormat? {
        ExchangeFormat(path: name).flatMap { $0 == .satchel ? nil : $0 }
    }

    /// Returns the name of a note's file without its folder; nil if the name isn't that of a Markdown file.
    private static func noteName(ofPath path: String) -> String? {
        guard let file = path.split(separator: "/").last.map(String.init), !path.hasSuffix("/") else { return nil }
        for ending in [NoteFileName.suffix, ".markdown"] where file.lowercased().hasSuffix(ending) {
            return String(file.dropLast(ending.count)) + NoteFileName.suffix
        }
        return nil
    }
}
