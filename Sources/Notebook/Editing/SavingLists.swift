public import Records

extension Notebook {
    /// Saves a filter under a name. A list that has this name gets the new filter.
    ///
    /// - Returns: The list that had this name before; nil: none.
    /// - Throws: ``NotebookError``, `InputError` if the filter can't be parsed.
    public func saveList(_ name: String, _ filter: [String]) async throws -> SavedList? {
        guard SavedList.isName(name) else { throw NotebookError.invalidListName(name) }
        let filter = splittingFilters(filter)
        let list = SavedList(name: name, words: filter)
        return try await command("save") { records in
            // Parsed now, so that an invalid filter is reported here and not at each use.
            let parts = try records.expanded(FilterPart.parts(of: filter), within: [name.lowercased()])
            _ = try Query(parts: parts, dates: records.notebook.dates, types: records.types)
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
