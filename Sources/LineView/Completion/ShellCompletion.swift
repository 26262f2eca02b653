public import ControllerKit
public import Manual
internal import Terminal

/// The completions for a shell. They are computed by the code that completes lines at the prompt.
public struct ShellCompletion: Sendable {
    private let book: HelpBook
    private let language: LineLanguage
    private let process: CommandHelp

    /// Creates the completion of a program's commands.
    ///
    /// - Parameters:
    ///   - attachable: The front ends that `view` can attach.
    ///   - completions: Looks up the completions of arguments.
    public init(
        _ book: HelpBook, process: CommandHelp, attachable: [String] = [],
        completions: @escaping CompletionSource = { _, _ in [] }
    ) {
        self.book = book
        language = LineLanguage(book, attachable: attachable, source: completions)
        self.process = process
    }

    /// Returns the answer for `Shell.script`. The first line is `files` if the shell itself completes the name of a
    /// file; otherwise it is `words`, followed by a line for each completion, with a tab and a note if it has one.
    public func answer(_ command: ShellCommand, for shell: Shell) async -> [String] {
        switch await found(command) {
        case nil: return ["files"]
        case let found?:
            let lines = found.compactMap { offer -> String? in
                guard let text = shell.reply(offer.text, completing: command.line) else { return nil }
                return offer.note.isEmpty ? text : text + "\t" + offer.note.sanitizedLine
            }
            return ["words"] + lines
        }
    }

    /// Returns the completions of the whole word; nil: the word is the name of a file.
    private func found(_ command: ShellCommand) async -> [Completion]? {
        let word = command.line.word
        switch command.place {
        case .option:
            return process.options.flatMap { option in
                option.spellings.filter { $0.hasPrefix("--") && $0.hasPrefix(word) }.map {
                    Completion($0, note: option.abstract ?? "")
                }
            }
        case .value(let option, let prefix):
            return option.allValues.map { values in
                values.map { Completion(prefix + $0) }.filter { $0.text.hasPrefix(word) }
            }
        case .command(let words):
            let line = UnfinishedLine(words: words, word: word).expanding(language.aliases)
            let place = language.place(of: line)
            if place.isFile { return nil }
            return await language.completions(at: place, line).map {
                Completion(place.prefix + $0.text, note: note(on: $0, place))
            }
        }
    }

    /// Returns the note on a completion; for a command, its help.
    private func note(on offer: Completion, _ place: CompletionPlace) -> String {
        guard offer.note.isEmpty, place == .command else { return offer.note }
        if book.aliases.meaning(of: offer.text) != nil { return book.commandLine(of: offer.text) }
        return book.verbs.first { $0.name == offer.text }?.help ?? book.own.first { $0.name == offer.text }?.help ?? ""
    }
}

extension CompletionPlace {
    /// Whether the word names a file. Shells complete those themselves, with the user's settings and expansions.
    fileprivate var isFile: Bool { if case .value(let spec, _) = self { spec.completion == .files } else { false } }
}
