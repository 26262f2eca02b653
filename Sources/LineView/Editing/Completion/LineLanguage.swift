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
    /// What `view` can name.
    let media: [String]
    /// Where values are looked up.
    let source: OfferSource

    /// What an editor asks.
    var assistant: LineAssistant { LineAssistant(complete: { await complete($0) }, isKept: { isKept($0) }) }

    // MARK: Completion

    /// What becomes of the end of a line.
    func complete(_ text: String) async -> LineCompletion {
        let line = UnfinishedLine(text)
        switch CompletionPlace(line, commands: commands, verb: verb) {
        case .command: return completion(of: line, among: commands.names)
        case .medium: return completion(of: line, among: media)
        case .option(let verb, let given):
            let options = verb.arguments.filter { $0.placement == .option && !given.contains($0.optionName) }
            return completion(of: line, among: options.map { "--" + $0.optionName })
        case .value(let spec, let prefix):
            let offers = await offers(for: spec, beginning: String(line.word.dropFirst(prefix.count)))
            return LineCompletion(of: line, among: offers, prefix: prefix)
        case .nothing: return LineCompletion()
        }
    }

    private func completion(of line: UnfinishedLine, among names: [String]) -> LineCompletion {
        LineCompletion(of: line, among: names.filter { $0.hasPrefix(line.word) }.map { Offer($0) })
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

    // MARK: History

    /// Whether a command has no secret in it. A secret's option is refused (`--password`), but it was typed.
    func isKept(_ command: String) -> Bool {
        // A command that can't be cut into words can't be understood; it may hold anything.
        guard let words = try? Tokenizer.words(of: command) else { return !mayHoldSecret(command) }
        return !words.contains { word in secrets.contains { word == "--\($0)" || word.hasPrefix("--\($0)=") } }
    }

    private func mayHoldSecret(_ text: String) -> Bool { secrets.contains { text.contains("--\($0)") } }

    private var secrets: [String] {
        verbs.flatMap(\.arguments).filter { $0.kind == .secret }.map(\.name)
    }
}

extension String {
    /// Whether the word is to add or take away a tag.
    fileprivate var isTagWord: Bool { first == "+" || first == "-" }
}
