public import ControllerKit
public import Notebook
package import Records

extension CompletionKind {
    /// The tags in use.
    public static let tags = CompletionKind("tags")
    /// The names of the record types.
    public static let types = CompletionKind("types")
    /// The texts in use in a field. A kind is only a name, so the name contains the field.
    public static func texts(in field: String) -> CompletionKind { CompletionKind(textsPrefix + field) }
    fileprivate static let textsPrefix = "texts in "
    /// The names of saved filters.
    public static let lists = CompletionKind("lists")
    /// The names of contexts, and the words after `context` with a meaning of their own.
    public static let contexts = CompletionKind("contexts")
    /// The names of contexts, and the words of a filter.
    public static let contextWords = CompletionKind("context-words", hasSigns: true)
    /// The words of a record or a filter: tags, `project:` and other fields.
    public static let words = CompletionKind("words", hasSigns: true)
    /// The words of a filter: also `or`, `has:`, `today` and the like.
    public static let filter = CompletionKind("filter", hasSigns: true)
    /// Records, then tags to add and to remove; at the beginning also a word of a filter.
    public static let recordsAndTags = CompletionKind("records-and-tags", namesRecords: true)
    /// Words of a text: `[[` is completed to a link.
    public static let links = CompletionKind("links")
    /// Records or the words of a filter.
    public static let selection = CompletionKind("selection", hasSigns: true, namesRecords: true)
}

/// Completes the words of a record, a filter or a `tag` command: `+tag`, `@list`, `project:name`, the names of fields
/// and their usual values.
package struct WordCompletions: Sendable {
    /// The fields whose names are offered.
    private let fields: [Field]
    /// The words of a filter with a fixed meaning.
    private let filterWords: [String]
    /// The names that may follow `has:`.
    private let shownNames: [String]
    /// The names that may follow `sort:`.
    private let sortNames: [String]
    private let source: CompletionSource

    /// Creates completions.
    ///
    /// - Parameters:
    ///   - types: The record types, whose fields can be named.
    ///   - source: Looks up tags, texts in use, lists and records.
    package init(_ types: RecordTypes, _ source: @escaping CompletionSource) {
        (fields, self.source) = (types.catalog.completed, source)
        (filterWords, sortNames) = (types.filterWords, types.sortNames)
        shownNames = types.catalog.fields.filter { $0.place != .hidden }.map(\.name) + ["conflict"]
    }

    /// Returns the completions of an argument. Kinds without this syntax are passed to the source.
    package func completions(of kind: CompletionKind, beginning: String) async -> [Completion] {
        switch kind {
        case .words: await words(beginning)
        case .filter: await filter(beginning)
        case .contexts:
            ContextScreen.subcommands.filter { $0.hasPrefix(beginning) }.map { Completion($0) }
                + (await source(.contexts, beginning))
        case .contextWords: await source(.contexts, beginning) + (await filter(beginning))
        case .recordsAndTags: await words(beginning) + (hasSign(beginning) ? [] : await source(.records, beginning))
        case .selection:
            // A record may match the beginning of a word without signs.
            await filter(beginning) + (hasSign(beginning) ? [] : await source(.records, beginning))
        default: await source(kind, beginning)
        }
    }

    private func words(_ beginning: String) async -> [Completion] {
        if isTagWord(beginning) { return await tags(beginning) }
        if beginning.hasPrefix("@") {
            return await source(.lists, String(beginning.dropFirst())).map { Completion("@" + $0.text, note: $0.note) }
        }
        guard let field = fields.first(where: { beginning.hasPrefix($0.name + ":") }) else { return names(beginning) }
        let name = field.name + ":"
        if field.isLabel {
            let texts = await source(.texts(in: field.name), String(beginning.dropFirst(name.count)))
            return texts.map { Completion(name + $0.text) }
        }
        return field.completions.map { name + $0 }.filter { $0.hasPrefix(beginning) }.map { Completion($0) }
    }

    private func filter(_ beginning: String) async -> [Completion] {
        if beginning.hasPrefix(Self.sort) { return sortKeys(beginning) }
        if let dates = comparedDates(beginning) { return dates }
        let presence = "has:"
        let words = beginning.hasPrefix(presence) ? shownNames.map { presence + $0 } : filterWords
        let known = words.filter { !beginning.isEmpty && $0.hasPrefix(beginning) }.map { Completion($0) }
        return known + (await self.words(beginning))
    }

    private static let sort = "sort:"

    /// Completes the last key of `sort:-due,pri`, which may be negated.
    private func sortKeys(_ beginning: String) -> [Completion] {
        let key = beginning.drop { $0 != ":" }.dropFirst().split(separator: ",", omittingEmptySubsequences: false).last
        let name = (key ?? "").drop { $0 == "-" || $0 == "+" }
        let kept = String(beginning.dropLast(name.count))
        return sortNames.filter { $0.hasPrefix(name) }.map { Completion(kept + $0) }
    }

    /// Completes the date of a comparison: `due<=e`; nil: the beginning isn't one.
    private func comparedDates(_ beginning: String) -> [Completion]? {
        guard let field = fields.first(where: { $0.kind.isDate && beginning.hasPrefix($0.name) }) else { return nil }
        let rest = beginning.dropFirst(field.name.count)
        // The longer sign first: `<=` begins with `<`.
        guard let sign = ["<=", ">=", "<", ">"].first(where: { rest.hasPrefix($0) }) else { return nil }
        let words = field.completions.map { field.name + sign + $0 }
        return words.filter { $0.hasPrefix(beginning) }.map { Completion($0) }
    }

    /// Whether the beginning is that of a tag, a saved filter or a condition, and not of a record.
    private func hasSign(_ beginning: String) -> Bool {
        isTagWord(beginning) || beginning.hasPrefix("@")
            || fields.contains { beginning.hasPrefix($0.name + ":") }
    }

    private func isTagWord(_ word: String) -> Bool { word.first == "+" || word.first == "-" }

    private func tags(_ beginning: String) async -> [Completion] {
        let sign = String(beginning.prefix(1))
        return await source(.tags, String(beginning.dropFirst())).map { Completion(sign + $0.text) }
    }

    private func names(_ beginning: String) -> [Completion] {
        fields.map { $0.name + ":" }.filter { !beginning.isEmpty && $0.hasPrefix(beginning) }.map { Completion($0) }
    }
}

