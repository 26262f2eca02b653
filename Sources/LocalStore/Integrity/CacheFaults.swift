internal import GRDB
internal import Records

/// A violated invariant of a cache, found by `LocalStore.faults`.
public struct CacheFault: Sendable, Equatable {
    /// The violated invariant.
    public var kind: Kind
    /// The number of rows that it concerns; at least 1.
    public var count: Int
    /// The message of SQLite or details of the row, for the diagnostic; nil: there are none.
    public var detail: String?

    /// Creates a fault of this kind.
    package init(_ kind: Kind, count: Int = 1, detail: String? = nil) {
        self.kind = kind
        self.count = count
        self.detail = detail
    }

    /// The invariants of the cache, by what violates them; in the order of their repair. New cases may be added.
    public enum Kind: String, Sendable, CaseIterable {
        /// SQLite can't read parts of the file.
        case unreadablePages
        /// An index doesn't match its table.
        case brokenIndex
        /// The row of the personal space is missing or can't be read.
        case brokenSpace
        /// Rows that refer to rows that don't exist.
        case danglingReferences
        /// Records whose name, fields or clocks can't be read.
        case unreadableRecords
        /// Mirrors whose fields or clocks can't be read.
        case unreadableMirrors
        /// Outbox entries without a moment that can be read.
        case unreadableEntries
        /// Mirrors of records without unsent edits.
        case strayMirrors
        /// Records that no server has acknowledged, and that would never be sent.
        case lostEntries
        /// Entries of the outbox with more edits sent than made, or with none made.
        case impossibleCounts
        /// Records that are marked as in flight without a batch, or a batch whose records aren't marked.
        case brokenBatch
        /// Records that are marked as seen by a full read, or as of a former epoch, while no full read is under way.
        case strayReadMarks
        /// A stored digest that isn't that of the stored records.
        case wrongDigest
        /// Records that can't be found by their words, or by others, and entries of the index without a record.
        case wrongSearchIndex
        /// Live records without their place in the index of the list, and places without a live record.
        case wrongListIndex
    }
}

extension CacheFault.Kind {
    /// The kinds of repairs, by what they need. New cases may be added.
    public enum Repair: Sendable {
        /// The file is put aside, and a new one is built.
        case rebuilding
        /// The server's records must be read again.
        case reading
        /// The cache has all that is needed.
        case recounting
    }

    /// The kind of repair for the fault.
    public var repair: Repair {
        switch self {
        case .unreadablePages: .rebuilding
        case .brokenSpace, .danglingReferences, .unreadableRecords, .unreadableMirrors, .strayMirrors, .lostEntries,
            .brokenBatch:
            .reading
        case .brokenIndex, .unreadableEntries, .impossibleCounts, .strayReadMarks, .wrongDigest, .wrongSearchIndex,
            .wrongListIndex:
            .recounting
        }
    }
}

/// The checks of all invariants, which change nothing, and their repair.
struct CacheIntegrity: CacheFacet {
    let cache: Cache
}

extension Cache {
    /// The checks and repairs of the cache.
    var integrity: CacheIntegrity { CacheIntegrity(cache: self) }
}

extension CacheIntegrity {
    /// Returns the faults of the cache; empty: there are none.
    func faults() throws -> [CacheFault] {
        let file = try fileFaults()
        // Further checks of such a file would prove nothing.
        if file.contains(where: { $0.kind == .unreadablePages }) { return file }
        let rows = try unreadable()
        let lists: [CacheFault?] = [
            try spaceFault(), try danglingReferences(), .init(.unreadableRecords, rows.records),
            .init(.unreadableMirrors, rows.mirrors), .init(.unreadableEntries, rows.entries),
            try counted(.strayMirrors, "mirrors WHERE record NOT IN (SELECT record FROM outbox)"),
            try counted(.lostEntries, "records WHERE version = 0 AND number NOT IN (SELECT record FROM outbox)"),
            try counted(.impossibleCounts, "outbox WHERE edits < 1 OR sent > edits"),
            try batchFault(), try readMarksFault(),
            // Without the version of an unreadable record, the digest can't be computed.
            rows.records.isEmpty ? try digestFault() : nil, try searchFault(), try listFault(),
        ]
        return file + lists.compactMap(\.self)
    }

    /// Returns the rows whose values can't be read, by the numbers of their records.
    func unreadable() throws -> UnreadableRows {
        var found = UnreadableRows()
        let records = try Row.fetchCursor(
            db, sql: "SELECT number, collection, id, version, deleted, fields, clock FROM records")
        while let row = try records.next() {
            if !Self.isReadable(row, isRecord: true) { found.records.append(row[0]) }
        }
        let mirrors = try Row.fetchCursor(db, sql: "SELECT record, version, deleted, fields, clock FROM mirrors")
        while let row = try mirrors.next() {
            if !Self.isReadable(row, isRecord: false) { found.mirrors.append(row[0]) }
        }
        let entries = try Row.fetchCursor(db, sql: "SELECT record, at FROM outbox")
        while let row = try entries.next() {
            if HLC(row["at"] as String) == nil { found.entries.append(row[0]) }
        }
        return found
    }

