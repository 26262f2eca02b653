internal import LocalStore
public import Records

/// A reference to a record, as typed: its number in the last list on this terminal, or the beginning of its id. New
/// cases may be added.
public enum Reference: Equatable, Sendable {
    /// A number. Up to six digits alone are always a number, even if the list was shorter: otherwise a typing error
    /// could name a record whose id begins with these digits. (`shortPrefix` is never digits alone.)
    case number(Int)
    /// The beginning of an id.
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
        // The beginnings that lists show have at least four characters.
        let isPrefix = word.utf8.count >= 4 && word.allSatisfy { $0.isASCII && $0.isHexDigit || $0 == "-" }
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

extension Notebook.Transaction {
    /// Returns the record that `reference` names.
    ///
    /// - Throws: ``NotebookError`` of kind `notFound` that says what to do.
    public func key(of reference: String) throws -> RecordKey {
        switch Reference(reference) {
        case .number(let number):
            let listing = try cache.index.listing(terminal: notebook.terminal)
            if listing.indices.contains(number - 1) { return try existing(listing[number - 1], reference) }
            // The id of another client may be digits alone. In full, it can't be confused with another record's.
            if let whole = try cache.index.keys(prefix: reference).first(where: { $0.id == reference }) { return whole }
            throw listing.isEmpty && !cache.remembers
                ? NotebookError.numbersNotStored : NotebookError.unknownNumber(reference)
        case .prefix(let prefix): return try record(beginningWith: prefix)
        }
    }

    /// Returns the records that `references` name, also in lists and ranges, each once, in that order.
    ///
    /// - Throws: ``NotebookError`` that says what to do.
    public func keys(of references: [String]) throws -> [RecordKey] {
        var keys: [RecordKey] = []
        var known: Set<RecordKey> = []
        for reference in try references.flatMap({ try Reference.several($0) ?? [$0] }) {
            let key = try key(of: reference)
            if known.insert(key).inserted { keys.append(key) }
        }
        return keys
    }

    /// Returns the record that `reference` names, also a deleted one: by its number in the last list, or by a unique
    /// beginning of its id.
    ///
    /// - Throws: ``NotebookError`` of kind `notFound` that says what to do.
    public func keyIncludingDeleted(of reference: String) throws -> RecordKey {
        switch Reference(reference) {
        case .number(let number):
            let listing = try cache.index.listing(terminal: notebook.terminal)
            return listing.indices.contains(number - 1) ? listing[number - 1] : try key(of: reference)
        case .prefix(let prefix):
            // Deleted records are matched only if no live one does: a live record is the more likely one.
            if try cache.index.keys(prefix: prefix.lowercased()).isEmpty, try cache.index.keys(prefix: prefix).isEmpty,
                case let deleted = try cache.index.deletedKeys(prefix: prefix.lowercased()), deleted.count == 1
            {
                return deleted[0]
            }
            return try record(beginningWith: prefix)
        }
    }

    private func existing(_ key: RecordKey, _ number: String) throws -> RecordKey {
        guard let record = try record(key), !record.deleted else {
            throw NotebookError.deletedSinceList(number: number)
        }
        return key
    }

    private func record(beginningWith prefix: String) throws -> RecordKey {
        // Satchel's ids are in lower case, so capital letters make no difference. Other clients' ids are matched as
        // typed.
        let matches = try cache.index.keys(prefix: prefix.lowercased())
        let found = matches.isEmpty ? try cache.index.keys(prefix: prefix) : matches
        switch found.count {
        case 1: return found[0]
        case 0:
            if let several = try Reference.several(prefix) {
                throw NotebookError.severalReferences(prefix, count: several.count)
            }
            throw NotebookError.unknownID(prefix)
        default: throw NotebookError.ambiguousID(prefix, ids: found.map(\.id))
        }
    }
}
