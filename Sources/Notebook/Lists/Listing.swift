internal import LocalStore
public import Records

/// The result of a list or a search: a window of numbered records.
///
/// The numbers name the records on this terminal until the next list. `Notebook.refreshed` updates the records and
/// appends new ones; no number changes.
public struct Listing: Sendable {
    /// The records of the window that exist now, in order.
    public internal(set) var rows: [ListedRecord] = []
    /// The number of records found, in the window or not, without those that were deleted since.
    public var total: Int { found - (numbers.count - rows.count) }
    /// The number of records before the window.
    public internal(set) var offset = 0
    /// Whether they are in the usual order, not in a requested one.
    public internal(set) var isInUsualOrder = false
    /// The words that were searched for; nil for a list.
    public internal(set) var sought: SearchedText?

    /// Creates an empty list.
    public init() {}

    var numbers: [Numbered] = []
    var found = 0
    /// The filter, for finding new records; nil for a search.
    var query: Query?

    struct Numbered: Sendable {
        let number: Int
        let key: RecordKey
        /// Whether it was found after the list was made.
        let isNew: Bool
    }

    /// Whether the window is the whole list.
    var isWhole: Bool { offset == 0 && numbers.count == found }
}

/// A record in a list.
public struct ListedRecord: Sendable {
    /// Its number.
    public let number: Int
    /// The shortest unique beginning of its id.
    public let prefix: String
    /// The record.
    public let record: Record
    /// Whether it has edits that the server has not acknowledged.
    public let isUnsent: Bool
    /// Whether it was found after the list was made.
    public let isNew: Bool
}

extension Notebook {
    /// The maximum number of records in a list.
    public static let longestList = 10_000

    /// Lists the records that match a filter, and numbers them on this terminal.
    ///
    /// - Parameters:
    ///   - filter: The words of the filter; `@name` is replaced by the saved filter.
    ///   - window: The range of records to show, counted from 0.
    /// - Throws: ``NotebookError``, `InputError`.
    public func list(_ filter: [String] = [], window: Range<Int> = 0..<longestList) async throws -> Listing {
        let words = try await expanded(filter)
        let query = try Query(
            (FilterWords(words.saved) + FilterWords(words.own)).words, dates: dates, types: types, scope: .open)
        var listing = Listing()
        listing.query = query
        listing.isInUsualOrder = query.isInUsualOrder
        return try await number(try await find(query), window, as: listing)
    }

    /// Searches the texts of all records. The best match comes first, unless another order is requested.
    ///
    /// - Parameters:
    ///   - words: The words to search for, and words of a filter.
    ///   - window: The range of results to show, counted from 0.
    /// - Throws: ``NotebookError``, `InputError`.
    public func search(_ words: [String], window: Range<Int> = 0..<longestList) async throws -> Listing {
        let words = try await expanded(words)
        let search = try SearchQuery(words.own, filter: words.saved, dates: dates, types: types)
        var listing = Listing()
        listing.sought = SearchedText(search.words)
        return try await number(try await find(search), window, as: listing)
    }

    /// Returns the same list with the present state of its records. If the window is the whole list, new records that
    /// match the filter are appended with new numbers.
    public func refreshed(_ listing: Listing) async throws -> Listing {
        var next = listing
        if let query = listing.query, listing.isWhole {
            // Appended, not inserted, so that no number changes. In a window of a longer list, their places are
            // unknown.
            let known = Set(listing.numbers.map(\.key))
            let new = try await find(query).filter { !known.contains($0) }
            if !new.isEmpty, listing.found + new.count <= Self.longestList {
                next.numbers += zip((listing.found + 1)..., new).map { .init(number: $0, key: $1, isNew: true) }
                next.found = next.numbers.count
                let keys = next.numbers.map(\.key)
                try await view { try $0.cache.index.remember(keys, terminal: terminal) }
            }
        }
        if next.numbers.isEmpty { return next }
        let numbers = next.numbers
        next.rows = try await read { try $0.rows(of: numbers) }
        return next
    }

    /// Returns the keys of the live records that match a query, in its order.
    public func find(_ query: Query) async throws -> [RecordKey] {
        let collections = types.listed
        return try await read { query.select(from: try $0.cache.rows(in: collections)).map(\.key) }
    }

    private func find(_ search: SearchQuery) async throws -> [RecordKey] {
        if search.words.isEmpty { return try await find(search.filter) }
        // Not `read`: a search first indexes the records that changed, which is a write.
        return try await view { records in
            let keys = try records.cache.index.search(search.words, limit: .max)
            if search.isPlain { return keys }
            let rows = try records.cache.records(keys).map {
                QueryRow(collection: $0.key.collection, id: $0.key.id, fields: $0.fields)
            }
            // The usual order of a search is the rank of the matches; a requested order replaces it.
            return
                (search.filter.isInUsualOrder ? rows.filter(search.filter.matches) : search.filter.select(from: rows))
                .map(\.key)
        }
    }

    /// Returns a window of the records found, and stores the numbers for this terminal.
    private func number(_ found: [RecordKey], _ window: Range<Int>, as listing: Listing) async throws -> Listing {
        var listing = listing
        listing.numbers = zip(1..., found).dropFirst(window.lowerBound).prefix(window.count)
            .map { .init(number: $0, key: $1, isNew: false) }
        listing.found = found.count
        listing.offset = window.lowerBound
        // A number is a position in the stored list, so the records before the window are stored, too.
        let numbered = Array(found.prefix(window.upperBound))
        let numbers = listing.numbers
        listing.rows = try await view { records in
            try records.cache.index.remember(numbered, terminal: terminal)
            return try records.rows(of: numbers)
        }
        return listing
    }
}

extension Notebook.Transaction {
    /// Returns the records of a list that still exist.
    fileprivate func rows(of numbers: [Listing.Numbered]) throws -> [ListedRecord] {
        try numbers.compactMap { numbered in
            guard let cached = try cache.cached(numbered.key), !cached.record.deleted else { return nil }
            return ListedRecord(
                number: numbered.number, prefix: try cache.index.shortPrefix(of: numbered.key.id),
                record: cached.record,
                isUnsent: cached.pending != nil, isNew: numbered.isNew)
        }
    }
}

extension QueryRow {
    /// The key of the record.
    fileprivate var key: RecordKey { RecordKey(collection: collection, id: id) }
}
