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
    /// Whether they are in the default order, not in a requested one.
    public internal(set) var isInDefaultOrder = false
    /// The words that were searched for; nil for a list.
    public internal(set) var sought: SearchedText?
    /// The context within which the records were found; nil: none, as after a search.
    public internal(set) var context: FilterContext?

    /// Creates an empty list.
    public init() {}

    var numbers: [Numbered] = []
    var found = 0
    /// The filter, for finding new records; nil for a search.
    var query: Query?
    /// The links between all records when they were last read; nil for a search.
    var links: RecordLinks?
    /// The depths of parts under other records of the list.
    var depths: [RecordKey: Int] = [:]

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
    /// Its short id, see `ShortID`.
    public let prefix: String
    /// The record.
    public let record: Record
    /// Whether it has edits that the account's server has not acknowledged; false before the first sign-in.
    public let isUnsent: Bool
    /// Whether it has an open conflict.
    public let hasConflict: Bool
    /// Whether it was found after the list was made.
    public let isNew: Bool
    /// Its urgency; nil after a search, and for records that can't be completed. In a window of a longer list, the links
    /// to other records are those at the time of the list.
    public let urgency: Double?
    /// The progress of its parts; nil: it has none, or the list is the result of a search.
    public let progress: RecordLinks.Progress?
    /// Its nesting depth: how many parent records it is indented under.
    public let depth: Int
}

extension Notebook {
    /// The maximum number of records in a list.
    public static let longestList = Query.maximumLimit

    /// Lists the records that match a filter within the current context, and numbers them on this terminal.
    ///
    /// - Parameters:
    ///   - filter: The words of the filter; `@name` is replaced by the saved filter.
    ///   - window: The range of records to show, counted from 0.
    ///   - isFixed: Whether the window keeps its size if the filter has another one (`limit:20`).
    /// - Throws: ``NotebookError``, `InputError`.
    public func list(
        _ filter: [String] = [], window: Range<Int> = 0..<longestList, isFixed: Bool = false
    ) async throws -> Listing {
        let places = ListPlaces(types, dates: dates)
        let isBehind = try await read { records in
            let labels = try records.query(filter).requiredLabels(in: types.catalog)
            return (
                listIndex: try !records.cache.listIndex.isUpToDate(places),
                wordIndex: try !labels.isEmpty && records.cache.index.isFarBehind()
            )
        }
        if isBehind.listIndex { try await updateListIndex(places) }
        if isBehind.wordIndex { try await updateWordIndex() }
        return try await listed { records in
            let query = try records.query(filter)
            try records.checkLetters(in: filter)
            var listing = Listing()
            listing.query = query
            listing.isInDefaultOrder = query.isInDefaultOrder
            listing.context = try records.contexts().current
            let window = window.resized(to: isFixed ? nil : query.limit)
            if query.isUnfiltered, let listed = try records.plainList(window, as: listing) { return listed }
            let found = try records.find(query, withLinks: true)
            listing.links = found.links
            // A requested order is kept as it is.
            guard query.isInDefaultOrder, found.links.hasParts else {
                return try records.number(found.keys, window, as: listing)
            }
            let nested = records.nested(found.rows, found.links)
            listing.depths = nested.depths
            return try records.number(nested.keys, window, as: listing)
        }
    }

    /// Searches the texts of all records. The best match comes first, unless another order is requested.
    ///
    /// - Parameters:
    ///   - words: The words to search for, and words of a filter.
    ///   - window: The range of results to show, counted from 0.
    ///   - isFixed: As for ``list(_:window:isFixed:)``.
    /// - Throws: ``NotebookError``, `InputError`.
    public func search(
        _ words: [String], window: Range<Int> = 0..<longestList, isFixed: Bool = false
    ) async throws -> Listing {
        let parts = FilterPart.parts(of: words, isSearch: true)
        let find: @Sendable (Transaction) throws -> NumberedListing = { records in
            let search = try SearchQuery(parts: try records.expanded(parts), dates: dates, types: types)
            var listing = Listing()
            listing.sought = SearchedText(search.words)
            let window = window.resized(to: isFixed ? nil : search.filter.limit)
            return try records.number(try records.find(search), window, as: listing)
        }
        // The words of saved filters are conditions, so they needn't be known here.
        let isForWords = try !SearchQuery(parts: parts, dates: dates, types: types).words.isEmpty
        guard isForWords else { return try await listed(find) }
        if try await read({ try $0.cache.index.isFarBehind() }) { try await updateWordIndex() }
        // Not `read`: a search for words first indexes the records that changed, which is a write.
        return try await view { records in
            let found = try find(records)
            try records.remember(found.numbered)
            return found.listing
        }
    }

