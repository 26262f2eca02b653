internal import LocalStore
public import Records

/// A reference to a record, as typed: its number in the last list on this terminal, or a text, which is the beginning of
/// its id, as stored or in the letters of `ShortID`, or its whole title. New cases may be added.
public enum Reference: Equatable, Sendable {
    /// A number. Up to six digits alone are always a number, even if the list was shorter: otherwise a typing error
    /// could name a record whose id begins with these digits. (`shortPrefix` is never digits alone.)
    case number(Int)
    /// The beginning of an id, or a title.
    case prefix(String)

    /// Parses a word.
    public init(_ typed: String) {
        // More than six digits are the beginning of an id: lists are shorter than that.
        if !typed.isEmpty, typed.utf8.count <= 6, typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(typed)
        {
            self = .number(number)
        } else {
            self = .prefix(typed)
        }
    }

    /// Returns whether a word looks like a number in a list, a range of numbers, the beginning of an id (hexadecimal
    /// digits, some of them decimal), or a list of these.
    public static func isLikely(_ word: String) -> Bool {
        let parts = word.split(separator: ",").map(String.init)
        return !parts.isEmpty && parts.allSatisfy { bounds(of: $0) != nil || isLikelyOne($0) }
    }

    private static func isLikelyOne(_ word: String) -> Bool {
        let isNumber = !word.isEmpty && word.utf8.allSatisfy { (0x30...0x39).contains($0) }
        // The beginnings that lists show have at least four characters. The first hyphen of a UUID comes after eight; an
        // earlier one is that of a date or a word.
        let isPrefix =
            word.utf8.count >= 4 && word.allSatisfy { $0.isASCII && $0.isHexDigit || $0 == "-" }
            && word.firstIndex(of: "-").map { word.distance(from: word.startIndex, to: $0) == 8 } ?? true
        return isNumber || isPrefix && word.contains(where: \.isNumber)
    }

    /// Returns the references in a list or a range of numbers (`1,2,3`, `1-3`, `3f2a,5-7`); nil for a single reference.
    ///
    /// - Throws: ``NotebookError`` if a range is reversed or too long.
    public static func several(_ typed: String) throws(NotebookError) -> [String]? {
        let parts = typed.split(separator: ",", omittingEmptySubsequences: true).map(String.init)
        guard let first = parts.first else { return nil }
        guard parts.count > 1 || typed.contains(",") || bounds(of: first) != nil else { return nil }
        var references: [String] = []
        for part in parts {
            guard let (from, to) = bounds(of: part) else {
                references.append(part)
                continue
            }
            guard from <= to else { throw .reversedRange(part, corrected: "\(to)-\(from)") }
            guard to - from < longestRange else { throw .longRange(part, limit: longestRange) }
            references += (from...to).map(String.init)
        }
        return references
    }

    /// The maximum number of records in a range: as many as a list can show.
    private static let longestRange = 10_000

    /// Returns the ends of a range of numbers; nil: it isn't one. The beginning of a UUID isn't a range: its first
    /// hyphen comes after eight characters.
    private static func bounds(of part: String) -> (from: Int, to: Int)? {
        let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Reference(String($0)) }
        guard ends.count == 2, case .number(let from) = ends[0], case .number(let to) = ends[1] else { return nil }
        return (from, to)
    }
}

extension Notebook {
    /// Returns whether a word has a meaning in a filter other than to be searched for: `+tag`, `@list`, `due<eow`,
    /// `overdue`.
    public func isFilterWord(_ word: String) -> Bool {
        if word.isEmpty || word == "--" { return false }
        let parts = FilterPart.parts(of: [word])
        guard parts.count == 1, case .word = parts[0] else { return true }
        // The error is ignored: a refused word has filter syntax, and the filter reports the error.
        guard let filter = try? Query([word], dates: dates, types: types) else { return true }
        return filter != (try? Query(["--", word], dates: dates, types: types))
    }
}

extension Notebook {
    /// Returns the words of a filter that was typed as one word in quotes: `"+shop due<eow"`. A value with a space is one
    /// word: `"due:next friday"`.
    public func filterWords(in word: String) -> [String] {
        guard word.contains(where: \.isWhitespace) else { return [word] }
        let words = FilterPart.split(word).filter { !$0.isEmpty }
        if words.count < 2 { return [word] }
        let isFilter = word.hasPrefix("(") || words.allSatisfy { isFilterWord($0) || Self.connectives.contains($0) }
        return isFilter ? words : [word]
    }