    private static func isReadable(_ row: Row, isRecord: Bool) -> Bool {
        let (version, deleted): (Int64, Int64) = (row["version"], row["deleted"])
        guard version >= 0, 0...1 ~= deleted, let fields = try? JSONValue(parsing: row["fields"] as String),
            let clock = try? JSONValue(parsing: row["clock"] as String), fields.object != nil,
            FieldClocks(json: clock) != nil
        else { return false }
        return !isRecord || RecordKey(collection: row["collection"], id: row["id"]).isValid
    }

    /// Returns a fault for each row of a table or query of SQL; nil: there are none.
    func counted(
        _ kind: CacheFault.Kind, _ rows: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> CacheFault? {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM " + rows, arguments: arguments) ?? 0
        return count == 0 ? nil : CacheFault(kind, count: count)
    }
}

/// The numbers of records with unreadable values.
struct UnreadableRows {
    var records: [Int64] = []
    var mirrors: [Int64] = []
    var entries: [Int64] = []
}

extension CacheFault {
    fileprivate init?(_ kind: Kind, _ rows: [Int64]) {
        if rows.isEmpty { return nil }
        self.init(kind, count: rows.count)
    }
}

// MARK: - The file

extension CacheIntegrity {
    /// Returns what SQLite itself finds (https://sqlite.org/pragma.html#pragma_integrity_check).
    private func fileFaults() throws -> [CacheFault] {
        let found: [String]
        do { found = try String.fetchAll(db, sql: "PRAGMA integrity_check(100)") } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CORRUPT
        {
            return [CacheFault(.unreadablePages, detail: error.message)]
        }
        if found == ["ok"] { return [] }
        // With these messages alone, the tables are intact, and REINDEX is enough.
        let isIndexAlone = found.allSatisfy { $0.contains("missing from index") || $0.contains("entries in index") }
        return [CacheFault(isIndexAlone ? .brokenIndex : .unreadablePages, count: found.count, detail: found.first)]
    }

    private func danglingReferences() throws -> CacheFault? {
        let rows = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
        guard let first = rows.first else { return nil }
        return CacheFault(.danglingReferences, count: rows.count, detail: first["table"])
    }
}

// MARK: - The space

extension CacheIntegrity {
    private func spaceFault() throws -> CacheFault? {
        let row = try Row.fetchOne(db, sql: "SELECT digest, reading FROM spaces WHERE number = ?", arguments: [space])
        guard let row else { return CacheFault(.brokenSpace, detail: "it is missing") }
        let reading: String? = row["reading"]
        if let reading, (try? JSONValue(parsing: reading)) == nil {
            return CacheFault(.brokenSpace, detail: "the state of the full read is unreadable")
        }
        return nil
    }

    private func digestFault() throws -> CacheFault? {
        let stored = try String.fetchOne(db, sql: "SELECT digest FROM spaces WHERE number = ?", arguments: [space])
        guard let stored else { return nil }
        let counted = try cache.replica.countedDigest()
        return SpaceDigest(stored) == counted
            ? nil : CacheFault(.wrongDigest, detail: "\(stored) is stored, \(counted) is held")
    }

    private func batchFault() throws -> CacheFault? {
        guard let batch = try cache.outbox.batch() else {
            return try counted(.brokenBatch, "outbox WHERE sent IS NOT NULL")
        }
        guard let sent = Self.keys(of: batch) else {
            return CacheFault(.brokenBatch, detail: "the batch can't be read")
        }
        let marked = try Row.fetchAll(
            db, sql: "SELECT collection, id FROM outbox JOIN records ON number = record WHERE sent IS NOT NULL")
        let strange = sent.symmetricDifference(
            marked.map { RecordKey(collection: $0["collection"], id: $0["id"]) })
        return strange.isEmpty ? nil : CacheFault(.brokenBatch, count: strange.count)
    }

    /// Returns the records that a batch names; nil: its body can't be read.
    static func keys(of batch: Batch) -> Set<RecordKey>? {
        let mutations = (try? JSONValue(parsing: batch.body))?.object?["mutations"]?.array
        guard let mutations else { return nil }
        let keys = mutations.compactMap { mutation -> RecordKey? in
            guard let collection = mutation.object?["collection"]?.string, let id = mutation.object?["id"]?.string
            else { return nil }
            return RecordKey(collection: collection, id: id)
        }
        return Set(keys)
    }

    private func readMarksFault() throws -> CacheFault? {
        let reading = try String.fetchOne(db, sql: "SELECT reading FROM spaces WHERE number = ?", arguments: [space])
        if reading != nil { return nil }
        return try counted(.strayReadMarks, "(SELECT record FROM seen UNION SELECT record FROM former)")
    }
}
