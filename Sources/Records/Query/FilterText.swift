/// The words of a filter as one text, for people to read and to type again.
public enum FilterText {
    /// The words with spaces between them; one that has spaces itself, or none at all, in quotes.
    public static func joined(_ words: [String]) -> String {
        words.map(quoted).joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        guard word.isEmpty || word.contains(where: { $0.isWhitespace || $0 == "\"" }) else { return word }
        let inside = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        // Quotes group at the beginning of a word, or right after the colon of a field.
        guard let colon = word.firstIndex(of: ":"), word[..<colon].allSatisfy({ $0.isLetter || $0 == "." }) else {
            return "\"\(inside)\""
        }
        let head = word[...colon]
        return head + "\"" + inside.dropFirst(head.count) + "\""
    }
}