    private static let connectives: Set = ["and", "or", "xor", "not"]

    /// Returns the words of a filter, with those that are several words of a filter in quotes split.
    func splittingFilters(_ filter: [String]) -> [String] {
        let terms = filter.prefix { $0 != "--" }
        return terms.flatMap { filterWords(in: $0) } + filter.dropFirst(terms.count)
    }
}

extension Notebook.Transaction {
    /// Returns the record that `reference` names: by its number, the beginning of its id, or its title.
    ///
    /// - Throws: ``NotebookError`` of kind `notFound` that says what to do.
    public func key(of reference: String) throws -> RecordKey {
        var resolver = ReferenceResolver(self)
        if let key = try resolver.key(of: reference) { return key }
        if let several = try Reference.several(reference) {
            throw NotebookError.severalReferences(reference, count: several.count)
        }
        if notebook.isFilterWord(reference) { throw NotebookError.filterForOne(reference) }
        throw NotebookError.unknownID(reference)
    }

    /// Returns the record that `reference` names, also a deleted one: by its number in the last list, by a unique
    /// beginning of its id, or by its title.
    ///
    /// - Throws: ``NotebookError`` of kind `notFound` that says what to do.
    public func keyIncludingDeleted(of reference: String) throws -> RecordKey {
        switch Reference(reference) {
        case .number(let number):
            let listing = try cache.index.listing(terminal: notebook.terminal)
            return listing.indices.contains(number - 1) ? listing[number - 1] : try key(of: reference)
        case .prefix(let prefix):
            // Deleted records are matched only if no live one does: a live record is the more likely one.
            if try cache.index.keys(beginningWith: prefix).isEmpty,
                case let deleted = try cache.index.deletedKeys(beginningWith: prefix), deleted.count == 1,
                prefix.utf8.count >= ShortID.minimumLength || deleted[0].id == prefix.lowercased()
            {
                return deleted[0]
            }
            return try key(of: reference)
        }
    }
}

/// Finds the records that references name. The last list and the titles are read once for all references.
struct ReferenceResolver {
    private let records: Notebook.Transaction
    private let scope: SelectedRecords.Scope
    private var listing: [RecordKey]?
    /// The records by their titles in lower case.
    private var titles: [String: [Titled]]?

    /// The maximum number of ids in a message.
    private static let maximumNamed = 5

    private struct Titled {
        let key: RecordKey
        let isClosed: Bool
    }

    /// Creates a resolver.
    ///
    /// - Parameter scope: The state of the preferred record, if several have the same title.
    init(_ records: Notebook.Transaction, _ scope: SelectedRecords.Scope = .listed) {
        (self.records, self.scope) = (records, scope)
    }

    /// Returns the record that one reference names; nil: there is none.
    mutating func key(of reference: String) throws -> RecordKey? {
        try key(ofShortTitle: reference) ?? key(ofID: reference) ?? key(ofTitle: reference)
    }

    /// Returns the records that a reference, a list of references or a range names; nil: there are none.
    mutating func keys(of word: String) throws -> [RecordKey]? {
        if let key = try key(ofShortTitle: word) { return [key] }
        return try keysOfIDs(word) ?? key(ofTitle: word).map { [$0] }
    }

    /// Returns the record whose whole title is a word that is shorter than all ids shown, and isn't a number; nil:
    /// there is none. Such a word is more likely the title of one record than an id prefix of another.
    private mutating func key(ofShortTitle word: String) throws -> RecordKey? {
        guard word.utf8.count < ShortID.minimumLength, case .prefix = Reference(word) else { return nil }
        return try key(ofTitle: word)
    }

    /// Returns the records that a number, an id, a list of these or a range names; nil: none of them names one.
    ///
    /// - Throws: ``NotebookError`` for an unknown number, and for a list of which only some parts name records.
    mutating func keysOfIDs(_ word: String) throws -> [RecordKey]? {
        // A title may contain a comma, a list no space.
        guard !word.contains(where: \.isWhitespace), let parts = try Reference.several(word) else {
            return try key(ofID: word).map { [$0] }
        }
        var keys: [RecordKey] = []
        var unknown: String?
        for part in parts {
            if let key = try key(ofID: part) {
                keys.append(key)
            } else {
                unknown = unknown ?? part
            }
        }
        if let unknown, !keys.isEmpty { throw NotebookError.unknownID(unknown) }
        return keys.isEmpty ? nil : keys
    }

