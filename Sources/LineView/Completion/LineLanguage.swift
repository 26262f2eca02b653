import ControllerKit
import SafeText
import Terminal

/// The language of a catalogue's commands, as far as an editor needs it.
struct LineLanguage: Sendable {
    /// The commands, the line view's own among them.
    let commands: Vocabulary
    /// The verbs of all screens.
    let verbs: [VerbSignature]
    /// What may follow a command that no screen has.
    let own: [String: FrontendCommand.Words]
    /// What `view` can name.
    let attachable: [String]
    /// What `help` explains besides.
    let topics: [String]
    /// Where values are looked up.
    let source: CompletionSource

    /// The answers to a line editor.
    var assistant: LineAssistant {
        LineAssistant(
            complete: { await complete($0) }, isKept: { isKept($0) }, commands: { PastedCommands.commands(in: $0) })
    }

    // MARK: Completion

    /// What becomes of the end of a line.
    func complete(_ text: String) async -> LineCompletion {
        let line = UnfinishedLine(text)
        let place = place(of: line)
        return LineCompletion(of: line, among: await completions(at: place, line), prefix: place.prefix)
    }

    /// What can be completed at the end of a line.
    func place(of line: UnfinishedLine) -> CompletionPlace {
        CompletionPlace(line, commands: commands, own: own, verb: verb)
    }

    /// What the word at the end of a line could be, behind the place's prefix.
    func completions(at place: CompletionPlace, _ line: UnfinishedLine) async -> [Completion] {
        switch place {
        case .command: return names(firstWords, line)
        case .explained: return names(commands.names + topics, line)
        case .attachable: return names(attachable, line)
        case .own(let words): return names(words, line)
        case .option(let verb, let given):
            let options = verb.arguments.filter { $0.placement == .option }.map(\.optionName)
            let forms = given.isDisjoint(with: verb.forms.map(\.rawValue)) ? verb.forms.map(\.rawValue) : []
            return names((options + forms).filter { !given.contains($0) }.map { "--" + $0 }, line)
        case .value(let spec, let prefix):
            // Completions are inserted as they are, so a tag from another device must not control this terminal.
            return await completions(for: spec, beginning: String(line.word.dropFirst(prefix.count)))
                .filter(\.text.isSanitized)
        case .nothing: return []
        }
    }

    /// The first words of the commands, each once.
    private var firstWords: [String] {
        commands.names.map { $0.prefix { $0 != " " } }.reduce(into: []) { words, word in
            if !words.contains(String(word)) { words.append(String(word)) }
        }
    }

    private func names(_ names: [String], _ line: UnfinishedLine) -> [Completion] {
        names.filter { $0.hasPrefix(line.word) }.map { Completion($0) }
    }

    private func completions(for spec: ArgumentSpec, beginning: String) async -> [Completion] {
        switch spec.completion {
        case .nothing: []
        case .files: FileCompletions.completions(beginning: beginning)
        case let kind where !kind.words.isEmpty:
            kind.words.filter { $0.hasPrefix(beginning) }.map { Completion($0) }
        case let kind: await source(kind, beginning)
        }
    }

    private func verb(_ name: String) -> VerbSignature? { verbs.first { $0.name == name } }
}

extension LineLanguage {
    /// The language of a book's commands.
    init(_ book: HelpBook, attachable: [String], source: @escaping CompletionSource) {
        self.init(
            commands: Vocabulary(noun: "command", names: book.commands), verbs: book.verbs,
            own: Dictionary(book.own.map { ($0.name, $0.words) }) { first, _ in first }, attachable: attachable,
            topics: book.topics.map(\.name), source: source)
    }
}
