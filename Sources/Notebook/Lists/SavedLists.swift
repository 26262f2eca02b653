internal import LocalStore
public import Records
internal import TextMerge

extension Notebook {
    /// Returns the saved filters, sorted by name.
    public func savedLists() async throws -> [SavedList] { try await read { try $0.savedLists() } }
}

extension Notebook.Transaction {
    /// Returns the saved filters, sorted by name.
    public func savedLists() throws -> [SavedList] {
        try records(of: SavedList.type)
            .compactMap { SavedList(fields: $0.fields) }
            .sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
    }

    /// Returns the saved filter of this name, without `@`; nil: there is none.
    public func savedList(_ name: String) throws -> SavedList? {
        guard let record = try record(SavedList.key(name)), !record.deleted else { return nil }
        return SavedList(fields: record.fields)
    }

    /// Parses a filter as `list` does, with the saved filters that it names and within the current context.
    ///
    /// - Throws: ``NotebookError``, `InputError`.
    package func query(_ filter: [String], scope: Query.Scope = .open) throws -> Query {
        // Before saved filters are added, which have no numbers of the last list.
        let typed = try resolvingReferences(FilterPart.parts(of: notebook.splittingFilters(filter)))
        let parts = try inContext(try expanded(typed))
        return try Query(parts: parts, dates: notebook.dates, types: types, scope: scope)
    }

    /// Returns the parts of a filter with the ids of records that are named by numbers or titles.
    private func resolvingReferences(_ parts: [FilterPart]) throws -> [FilterPart] {
        var resolver = ReferenceResolver(self)
        return try parts.resolvingReferences(in: types.catalog) { text in
            if case .number = Reference(text) { return try resolver.key(of: text)?.id }
            // Ids match as they are, also those of records that aren't here.
            let isID =
                text.utf8.count >= ShortID.minimumLength && text.allSatisfy { $0.isHexDigit || $0 == "-" }
                || ShortID.idPrefix(of: text) != nil
            return isID ? nil : try resolver.key(ofTitle: text)?.id
        }
    }

    /// Returns the parts of a filter or a search with the names of saved filters replaced.
    ///
    /// - Parameter within: The names of the lists that contain it.
    func expanded(_ parts: [FilterPart], within: [String] = []) throws -> [FilterPart] {
        try parts.replacingNames { name in
            // A list that contains itself would be expanded without end.
            guard !within.contains(name.lowercased()) else { throw NotebookError.recursiveList(name) }
            let list = try existingList(name, isInFilter: true)
            return try expanded(FilterPart.parts(of: list.words), within: within + [name.lowercased()])
        }
    }

    func existingList(_ name: String, isInFilter: Bool) throws -> SavedList {
        if let list = try savedList(name) { return list }
        let nearest = Suggestion.nearest(name, among: try savedLists().map(\.name))
        throw NotebookError.unknownList(name, nearest: nearest, isInFilter: isInFilter)
    }
}
