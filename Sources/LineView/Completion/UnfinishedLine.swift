import ControllerKit

/// A line as it is while it is typed: its words, and the one that ends at the cursor.
struct UnfinishedLine: Equatable {
    /// The words before.
    let words: [String]
    /// The word that is being typed, without its quotes; empty after a space.
    let word: String
    /// How it is written: the end of the line, quotes included.
    let written: String

    /// Words that a shell has already split.
    init(words: [String], word: String) { (self.words, self.word, written) = (words, word, word) }

    /// The text before the cursor. Of several lines, the last command.
    init(_ text: String) {
        let line = PastedCommands.commands(in: text).last ?? ""
        let parts = CommandWords.unfinished(line)
        (words, word, written) = (parts.words, parts.word, parts.written)
    }
}
