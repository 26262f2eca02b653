/// A line as it is while it is typed: its words, and the one that ends at the cursor.
struct UnfinishedLine: Equatable {
    /// The words before.
    let words: [String]
    /// The word that is being typed, without its quotes; empty after a space.
    let word: String
    /// How it is written: the end of the line, quotes included.
    let written: String

    /// Words that somebody else has cut.
    init(words: [String], word: String) { (self.words, self.word, written) = (words, word, word) }

    /// What stands before the cursor. Of several lines, the last command.
    init(_ text: String) {
        let line = PastedCommands.commands(in: text).last ?? ""
        let parts = Tokenizer.unfinished(line)
        (words, word, written) = (parts.words, parts.word, parts.written)
    }

    /// A word as it must be written to be read as `text`; with an open quote where more of it is to come.
    static func writing(_ text: String, isWhole: Bool) -> String {
        guard text.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "\\" || $0 == "'" }) else { return text }
        var head = text.prefix { $0.isLetter || $0 == "." }
        let hasName = !head.isEmpty && text.dropFirst(head.count).first == ":"
        head = hasName ? text.prefix(head.count + 1) : ""
        let value = text.dropFirst(head.count).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return head + "\"" + value + (isWhole ? "\"" : "")
    }
}
