import ControllerKit
import Manual
import Terminal

extension LineSession {
    /// Examples and all commands; or what there is to know about one command or topic.
    func help(_ words: [String]) throws -> [String] {
        guard let first = words.first else { return book.overview().lines(on: terminal.page) }
        let two = words.prefix(2).joined(separator: " ")
        let said = book.names.contains(two) ? two : first
        let name = try Vocabulary(noun: "command or topic", names: book.names).name(meantBy: said)
        return book.explanation(of: name).lines(on: terminal.page)
    }

    /// Whether a command, given in words, only explains or prints something of the program itself, and so needs no home.
    public nonisolated static func needsNoRecords(_ words: [String]) -> Bool {
        guard let said = words.first else { return false }
        let names = [Own.help, .completions].map(\.rawValue)
        return names.contains(said) || asksForHelp(Array(words.dropFirst()))
    }

    /// Whether the words after a command ask for its help: `--help` among its options, or `-h` alone, which would else take
    /// a tag away.
    nonisolated static func asksForHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains("--help") || words == ["-h"]
    }
}