    /// Returns the same list with the present state of its records. If the window is the whole list, new records that
    /// match the filter are appended with new numbers.
    public func refreshed(_ listing: Listing) async throws -> Listing {
        let next = try await read { try $0.refreshed(listing) }
        if next.numbers.count > listing.numbers.count {
            let keys = next.numbers.map(\.key)
            try await view { try $0.remember(keys) }
        }
        return next
    }

    /// Returns the keys of the live records that match a query, in its order.
    public func find(_ query: Query) async throws -> [RecordKey] { try await read { try $0.find(query) } }

    /// Indexes changed records if there are many, for example after an import, so that the next list and search are fast.
    /// No caller needs the result at once, so other processes can write in between.
    package func updateIndexes() async throws {
        if try await read({ try $0.isFarBehind() }) {
            try await updateListIndex(ListPlaces(types, dates: dates), pausing: RecordIndex.pause)
            try await updateWordIndex(pausing: RecordIndex.pause)
        }
    }

    private func updateWordIndex(pausing pause: Duration? = nil) async throws {
        try await updateIndex(pausing: pause) { try $0.index.update() }
    }

    private func updateListIndex(_ places: ListPlaces, pausing pause: Duration? = nil) async throws {
        try await updateIndex { cache in
            try cache.listIndex.begin(places)
            return true
        }
        try await updateIndex(pausing: pause) { try $0.listIndex.update(places) }
    }

    /// Indexes changed records in short transactions. In a home that can't be written, and on a full disk, the index stays
    /// behind, and lists read all records.
    ///
    /// - Parameters:
    ///   - pause: The time between two transactions; nil: none.
    ///   - indexBatch: Indexes a batch of records and returns whether none is left.
    private func updateIndex(
        pausing pause: Duration? = nil, _ indexBatch: @escaping @Sendable (Cache) throws -> Bool
    ) async throws {
        do {
            while try await !store.write({ try !$0.remembers || indexBatch($0) }) {
                try Task.checkCancellation()
                if let pause { try await Task.sleep(for: pause) }
            }
        } catch LocalStoreError.diskFull { return }
    }

    /// Reads a list in one snapshot, and stores its numbers.
    private func listed(_ find: @escaping @Sendable (Transaction) throws -> NumberedListing) async throws -> Listing {
        let found = try await read(find)
        // In a short transaction of its own: a single one that writes would keep other processes from writing while
        // all records are read.
        try await view { try $0.remember(found.numbered) }
        return found.listing
    }
}

/// The records that match a query, in order, and the links between all records.
private struct FoundRecords {
    let rows: [QueryRow]
    let links: RecordLinks
    var keys: [RecordKey] { rows.map(\.key) }
}

/// A list, and the records that get numbers. A number is a position among these, so they include the records before
/// the window.
private struct NumberedListing: Sendable {
    let listing: Listing
    let numbered: [RecordKey]
}

extension Notebook.Transaction {
    /// Returns whether many changed records are in the index of words or of the list not yet, and may be added to it.
    package func isFarBehind() throws -> Bool {
        try cache.remembers && (cache.index.isFarBehind() || cache.listIndex.isFarBehind())
    }

    /// Returns the keys of the live records that match a query, in its order.
    package func find(_ query: Query) throws -> [RecordKey] { try find(query, withLinks: query.readsLinks).keys }

    /// Returns the keys of the live records that match a query, in its order.
    ///
    /// - Parameter withLinks: Whether to determine the links between all records.
    fileprivate func find(_ query: Query, withLinks: Bool) throws -> FoundRecords {
        let (rows, areAll) = try candidates(for: query, in: types.listed)
        let links = !withLinks ? RecordLinks() : areAll ? RecordLinks(rows, types: types) : try allLinks()
        let found = query.select(from: rows, in: try context(of: query, links))
        try query.checkMatches()
        return FoundRecords(rows: found, links: links)
    }

