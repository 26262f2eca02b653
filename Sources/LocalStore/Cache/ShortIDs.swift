internal import GRDB
package import Records

// The short ids of records, see `ShortID`.
extension RecordIndex {
    /// The number of ids from which on all ids of the cache are read once, in order. For fewer, two index lookups for each
    /// id are faster.
    private static let scanThreshold = 500

    /// Returns the shortest unique prefix of an id, as `ShortID` shows it: at least `ShortID.minimumLength` characters,
    /// and never digits alone, which would be read as the number of a list.
    package func shortPrefix(of id: String) throws -> String {
        // Of all ids, the neighbours in the order share the longest prefix; each is found with one index lookup.
        let lower = try db.cachedStatement(sql: "SELECT max(id) FROM records WHERE id < ?")
        let upper = try db.cachedStatement(sql: "SELECT min(id) FROM records WHERE id > ?")
        let neighbours = try [lower, upper].compactMap { try String.fetchOne($0, arguments: [id]) }
        return try shortPrefix(of: id, between: neighbours, hasOthers: hasOtherLetters())
    }

    /// Returns the short ids of several records by id; see `shortPrefix(of:)`.
    package func shortPrefixes(of ids: [String]) throws -> [String: String] {
        var prefixes: [String: String] = [:]
        if ids.count < Self.scanThreshold {
            for id in ids { prefixes[id] = try shortPrefix(of: id) }
            return prefixes
        }
        let sought = Set(ids)
        let hasOthers = try hasOtherLetters()
        var previous: String?
        var current: String?
        let add = { (before: String?, id: String?, after: String?) throws -> Void in
            guard let id, sought.contains(id) else { return }
            prefixes[id] = try shortPrefix(
                of: id, between: [before, after].compactMap(\.self), hasOthers: hasOthers)
        }
        let all = try String.fetchCursor(db.cachedStatement(sql: "SELECT DISTINCT id FROM records ORDER BY id"))
        while let next = try all.next() {
            try add(previous, current, next)
            (previous, current) = (current, next)
        }
        try add(previous, current, nil)
        return prefixes
    }

    /// Returns the live records that a word names: by the beginning of their id as stored, or as `ShortID` shows it; at
    /// most `limit`. A record with exactly that id is returned alone.
    package func keys(beginningWith word: String, limit: Int = 5) throws -> [RecordKey] {
        // Satchel's ids are in lower case, so capital letters make no difference. Other clients' ids are matched as
        // typed.
        var found = try keys(prefix: word.lowercased(), limit: limit)
        if found.isEmpty { found = try keys(prefix: word, limit: limit) }
        if found.contains(where: { $0.id == word || $0.id == word.lowercased() }) { return found }
        guard let letters = ShortID.idPrefix(of: word) else { return found }
        return Array((found + (try keys(prefix: letters, limit: limit))).prefix(limit))
    }

    /// Returns the deleted records that a word names: see `keys(beginningWith:limit:)`.
    package func deletedKeys(beginningWith word: String, limit: Int = 5) throws -> [RecordKey] {
        let found = try deletedKeys(prefix: word.lowercased(), limit: limit)
        if found.contains(where: { $0.id == word.lowercased() }) { return found }
        guard let letters = ShortID.idPrefix(of: word) else { return found }
        return Array((found + (try deletedKeys(prefix: letters, limit: limit))).prefix(limit))
    }

    /// - Parameters:
    ///   - neighbours: The ids before and after it in the order of all ids.
    ///   - hasOthers: Whether ids that aren't UUIDs may begin with the letters of a short id.
    private func shortPrefix(of id: String, between neighbours: [String], hasOthers: Bool) throws -> String {
        let whole = ShortID.whole(id)
        let isUUID = whole != id
        // In the stored form, which both forms of a word are matched with.
        let shared = neighbours.map { zip($0.utf8, id.utf8).prefix { $0 == $1 }.count }.max() ?? 0
        let shown = isUUID ? id.utf8.prefix(shared).count { $0 != UInt8(ascii: "-") } : shared
        var prefix = whole.prefix(max(shown + 1, ShortID.minimumLength))
        while prefix.count < whole.count, try mustGrow(prefix, isUUID: isUUID, hasOthers: hasOthers) {
            prefix = whole.prefix(prefix.count + 1)
        }
        return String(prefix)
    }

    /// Returns whether a beginning would be read as something else: as a number, or in the other form of an id.
    private func mustGrow(_ prefix: Substring, isUUID: Bool, hasOthers: Bool) throws -> Bool {
        if isUUID { return hasOthers ? try isBeginning(String(prefix)) : false }
        if prefix.allSatisfy(\.isNumber) { return true }
        return try ShortID.idPrefix(of: String(prefix)).map { try isBeginning($0) } ?? false
    }

    /// Whether some ids begin with the letters of short ids. UUIDs don't.
    private func hasOtherLetters() throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM records WHERE id >= 'k' AND id < '{')")
        return try Bool.fetchOne(statement) ?? false
    }

    private func isBeginning(_ prefix: String) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM records WHERE id >= ? AND id < ?)")
        return try Bool.fetchOne(statement, arguments: [prefix, prefix + "\u{7F}"]) ?? false
    }
}
