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
    /// The words of a record or a filter: tags, `project:` and other fields.
    public static let words = CompletionKind("words", hasSigns: true)
    /// The words of a filter: also `or`, `has:`, `today` and the like.
    public static let filter = CompletionKind("filter", hasSigns: true)
    /// Records, then tags to add and to remove; at the beginning also a word of a filter.
    public static let recordsAndTags = CompletionKind("records-and-tags", namesRecords: true)
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
    private let source: CompletionSource

    /// Creates completions.
    ///
    /// - Parameters:
    ///   - types: The record types, whose fields can be named.
    ///   - source: Looks up tags, texts in use, lists and records.
    package init(_ types: RecordTypes, _ source: @escaping CompletionSource) {
        (fields, self.source) = (types.catalog.completed, source)
        filterWords = types.filterWords
        shownNames = types.catalog.fields.filter { $0.place != .hidden }.map(\.name) + ["conflict"]
    }

    /// Returns the completions of an argument. Kinds without this syntax are passed to the source.
    package func completions(of kind: CompletionKind, beginning: String) async -> [Completion] {
        switch kind {
        case .words: await words(beginning)
        case .filter: await filter(beginning)
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
        let presence = "has:"
        let words = beginning.hasPrefix(presence) ? shownNames.map { presence + $0 } : filterWords
        let known = words.filter { !beginning.isEmpty && $0.hasPrefix(beginning) }.map { Completion($0) }
        return known + (await self.words(beginning))
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

    private func lookUp(_ kind: CompletionKind, _ beginning: String) async -> [Completion] {
        switch kind {
        case .tags: await texts(in: FieldKey.tags.name, beginning)
        case .types: notebook.types.listedTypes.map(\.noun).filter { $0.hasPrefix(beginning) }.map { Completion($0) }
        case .records: await records(beginning)
        case .lists: await lists(beginning)
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

    private func records(_ beginning: String) async -> [Completion] {
        // As in `texts`.
        let found = try? await notebook.records(beginning: beginning, limit: Self.maximum)
        return (found ?? []).map { Completion($0.prefix, note: $0.title) }
    }
}