    /// Reads the records that may match a query, in no particular order.
    ///
    /// - Returns: The records, and whether they are all of these collections.
    func candidates(for query: Query, in collections: [String]) throws -> (rows: [QueryRow], areAll: Bool) {
        let labels = query.requiredLabels(in: types.catalog)
        let condition = labels.isEmpty ? nil : RowCondition.labelled(labels)
        return (try cache.rows(in: collections, where: condition, withEdits: query.readsEdits), labels.isEmpty)
    }

    /// The rules of the places in the list without a filter.
    fileprivate var listPlaces: ListPlaces { ListPlaces(types, dates: notebook.dates) }

    /// Returns the list without a filter by its index, which reads only the records of the window and those that refer to
    /// others; nil: the index isn't up to date (another process has just written, the disk is full, or the home can't be
    /// written).
    fileprivate func plainList(_ window: Range<Int>, as listing: Listing) throws -> NumberedListing? {
        let (index, places) = (cache.listIndex, listPlaces)
        guard try index.isUpToDate(places) else { return nil }
        let links = try allLinks()
        var listing = listing
        listing.links = links
        // As many as fill the window even if all parts are among them and are shown further down.
        var found = try index.keys(places, limit: window.upperBound + links.partCount)
        if links.hasParts {
            let nested = try nested(found, links)
            (found, listing.depths) = (nested.keys, nested.depths)
        }
        return try number(found, of: try index.count(places), window, as: listing)
    }