/// Looks up completions in a notebook.
public struct RecordCompletions: Sendable {
    /// The maximum number of completions.
    static let maximum = 500

    private let notebook: Notebook

    /// Creates completions for the records of a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    /// The look-up as a function.
    public var source: CompletionSource { { await completions(of: $0, beginning: $1) } }

    /// Returns the completions of the beginning of a word: tags and projects in use, the most used first; records by
    /// their ids, or by words of their titles. Empty if the cache can't be read.
    public func completions(of kind: CompletionKind, beginning: String) async -> [Completion] {
        await WordCompletions(notebook.types) { await lookUp($0, $1) }.completions(
            of: kind, beginning: beginning)
    }

    /// The maximum number of characters of a title that is inserted.
    static let maximumTitleLength = 60

    /// Returns whether a title in quotes can be nothing else in a command: neither an id nor the words of a filter.
    private static func namesOneRecord(_ title: String) -> Bool {
        title.count <= maximumTitleLength && title.first?.isLetter == true && title.contains(" ")
            && !title.contains { ":<>=\"\\".contains($0) }
    }

    private func lookUp(_ kind: CompletionKind, _ beginning: String) async -> [Completion] {
        switch kind {
        case .tags: await texts(in: FieldKey.tags.name, beginning)
        case .types: notebook.types.listedTypes.map(\.noun).filter { $0.hasPrefix(beginning) }.map { Completion($0) }
        case .records: await records(beginning)
        case .lists: await lists(beginning)
        case .contexts: await contexts(beginning)
        case .links: await links(beginning)
        default:
            if kind.name.hasPrefix(CompletionKind.textsPrefix) {
                await texts(in: String(kind.name.dropFirst(CompletionKind.textsPrefix.count)), beginning)
            } else {
                []
            }
        }
    }

    private func texts(in field: String, _ beginning: String) async -> [Completion] {
        // No completions on an error: the command itself reports it.
        let texts = try? await notebook.textsInUse(in: field, beginning: beginning, limit: Self.maximum)
        return (texts ?? []).map { Completion($0) }
    }

    private func lists(_ beginning: String) async -> [Completion] {
        // As in `texts`.
        let lists = try? await notebook.savedLists()
        return (lists ?? []).filter { $0.name.lowercased().hasPrefix(beginning.lowercased()) }
            .map { Completion($0.name, note: CommandWords.joined($0.words)) }
    }

    private func contexts(_ beginning: String) async -> [Completion] {
        // As in `texts`.
        let contexts = try? await notebook.contexts()
        return (contexts?.defined ?? []).filter { $0.name.lowercased().hasPrefix(beginning.lowercased()) }
            .map { Completion($0.name, note: CommandWords.joined($0.words)) }
    }

    private func links(_ beginning: String) async -> [Completion] {
        guard beginning.hasPrefix(TextLink.opening) else { return [] }
        // As in `texts`.
        let titles = try? await notebook.titles(
            beginning: String(beginning.dropFirst(TextLink.opening.count)), limit: Self.maximum)
        return (titles ?? []).map { Completion(TextLink.opening + $0 + TextLink.closing) }
    }

    private func records(_ beginning: String) async -> [Completion] {
        // As in `texts`.
        let found = try? await notebook.records(beginning: beginning, limit: Self.maximum)
        let records = found ?? []
        let titles = Dictionary(records.map { ($0.title, 1) }, uniquingKeysWith: +)
        return records.map { record in
            // A word that begins an id is completed to the id.
            let isByTitle = !beginning.isEmpty && !record.prefix.hasPrefix(beginning.lowercased())
            let isClear = isByTitle && titles[record.title] == 1 && Self.namesOneRecord(record.title)
            return Completion(record.prefix, note: record.title, title: isClear ? record.title : nil)
        }
    }
}
