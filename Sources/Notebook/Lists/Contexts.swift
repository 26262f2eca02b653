internal import LocalStore
internal import Records
internal import TextMerge

/// A filter with a name that applies to all lists and reports of a home while it is the current one.
public struct FilterContext: Sendable, Equatable {
    /// The name.
    public let name: String
    /// The words of the filter.
    public let words: [String]

    /// Creates a context.
    public init(name: String, words: [String]) { (self.name, self.words) = (name, words) }
}

/// The contexts of a home. They belong to this device: they are never synced, and `undo` doesn't change them.
public struct FilterContexts: Sendable, Equatable {
    /// The contexts, sorted by name.
    public internal(set) var defined: [FilterContext] = []
    /// The name of the current one; nil: there is none.
    var currentName: String?

    /// The current context; nil: none.
    public var current: FilterContext? { currentName.flatMap { self[$0] } }

    /// The context of this name; case is ignored.
    public subscript(name: String) -> FilterContext? {
        defined.first { $0.name.lowercased() == name.lowercased() }
    }

    /// Creates an empty collection.
    public init() {}
}

extension Notebook {
    /// Returns the contexts of the home.
    public func contexts() async throws -> FilterContexts { try await read { try $0.contexts() } }

    /// Stores a filter as a context. A context of this name is replaced.
    ///
    /// - Returns: The context that had this name before; nil: none.
    /// - Throws: ``NotebookError``, `InputError` if the filter can't be parsed.
    @discardableResult
    public func defineContext(_ name: String, _ filter: [String]) async throws -> FilterContext? {
        guard FilterPart.isName(name) else { throw NotebookError.invalidContextName(name) }
        let filter = splittingFilters(filter)
        return try await changeContexts { contexts, records in
            // Parsed now, so that an invalid filter is reported here and not by the next list.
            let parts = try records.expanded(FilterPart.parts(of: filter))
            _ = try Query(parts: parts, dates: records.notebook.dates, types: records.types)
            let before = contexts[name]
            contexts.remove(name)
            contexts.defined.append(FilterContext(name: name, words: filter))
            contexts.defined.sort { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
            return before
        }
    }

    /// Makes a context the current one; nil: none applies any more.
    ///
    /// - Throws: ``NotebookError/unknownContext(_:nearest:)``.
    public func useContext(_ name: String?) async throws {
        try await changeContexts { contexts, _ in contexts.currentName = try name.map { try contexts.known($0).name } }
    }

    /// Deletes contexts. Records stay as they are. If the current one is deleted, none applies any more.
    ///
    /// - Throws: ``NotebookError/unknownContext(_:nearest:)`` if one of them doesn't exist; then none is deleted.
    public func deleteContexts(_ names: [String]) async throws {
        try await changeContexts { contexts, _ in
            let known = try names.map { try contexts.known($0).name }
            for name in known { contexts.remove(name) }
            if contexts.current == nil { contexts.currentName = nil }
        }
    }

    /// Changes the contexts in one transaction. It isn't a command of the journal.
    private func changeContexts<Result: Sendable>(
        _ change: @escaping @Sendable (inout FilterContexts, Transaction) throws -> Result
    ) async throws -> Result {
        try await store.write { cache in
            let records = Transaction(cache, in: self)
            var contexts = try records.contexts()
            let result = try change(&contexts, records)
            try cache.settings.setContexts(contexts.json)
            return result
        }
    }
}

extension Notebook.Transaction {
    /// Returns the contexts of the home.
    public func contexts() throws -> FilterContexts {
        try cache.settings.contexts().map { FilterContexts(json: $0) } ?? FilterContexts()
    }

    /// Returns the parts of a filter together with those of the current context. Both must hold as a whole: an `or` in
    /// one of them doesn't concern the other.
    func inContext(_ parts: [FilterPart]) throws -> [FilterPart] {
        guard let context = try contexts().current else { return parts }
        // As a saved filter, so that a typed order replaces that of the context.
        let own = FilterPart.saved(context.name, try expanded(FilterPart.parts(of: context.words)))
        return [own] + (parts.isEmpty ? [] : [.group(parts)])
    }

    /// Returns an edit of a new record with the values that the current context requires. Typed values have precedence.
    ///
    /// - Parameters:
    ///   - typed: The edit of the typed words.
    ///   - words: The typed words.
    /// - Throws: `InputError`; ``NotebookError/tagOfNewRecord(_:)`` for a removed tag that isn't one of the context.
    func addingDefaults(to typed: Edit, _ words: [String], of type: RecordType) throws -> Edit {
        let context = try contexts().current
        let values = context.map { FilterDefaults(of: $0.words, catalog: type.catalog) }
        let defaults = values?.without(fieldsIn: typed) ?? []
        if let tag = typed.removedTags.first(where: { !defaults.contains("+" + $0) }) {
            throw NotebookError.tagOfNewRecord(tag)
        }
        if defaults.isEmpty { return typed }
        return try Edit(
            defaults + words, dates: notebook.dates, catalog: notebook.types.catalog(for: type.collection))
    }
}

extension FilterContexts {
    /// Reads stored contexts. What has another shape is omitted.
    init(json: JSONValue) {
        let members = json.object
        defined = (members?["defined"]?.array ?? []).compactMap { value in
            guard let context = value.object, let name = context["name"]?.string else { return nil }
            return FilterContext(name: name, words: context["words"]?.array?.compactMap(\.string) ?? [])
        }
        currentName = members?["current"]?.string
    }

    /// The form in which the cache stores them.
    var json: JSONValue {
        let contexts = defined.map { context in
            JSONValue.object(["name": .string(context.name), "words": .array(context.words.map(JSONValue.string))])
        }
        var members: JSONObject = ["defined": .array(contexts)]
        members["current"] = currentName.map(JSONValue.string)
        return .object(members)
    }

    fileprivate mutating func remove(_ name: String) { defined.removeAll { $0.name.lowercased() == name.lowercased() } }

    fileprivate func known(_ name: String) throws -> FilterContext {
        if let context = self[name] { return context }
        throw NotebookError.unknownContext(name, nearest: Suggestion.nearest(name, among: defined.map(\.name)))
    }
}
