import ControllerKit
import Foundation
import SafeText
import Terminal
import TextMerge

/// The grammar of a catalogue's commands for a line editor.
struct LineLanguage: Sendable {
    /// The names of all commands, including those of the front ends.
    let commands: Vocabulary
    /// The verbs of all screens.
    let verbs: [VerbSignature]
    /// The words that may follow the commands of the front ends.
    let own: [String: FrontendCommand.Words]
    /// The front ends that `view` can attach.
    let attachable: [String]
    /// The topics of `help`.
    let topics: [String]
    /// The user's own names of commands.
    var aliases = CommandAliases()
    /// Looks up the completions of values.
    let source: CompletionSource

    /// The functions for a line editor.
    var assistant: LineAssistant {
        LineAssistant(
            complete: { await complete($0) }, isKept: { isKept($0) }, commands: { PastedCommands.commands(in: $0) })
    }

    // MARK: Completion

    /// Returns the completion of the end of a line.
    func complete(_ text: String) async -> LineCompletion {
        let line = UnfinishedLine(text).expanding(aliases)
        let place = place(of: line)
        let found = await completions(at: place, line).map(\.withTitle)
        return LineCompletion(of: line, among: found, prefix: place.prefix)
    }

    /// Returns the place at the end of a line.
    func place(of line: UnfinishedLine) -> CompletionPlace {
        CompletionPlace(line, commands: commands, own: own, verb: verb)
    }

    /// Returns the completions of the last word of a line, without the place's prefix.
    func completions(at place: CompletionPlace, _ line: UnfinishedLine) async -> [Completion] {
        switch place {
        case .command: return names(firstWords, line)
        case .explained: return names(commands.names + topics, line)
        case .attachable: return names(attachable, line)
        case .own(let words): return names(words, line)
        case .option(let verb, let given):
            let options = verb.arguments.filter { $0.placement == .option }.map(\.optionName)
            let formats = given.isDisjoint(with: verb.formats.map(\.rawValue)) ? verb.formats.map(\.rawValue) : []
            let others = verb.lineOptions.map(\.rawValue)
            return names((options + formats + others).filter { !given.contains($0) }.map { "--" + $0 }, line)
        case .value(let spec, let prefix):
            // Completions are inserted unchanged: a tag from another device must not send escape sequences to this
            // terminal.
            return await completions(for: spec, beginning: String(line.word.dropFirst(prefix.count)))
                .filter(\.text.isSanitized)
        case .nothing: return []
        }
    }