    private mutating func key(ofID reference: String) throws -> RecordKey? {
        switch Reference(reference) {
        case .number(let number): return try key(ofNumber: number, reference)
        case .prefix(let prefix):
            let found = try records.cache.index.keys(beginningWith: prefix)
            // A shorter word is more likely a typing error than the beginning of an id that no list shows.
            if prefix.utf8.count < ShortID.minimumLength {
                return found.first { $0.id == prefix || $0.id == prefix.lowercased() }
            }
            if found.count > 1 {
                let ids = try found.map { try records.cache.index.shortPrefix(of: $0.id) }
                throw NotebookError.ambiguousID(prefix, ids: ids)
            }
            if let key = found.first { try checkTitles(key, prefix) }
            return found.first
        }
    }

    /// Refuses letters that begin the id of one record and occur in the title of another: some words, such as `work`
    /// and `feed`, consist of these letters, so the record of the id may not be the one that is meant.
    ///
    /// - Throws: ``NotebookError/ambiguousID(_:ids:)`` with a longer id.
    private func checkTitles(_ key: RecordKey, _ letters: String) throws {
        guard letters.allSatisfy(\.isLetter), letters.count < key.id.count else { return }
        let named = try records.cache.index.keys(titleContaining: letters, limit: Self.maximumNamed)
        let others = named.filter { $0 != key }
        if others.isEmpty { return }
        let longer = String(ShortID.whole(key.id).prefix(letters.count + 1))
        let ids = try others.map { try records.cache.index.shortPrefix(of: $0.id) }
        throw NotebookError.ambiguousID(letters, ids: [longer] + ids)
    }

    private mutating func key(ofNumber number: Int, _ typed: String) throws -> RecordKey {
        let cache = records.cache
        let listing = try self.listing ?? cache.index.listing(terminal: records.notebook.terminal)
        self.listing = listing
        if listing.indices.contains(number - 1) {
            let key = listing[number - 1]
            guard let record = try records.record(key), !record.deleted else {
                throw NotebookError.deletedSinceList(number: typed)
            }
            return key
        }
        // The id of another client may be digits alone. In full, it can't be confused with another record's.
        if let whole = try cache.index.keys(prefix: typed).first(where: { $0.id == typed }) { return whole }
        throw listing.isEmpty && !cache.remembers
            ? NotebookError.numbersNotStored : NotebookError.unknownNumber(typed)
    }

    /// Returns the record with a title, without regard to case; nil: there is none. Of several records, those in the
    /// state of the scope come first.
    ///
    /// - Throws: ``NotebookError/ambiguousTitle(_:ids:)``.
    mutating func key(ofTitle title: String) throws -> RecordKey? {
        let matches = try titled()[title.lowercased()] ?? []
        let preferred = matches.filter { $0.isClosed == (scope == .closed) }
        let candidates = (preferred.isEmpty ? matches : preferred).map(\.key)
        guard candidates.count > 1 else { return candidates.first }
        let named = candidates.sorted { $0.id < $1.id }.prefix(Self.maximumNamed)
        throw NotebookError.ambiguousTitle(
            title, ids: try named.map { try records.cache.index.shortPrefix(of: $0.id) })
    }

    private mutating func titled() throws -> [String: [Titled]] {
        if let titles { return titles }
        var titles: [String: [Titled]] = [:]
        for row in try records.cache.rows(in: records.types.listed) {
            guard let title = row.fields[.title] else { continue }
            let isClosed = records.types[row.collection].isClosed(row.fields)
            titles[title.lowercased(), default: []].append(Titled(key: row.key, isClosed: isClosed))
        }
        self.titles = titles
        return titles
    }
}

extension QueryRow {
    /// The key of the record.
    var key: RecordKey { RecordKey(collection: collection, id: id) }
}

/// The records that a selection has found, each once, in its order.
public struct SelectedRecords: Sendable, Equatable {
    /// The records.
    public let records: [Record]
    /// Whether they were found by a filter.
    public let isByFilter: Bool
    /// Whether they were found by a filter that only has words to search for, such as a part of a title.
    public let isByText: Bool

    /// Identifies the set of records: two selections have the same one only if they have the same records.
    public var identity: String { UUIDText.derived(from: records.map { "\($0.key.collection)/\($0.key.id)" }.sorted()) }

    /// The records that a filter selects. References select records in any state. New cases may be added.
    public enum Scope: Sendable {
        /// Those that a list with the same words shows.
        case listed
        /// Open records of types whose records can be completed.
        case open
        /// Completed records.
        case closed
    }
}