    /// Orders the first records of the list without a filter, followed by all others of it that are or have parts. So a
    /// record among the first is followed by its parts, as in the whole list.
    private func nested(_ first: [RecordKey], _ links: RecordLinks) throws -> NestedRecords {
        let (ids, known) = (links.nestedIDs, Set(first))
        let others = try cache.listIndex.keys(listPlaces, among: ids).filter { !known.contains($0) }
        // The fields of all others aren't needed: only the sections of parts and their parents are compared.
        let rows = Dictionary(
            try cache.rows(in: types.listed, where: .ids(Array(ids))).map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        return nested(
            (first + others).map { rows[$0] ?? QueryRow(collection: $0.collection, id: $0.id, fields: [:]) }, links)
    }

    /// Puts parts below the record of which they are parts, within their section.
    fileprivate func nested(_ rows: [QueryRow], _ links: RecordLinks) -> NestedRecords {
        let horizon = Horizon(notebook.dates)
        return NestedRecords(rows, links) { RecordSection($0.fields, of: types[$0.collection], horizon) }
    }

    /// Determines the links between all records. Those without a link are not parsed.
    func allLinks() throws -> RecordLinks {
        let fields = types.linkFields
        if fields.isEmpty { return RecordLinks() }
        let isIndexed = try cache.listIndex.isValid(listPlaces)
        var rows = try cache.rows(in: types.listed, where: isIndexed ? .linked(in: .fields) : .having(fields: fields))
        let known = Set(rows.map(\.id))
        let others = types.dependencies(of: rows).filter { !known.contains($0) }
        if !others.isEmpty { rows += try cache.rows(in: types.listed, where: .ids(others)) }
        return RecordLinks(rows, types: types)
    }

    /// Reads the records that refer to others there, and mention a text in their fields, such as an id. The caller checks the
    /// fields: others may be among them.
    func rows(linkedIn places: ListPlaces.Links, mentioning text: String) throws -> [QueryRow] {
        let isIndexed = try cache.listIndex.isValid(listPlaces)
        return try cache.rows(
            in: types.listed, where: isIndexed ? .linked(in: places, mentioning: text) : .mentioning(text))
    }

    /// Returns the facts that a query reads besides the records.
    func context(of query: Query, _ links: RecordLinks) throws -> QueryContext {
        QueryContext(conflicted: query.readsConflicts ? try cache.conflicts.recordsWithOpen() : [], links: links)
    }

    /// Refuses `-n`, which is typed as an option, unless a record has the tag.
    fileprivate func checkLetters(in filter: [String]) throws {
        for word in filter.prefix(while: { $0 != "--" }) {
            let letter = String(word.dropFirst())
            guard word.hasPrefix("-"), letter.utf8.count == 1, letter.first?.isLetter == true else { continue }
            let tags = try cache.index.textsInUse(in: FieldKey.tags.name, beginning: letter, limit: .max)
            if !tags.contains(letter) { throw InputError.filter(.letter(letter)) }
        }
    }

    fileprivate func find(_ search: SearchQuery) throws -> [RecordKey] {
        if search.words.isEmpty { return try find(search.filter) }
        let keys = try cache.index.search(search.words, limit: .max)
        if search.isPlain { return keys }
        let rows = try cache.records(keys).map {
            QueryRow(
                collection: $0.key.collection, id: $0.key.id, fields: $0.fields, edited: $0.clock.latest)
        }
        let filter = search.filter
        let links = filter.readsLinks ? try allLinks() : RecordLinks()
        let context = try context(of: filter, links)
        // The default order of a search is the rank of the matches; a requested order replaces it.
        let found =
            filter.isInDefaultOrder
            ? rows.filter { filter.matches($0, in: context) } : filter.select(from: rows, in: context)
        try filter.checkMatches()
        return found.map(\.key)
    }

    /// Returns a window of the records found, with their numbers.
    ///
    /// - Parameters:
    ///   - found: The records, at least up to the end of the window.
    ///   - count: The number of all records found; nil: that of `found`.
    fileprivate func number(
        _ found: [RecordKey], of count: Int? = nil, _ window: Range<Int>, as listing: Listing
    ) throws -> NumberedListing {
        var listing = listing
        listing.numbers = zip(1..., found).dropFirst(window.lowerBound).prefix(window.count)
            .map { .init(number: $0, key: $1, isNew: false) }
        listing.found = count ?? found.count
        listing.offset = window.lowerBound
        listing.rows = try rows(of: listing.numbers, listing)
        return NumberedListing(listing: listing, numbered: Array(found.prefix(window.upperBound)))
    }

    /// Stores the numbers of this terminal: the first record has number 1.
    fileprivate func remember(_ keys: [RecordKey]) throws {
        try cache.index.remember(keys, terminal: notebook.terminal)
    }

    fileprivate func refreshed(_ listing: Listing) throws -> Listing {
        var next = listing
        if let query = listing.query, listing.isWhole {
            // Appended, not inserted, so that no number changes. In a window of a longer list, their places are
            // unknown.
            let known = Set(listing.numbers.map(\.key))
            let found = try find(query, withLinks: true)
            next.links = found.links
            let new = found.keys.filter { !known.contains($0) }
            if listing.found + new.count <= Notebook.longestList {
                next.numbers += zip((listing.found + 1)..., new).map { .init(number: $0, key: $1, isNew: true) }
                next.found = next.numbers.count
            }
        }
        next.rows = try rows(of: next.numbers, next)
        return next
    }

    /// Returns the records of a list that still exist.
    private func rows(of numbers: [Listing.Numbered], _ listing: Listing) throws -> [ListedRecord] {
        let urgency = Urgency(types, dates: notebook.dates)
        let prefixes = try cache.index.shortPrefixes(of: numbers.map(\.key.id))
        let conflicted = try cache.conflicts.recordsWithOpen()
        let hasAccount = try cache.account.owner() != nil
        return try numbers.compactMap { numbered in
            let key = numbered.key
            guard let cached = try cache.cached(key), !cached.record.deleted else { return nil }
            return ListedRecord(
                number: numbered.number, prefix: prefixes[key.id] ?? key.id, record: cached.record,
                isUnsent: hasAccount && cached.pending != nil, hasConflict: conflicted.contains(key),
                isNew: numbered.isNew,
                urgency: listing.links.flatMap { urgency.value(of: cached.record.row, in: QueryContext(links: $0)) },
                progress: listing.links.flatMap { $0.progress(of: key.id) }, depth: listing.depths[key] ?? 0)
        }
    }
}

extension Range<Int> {
    /// Returns the range with another size; nil: with its own.
    fileprivate func resized(to size: Int?) -> Range<Int> { size.map { lowerBound..<lowerBound + $0 } ?? self }
}
