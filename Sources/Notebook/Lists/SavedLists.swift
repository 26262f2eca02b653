internal import LocalStore
public import Records
internal import TextMerge

extension Notebook {
    /// Returns the saved filters, sorted by name.
    public func savedLists() async throws -> [SavedList] { try await read { try $0.savedLists() } }

    /// Saves a filter under a name. A list that has this name gets the new filter.
    ///
    /// - Returns: The list that had this name before; nil: none.
    /// - Throws: ``NotebookError``, `InputError` if the filter can't be parsed.
    public func saveList(_ name: String, _ filter: [String]) async throws -> SavedList? {
        guard SavedList.isName(name) else { throw NotebookError.invalidListName(name) }
        let list = SavedList(name: name, words: filter)
        return try await command("save") { records in
            // Parsed now, so that an invalid filter is reported here and not at each use.
            _ = try Query(
                records.words(expanding: filter, within: [name.lowercased()]), dates: records.notebook.dates,
                types: records.types)
            let before = try records.savedList(name)
            try records.edit(SavedList.key(name), FieldChanges(json: list.fields))
            return before
        }
    }

    /// Deletes saved filters. No record that they show is changed.
    ///
    /// - Throws: ``NotebookError`` if one of them does not exist.
    public func forgetLists(_ names: [String]) async throws {
        try await command("forget") { records in
            // All names are checked first, so that a name may be given twice.
            for name in names { _ = try records.existingList(name, isInFilter: false) }
            for name in names { try records.delete(SavedList.key(name)) }
        }
    }
}

/// A filter in two parts: its own words, and the names of the saved filters in it.
struct SplitFilter: Sendable {
    /// The words other than `@name`.
    let own: [String]
    /// The names, without `@`.
    let names: [String]

    /// Splits the words of a filter.
    init(_ words: [String]) {
        var filter = FilterWords(words)
        names = filter.terms.compactMap(SavedList.name)
        filter.terms.removeAll { SavedList.name(in: $0) != nil }
        own = filter.words
    }
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

    /// Returns the words of the conjunction of saved filters.
    func words(ofLists names: [String]) throws -> [String] {
        try names.map { FilterWords(try words(ofList: $0)) }.reduce(FilterWords([]), +).words
    }

    /// Returns the words of a saved filter. Names of other lists in it are replaced by their words.
    ///
    /// - Parameter within: The names of the lists that contain it.
    fileprivate func words(ofList name: String, within: [String] = []) throws -> [String] {
        let list = try existingList(name, isInFilter: true)
        return try words(expanding: list.words, within: within + [list.name.lowercased()])
    }

    fileprivate func existingList(_ name: String, isInFilter: Bool) throws -> SavedList {
        if let list = try savedList(name) { return list }
        let nearest = Suggestion.nearest(name, among: try savedLists().map(\.name))
        throw NotebookError.unknownList(name, nearest: nearest, isInFilter: isInFilter)
    }

    fileprivate func words(expanding words: [String], within: [String]) throws -> [String] {
        let filter = FilterWords(words)
        var expanded = FilterWords([])
        for word in filter.terms {
            guard let name = SavedList.name(in: word) else {
                expanded.terms.append(word)
                continue
            }
            // A list that contains itself would be expanded without end.
            guard !within.contains(name.lowercased()) else { throw NotebookError.recursiveList(name) }
            expanded = expanded + FilterWords(try self.words(ofList: name, within: within))
        }
        expanded.texts += filter.texts
        return expanded.words
    }
}

extension SavedList {
    /// Returns the name in a word such as `@shopping`; nil for any other word.
    fileprivate static func name(in word: String) -> String? {
        guard word.hasPrefix("@"), isName(String(word.dropFirst())) else { return nil }
        return String(word.dropFirst())
    }
}