    /// The first words of the commands and the aliases, each once.
    private var firstWords: [String] {
        (commands.names + aliases.names).map { $0.prefix { $0 != " " } }.reduce(into: []) { words, word in
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
    /// Creates the grammar of a book's commands.
    init(_ book: HelpBook, attachable: [String], source: @escaping CompletionSource) {
        self.init(
            commands: Vocabulary(
                noun: "command", names: book.commands, otherNames: book.otherNames,
                namesElsewhere: book.namesElsewhere),
            verbs: book.verbs,
            own: Dictionary(book.own.map { ($0.name, $0.words) }) { first, _ in first }, attachable: attachable,
            topics: book.topics.map(\.name), aliases: book.aliases, source: source)
    }
}

extension LineLanguage {
    /// Returns whether a command may be stored in the history. It may not if it possibly contains a secret: a secret in
    /// a line (`--password` or `login ada hunter2`) is refused, but it was typed.
    func isKept(_ command: String) -> Bool {
        // A command with an open quotation mark can't be parsed: a secret may be anywhere in it.
        guard let words = (try? CommandWords.split(command)).map({ aliases.expanded($0) }) else {
            let typed = command.split(whereSeparator: \.isWhitespace).map(String.init)
            let words = aliases.expanded(typed)
            return !secrets.contains { command.contains("--\($0)") } && (words.first.map { !acceptsSecret($0) } ?? true)
        }
        guard let typed = words.first else { return true }
        guard !words.contains(where: isSecretOption) else { return false }
        return words.count == 1 || !acceptsSecret(typed) || isUnderstood(typed, Array(words.dropFirst()))
    }

    /// Returns whether a typed name, shortened, mistyped or from another program, may mean a command with a secret
    /// argument.
    private func acceptsSecret(_ typed: String) -> Bool {
        let others = [commands.otherNames, commands.namesElsewhere].compactMap { $0[typed.lowercased()] }
        let meant = commands.names.contains(typed) ? [typed] : commands.names.filter { $0.hasPrefix(typed) } + others
        let takers = verbs.filter { verb in verb.arguments.contains { $0.kind == .secret } }.map(\.name)
        guard meant.isEmpty else { return takers.contains(where: meant.contains) }
        // Two errors also in a short word, where a suggestion allows one: losing a line is better than storing a
        // secret.
        let errors = min(2, max(typed.count, 1) - 1)
        return takers.contains { editDistance($0, typed.lowercased()) <= errors }
    }

    /// Returns whether all words after a command are valid arguments, so that none of them is a misplaced secret.
    private func isUnderstood(_ typed: String, _ words: [String]) -> Bool {
        // The errors are ignored: the command itself reports them. Any error means that a word may be a secret.
        guard let name = try? commands.name(meantBy: typed), let verb = verbs.first(where: { $0.name == name }) else {
            return false
        }
        return (try? LineArguments(words, for: verb)) != nil
    }

    private func isSecretOption(_ word: String) -> Bool {
        secrets.contains { word == "--\($0)" || word.hasPrefix("--\($0)=") }
    }

    private var secrets: [String] { verbs.flatMap(\.arguments).filter { $0.kind == .secret }.map(\.name) }
}

extension Completion {
    /// The completion by the title, with the text as its description; itself without a title that can be shown.
    fileprivate var withTitle: Completion {
        guard let title, title.isSanitized else { return self }
        return Completion(title, note: text)
    }
}

extension LineCompletion {
    /// Completes the last word of a line: inserts the common prefix of all completions, or the whole of the only one.
    /// If nothing can be inserted, the completions are shown as choices.
    ///
    /// - Parameter prefix: The text before each completion in the same word.
    init(of line: UnfinishedLine, among completions: [Completion], prefix: String = "") {
        self.init()
        guard let first = completions.first else { return }
        let isOnly = completions.allSatisfy { $0.text == first.text }
        let common = isOnly ? first.text : completions.dropFirst().reduce(first.text) { $0.commonPrefix(with: $1.text) }
        let typed = line.word.dropFirst(prefix.count)
        let isMore = common.hasPrefix(typed) && common.count > typed.count
        guard isOnly || isMore else {
            choices = completions.map { Choice($0.text, note: $0.note) }
            return
        }
        // The word isn't closed where more of a value or of a path may follow.
        let goesOn = !isOnly || common.hasSuffix(":") || common.hasSuffix("/")
        let written = CommandWords.quoted(prefix + common, isWhole: !goesOn) + (goesOn ? "" : " ")
        guard written != line.written else {
            choices = completions.map { Choice($0.text, note: $0.note) }
            return
        }
        // Compared and counted in scalars, the unit of the editor's buffer.
        if written.unicodeScalars.starts(with: line.written.unicodeScalars) {
            inserted = String(
                String.UnicodeScalarView(written.unicodeScalars.dropFirst(line.written.unicodeScalars.count)))
        } else {
            removed = line.written.unicodeScalars.count
            inserted = written
        }
    }
}

extension String {
    /// Returns the common prefix of both, in whole characters.
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}

/// The completions of a path. Folders end with a slash.
enum FileCompletions {
    static func completions(beginning: String) -> [Completion] {
        let folder = beginning.lastIndex(of: "/").map { String(beginning[...$0]) } ?? ""
        let name = beginning.dropFirst(folder.count)
        let path = folder.isEmpty ? "." : folder
        // The error is ignored: a folder that can't be read has no completions. A command that names it reports why.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasPrefix(name) && (name.hasPrefix(".") || !$0.hasPrefix(".")) }.sorted().map { file in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path + "/" + file, isDirectory: &isFolder)
            return Completion(folder + file + (exists && isFolder.boolValue ? "/" : ""))
        }
    }
}
