public import ControllerKit
public import Notebook
internal import Records

extension CompletionKind {
    /// The tags in use.
    public static let tags = CompletionKind("tags")
    /// The projects in use.
    public static let projects = CompletionKind("projects")
    /// The lists that were saved under a name.
    public static let lists = CompletionKind("lists")
    /// The words of a task or a filter: tags, `project:` and other fields.
    public static let words = CompletionKind("words", hasSigns: true)
    /// Records, then tags to add and to remove.
    public static let recordsAndTags = CompletionKind("records-and-tags", namesRecords: true)
}

/// What the words of a task, a filter or a command about tags may be completed to: `+tag`, `@list`, `project:name`, the
/// names of fields and their usual values.
public struct WordCompletions: Sendable {
    /// The fields whose names are offered, with their usual values.
    private static let fields = RecordTypes.standard.catalog.completed.map { ($0.name + ":", $0.completions) }

    private let source: CompletionSource

    /// - Parameter source: Looks up tags, projects, lists and records.
    public init(_ source: @escaping CompletionSource) { self.source = source }

    /// What an argument of a kind may be completed to; kinds without words of this syntax are looked up.
    public func completions(of kind: CompletionKind, beginning: String) async -> [Completion] {
        switch kind {
        case .words: await words(beginning)
        case .recordsAndTags: isTagWord(beginning) ? await tags(beginning) : await source(.records, beginning)
        default: await source(kind, beginning)
        }
    }

    private func words(_ beginning: String) async -> [Completion] {
        if isTagWord(beginning) { return await tags(beginning) }
        if beginning.hasPrefix("@") {
            return await source(.lists, String(beginning.dropFirst())).map { Completion("@" + $0.text, note: $0.note) }
        }
        if let values = Self.values(beginning) { return values }
        let project = "project:"
        guard beginning.hasPrefix(project) else { return Self.names(beginning) }
        return await source(.projects, String(beginning.dropFirst(project.count))).map { Completion(project + $0.text) }
    }

    private func isTagWord(_ word: String) -> Bool { word.first == "+" || word.first == "-" }

    private func tags(_ beginning: String) async -> [Completion] {
        let sign = String(beginning.prefix(1))
        return await source(.tags, String(beginning.dropFirst())).map { Completion(sign + $0.text) }
    }

    private static func names(_ beginning: String) -> [Completion] {
        fields.map(\.0).filter { !beginning.isEmpty && $0.hasPrefix(beginning) }.map { Completion($0) }
    }

    /// The values of the field whose name the word begins with; nil where they are not fixed.
    private static func values(_ beginning: String) -> [Completion]? {
        guard let (name, values) = fields.first(where: { beginning.hasPrefix($0.0) }), !values.isEmpty else {
            return nil
        }
        return values.map { name + $0 }.filter { $0.hasPrefix(beginning) }.map { Completion($0) }
    }
}

/// Looks completions up in a notebook.
public struct RecordCompletions: Sendable {
    /// How many completions there are at most.
    static let maximum = 500

    private let notebook: Notebook

    /// Completions of what a notebook holds.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    /// The same as a function.
    public var source: CompletionSource { { await completions(of: $0, beginning: $1) } }

    /// What an argument may be, by the beginning of a word: tags and projects in use, those used most first; records by
    /// their ids, or by words of their titles. None if the cache can't be read; the command itself reports that.
    public func completions(of kind: CompletionKind, beginning: String) async -> [Completion] {
        await WordCompletions { await lookUp($0, $1) }.completions(of: kind, beginning: beginning)
    }

    private func lookUp(_ kind: CompletionKind, _ beginning: String) async -> [Completion] {
        switch kind {
        case .tags: await texts(at: "$.tags", beginning)
        case .projects: await texts(at: "$.project", beginning)
        case .records: await records(beginning)
        case .lists: await lists(beginning)
        default: []
        }
    }

    private func texts(at path: String, _ beginning: String) async -> [Completion] {
        let texts = try? await notebook.textsInUse(at: path, beginning: beginning, limit: Self.maximum)
        return (texts ?? []).map { Completion($0) }
    }

    private func lists(_ beginning: String) async -> [Completion] {
        let lists = try? await notebook.savedLists()
        return (lists ?? []).filter { $0.name.lowercased().hasPrefix(beginning.lowercased()) }
            .map { Completion($0.name, note: CommandWords.joined($0.words)) }
    }

    private func records(_ beginning: String) async -> [Completion] {
        let found = try? await notebook.records(beginning: beginning, limit: Self.maximum)
        return (found ?? []).map { Completion($0.prefix, note: $0.title) }
    }
}
