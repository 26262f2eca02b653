public import ControllerKit
public import Controllers

/// Looks up what an argument may be: tags, projects, records.
public typealias OfferSource = @Sendable (_ completion: ArgumentSpec.Completion, _ beginning: String) async -> [Offer]

/// The language of a catalogue's commands, as far as an editor needs it.
struct LineLanguage: Sendable {
    /// The commands, the line view's own among them.
    let commands: Vocabulary
    /// The verbs of all screens.
    let verbs: [VerbSignature]
    /// The words that may stand behind a command that no screen has.
    let own: [String: [String]]
    /// What `view` can name.
    let media: [String]
    /// What `help` explains besides.
    let topics: [String]
    /// Where values are looked up.
    let source: OfferSource

    /// What an editor asks.
    var assistant: LineAssistant { LineAssistant(complete: { await complete($0) }, isKept: { isKept($0) }) }

    // MARK: Completion

    /// What becomes of the end of a line.
    func complete(_ text: String) async -> LineCompletion {
        let line = UnfinishedLine(text)
        let place = place(of: line)
        return LineCompletion(of: line, among: await offers(at: place, line), prefix: place.prefix)
    }

    /// What may stand at the end of a line.
    func place(of line: UnfinishedLine) -> CompletionPlace { CompletionPlace(line, commands: commands, verb: verb) }

    /// What the word at the end of a line could be, behind the place's prefix.
    func offers(at place: CompletionPlace, _ line: UnfinishedLine) async -> [Offer] {
        switch place {
        case .command: return names(commands.names, line)
        case .explained: return names(commands.names + topics, line)
        case .medium: return names(media, line)
        case .own(let command, let given):
            return names(own[command, default: []].filter { !given.contains($0) }, line)
        case .option(let verb, let given):
            let options = verb.arguments.filter { $0.placement == .option }.map(\.optionName)
            let forms = given.isDisjoint(with: verb.forms.map(\.rawValue)) ? verb.forms.map(\.rawValue) : []
            return names((options + forms).filter { !given.contains($0) }.map { "--" + $0 }, line)
        case .value(let spec, let prefix):
            // Completions are inserted as they are, so a tag from another device must not control this terminal.
            return await offers(for: spec, beginning: String(line.word.dropFirst(prefix.count)))
                .filter(\.text.isSanitized)
        case .nothing: return []
        }
    }

    private func names(_ names: [String], _ line: UnfinishedLine) -> [Offer] {
        names.filter { $0.hasPrefix(line.word) }.map { Offer($0) }
    }

    private func offers(for spec: ArgumentSpec, beginning: String) async -> [Offer] {
        switch spec.completion {
        case .nothing: return []
        case .files: return FileOffers.offers(beginning: beginning)
        case .values(let words): return words.filter { $0.hasPrefix(beginning) }.map { Offer($0) }
        case .records where spec.kind == .text && beginning.isTagWord: return await tags(beginning)
        case .words: return await wordOffers(beginning)
        case .records, .tags, .projects, .lists: return await source(spec.completion, beginning)
        }
    }

    /// `+tag`, `@list`, `project:name`, or the name of a field.
    private func wordOffers(_ beginning: String) async -> [Offer] {
        if beginning.isTagWord { return await tags(beginning) }
        if beginning.hasPrefix("@") { return await lists(beginning) }
        if let offers = TaskWords.values(beginning: beginning) { return offers }
        let name = "project:"
        guard beginning.hasPrefix(name) else { return TaskWords.names(beginning: beginning) }
        return await source(.projects, String(beginning.dropFirst(name.count))).map { Offer(name + $0.text) }
    }

    private func tags(_ beginning: String) async -> [Offer] {
        let sign = String(beginning.prefix(1))
        return await source(.tags, String(beginning.dropFirst())).map { Offer(sign + $0.text) }
    }

    private func lists(_ beginning: String) async -> [Offer] {
        await source(.lists, String(beginning.dropFirst())).map { Offer("@" + $0.text, note: $0.note) }
    }

    private func verb(_ name: String) -> VerbSignature? { verbs.first { $0.name == name } }
}

extension LineLanguage {
    /// The language of a book's commands.
    init(_ book: HelpBook, media: [String], source: @escaping OfferSource) {
        self.init(
            commands: Vocabulary(noun: "command", names: book.commands), verbs: book.verbs,
            own: Dictionary(book.own.map { ($0.name, $0.words) }) { first, _ in first }, media: media,
            topics: book.topics.map(\.name), source: source)
    }
}

extension String {
    /// Whether the word is to add or take away a tag.
    fileprivate var isTagWord: Bool { first == "+" || first == "-" }
}
