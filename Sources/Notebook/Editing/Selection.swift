internal import LocalStore
public import Records

/// The records that a command is about, as typed: references, or the words of a filter.
public struct Selection: Sendable, Equatable {
    /// The words as they were typed.
    public let words: [String]
    let form: Form

    enum Form: Sendable, Equatable {
        /// Each word is a reference.
        case references
        /// One word is a reference, or else the words of a filter.
        case reference(orFilter: [String])
        /// All words are references, or else all are one filter.
        case referencesOrFilter
    }

    /// Selects by references: numbers, ranges of numbers, ids, lists of these, and whole titles.
    public static func references(_ words: [String]) -> Selection { Selection(words: words, form: .references) }

    /// Selects by one word: a reference or a word of a filter, such as `+shop`. The records of a number or an id come
    /// first, then those of a filter, then those of a title.
    ///
    /// - Parameter filter: The words of the filter, if the word contains several of them; nil: the word itself.
    public static func first(_ word: String, filter: [String]? = nil) -> Selection {
        Selection(words: [word], form: .reference(orFilter: filter ?? [word]))
    }

    /// Selects by words that are all references, or else one filter. A single word may also be a title; words after
    /// `--` are searched for. References and words of a filter can't be combined.
    public static func words(_ words: [String]) -> Selection { Selection(words: words, form: .referencesOrFilter) }
}

/// Approves the records of a command before they are changed. An error rolls the command back.
public typealias Approval = @Sendable (SelectedRecords) throws -> Void

extension Notebook {
    /// Returns the keys of the records of a selection, in its order.
    ///
    /// - Throws: ``NotebookError``, `InputError`.
    public func keys(of selection: Selection) async throws -> [RecordKey] {
        try await read { try $0.select(selection).records.map(\.key) }
    }

    /// Returns whether all words look like references, or are short ids of records.
    public func areReferences(_ words: [String]) async throws -> Bool {
        if words.allSatisfy(Reference.isLikely) { return true }
        return try await read { records in
            var resolver = ReferenceResolver(records)
            return try words.allSatisfy { word in
                if Reference.isLikely(word) { return true }
                // An error means that it names more than one record.
                do {
                    return try resolver.keysOfIDs(word) != nil
                } catch is NotebookError {
                    return true
                }
            }
        }
    }
}

extension Notebook.Transaction {
    /// Returns the records that `references` name, also in lists and ranges, each once, in that order.
    ///
    /// - Throws: ``NotebookError`` that says what to do.
    public func keys(of references: [String]) throws -> [RecordKey] {
        try select(.references(references)).records.map(\.key)
    }

    /// Returns the records of a selection.
    ///
    /// - Parameter scope: The records among which a filter selects; of several records with one title, those in this
    ///   state are preferred.
    /// - Throws: ``NotebookError`` that says what to do, among them ``NotebookError/noMatches(_:)`` if a filter finds
    ///   nothing; `InputError`.
    public func select(
        _ selection: Selection, among scope: SelectedRecords.Scope = .listed
    ) throws -> SelectedRecords {
        var resolver = ReferenceResolver(self, scope)
        switch selection.form {
        case .references: return try named(selection.words, &resolver)
        case .reference(let filter):
            if let keys = try resolver.keysOfIDs(selection.words[0]) {
                return try found(keys)
            }
            guard notebook.isFilterWord(selection.words[0]) || filter != selection.words else {
                return try named(selection.words, &resolver)
            }
            return try filtered(filter, scope)
        case .referencesOrFilter:
            return try isFilter(selection.words, &resolver)
                ? try filtered(selection.words, scope) : try named(selection.words, &resolver)
        }
    }

    /// Returns whether words are a filter and not references.
    ///
    /// - Throws: ``NotebookError/referenceInFilter(_:)`` if they are both.
    private func isFilter(_ words: [String], _ resolver: inout ReferenceResolver) throws -> Bool {
        if words.contains("--") { return true }
        guard let word = words.first(where: notebook.isFilterWord) else {
            if words.contains(where: \.isEmpty) { return false }
            // A word in quotes, and a single word, may be a title.
            let mayBeTitle = { (word: String) in words.count == 1 || word.contains(where: \.isWhitespace) }
            return try !words.contains { word in
                try Reference.isLikely(word) || resolver.keysOfIDs(word) != nil
                    || mayBeTitle(word) && resolver.key(ofTitle: word) != nil
            }
        }
        // An id may be a word of a filter, too: `done`.
        if try words.allSatisfy({ try resolver.keysOfIDs($0) != nil }) { return false }
        if let reference = words.first(where: Reference.isLikely) {
            throw NotebookError.referenceInFilter(reference, filter: word)
        }
        return true
    }

    private func named(_ words: [String], _ resolver: inout ReferenceResolver) throws -> SelectedRecords {
        var keys: [RecordKey] = []
        for word in words {
            guard let named = try resolver.keys(of: word) else { throw NotebookError.unknownID(word) }
            keys += named
        }
        return try found(keys)
    }

    private func found(_ keys: [RecordKey]) throws -> SelectedRecords {
        var known: Set<RecordKey> = []
        let records = try cache.records(keys.filter { known.insert($0).inserted })
        return SelectedRecords(records: records, isByFilter: false, isByText: false)
    }

    private func filtered(_ words: [String], _ scope: SelectedRecords.Scope) throws -> SelectedRecords {
        let filter = try query(words, scope: scope == .closed ? .all : .open)
        let records = try cache.records(find(filter)).filter { record in
            let type = types[record.key.collection]
            return switch scope {
            case .listed: true
            case .open: type.closing != nil && !type.isClosed(record.fields)
            case .closed: type.isClosed(record.fields)
            }
        }
        if records.isEmpty { throw NotebookError.noMatches(words.joined(separator: " ")) }
        let isByText = !words.contains { notebook.isFilterWord($0) }
        return SelectedRecords(records: records, isByFilter: true, isByText: isByText)
    }
}
