package import Foundation
internal import GRDB
internal import Records

/// The readable rest of a damaged cache: the unsent edits and the state of its account.
public struct Salvage: Sendable, Equatable {
    /// The records with unsent edits, none of them in flight.
    package internal(set) var unsent: [CachedRecord] = []
    /// The number of records that have unsent edits which can't be read.
    public internal(set) var unreadable = 0
    /// Whether the records counted as readable or unreadable are known to be all records with unsent edits.
    public internal(set) var isComplete = false
    var meta: [String: String] = [:]
    var space: Space?

    /// The row of the personal space, and the batch in flight.
    struct Space: Sendable, Equatable {
        var remote: String?
        var cursor: String?
        var reading: String?
        var formerCursor: String?
        var collections: String?
        var batch: Batch?
        /// The counts of edits in the outbox for the records in that batch.
        var inFlight: [RecordKey: InFlight] = [:]
        /// The records of `unsent` whose mirror is of a former epoch.
        var former: Set<RecordKey> = []
    }

    /// The number of edits of a record, and how many of them were sent.
    struct InFlight: Sendable, Equatable {
        var edits: Int64
        var sent: Int64
    }

    /// Reads what is readable of a file and its log, and changes neither.
    ///
    /// - Throws: `LocalStoreError.noFile`; `.unusable` if the file can't be copied.
    package init(file: URL) throws {
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw LocalStoreError.noFile(path: file.path)
        }
        // First as it is; if nothing can be read, with the first page of a new cache. Errors count as nothing read.
        for repairsFirstPage in [false, true] {
            let scratch = try ScratchCopy(of: file)
            defer { scratch.remove() }
            if repairsFirstPage, !FirstPage.repair(scratch.file) { return }
            guard let queue = try? DatabaseQueue(path: scratch.file.path, configuration: .cache)
            else {
                continue
            }
            defer { try? queue.close() }
            if let found = try? queue.writeWithoutTransaction({ try Self(reading: $0) }), !found.isNothing {
                self = found
                return
            }
        }
    }

    /// Whether nothing was recognised, not even the tables of a cache.
    var isNothing: Bool { unsent.isEmpty && meta.isEmpty && space == nil && !isComplete }

    /// The number of records whose unsent edits were read.
    public var count: Int { unsent.count }

    /// The message to the user about what was saved.
    public var summary: String {
        var sentences: [String] = []
        if !unsent.isEmpty { sentences.append("The unsent edits of \(unsent.count.counted("record")) were saved.") }
        if unreadable > 0 {
            sentences.append(
                "The unsent edits of \(unreadable.counted("record")) can't be read, and are only in the file put "
                    + "aside.")
        }
        var text = sentences.isEmpty ? "No unsent edits were found in it." : sentences.joined(separator: " ")
        if !isComplete { text += " There may be others that can't be found." }
        return text
    }
}

// MARK: - Reading

extension Salvage {
    private init(reading db: Database) throws {
        // Without the list of tables nothing can be read.
        guard try db.tableExists("records") else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        // Nothing is edited here, so neither the clock nor a record type is used.
        let cache = Cache(db: db, wall: { 0 }, types: RecordTypes([]))
        let (entries, mirrors) = (Self.numbers("outbox", in: db), Self.numbers("mirrors", in: db))
        let unacknowledged = Self.numbers("records WHERE version = 0", column: "number", in: db)
        // Each record with unsent edits has an entry in the outbox, and a mirror or version 0: one complete list is
        // enough.
        isComplete = entries.isWhole || (mirrors.isWhole && unacknowledged.isWhole)
        for number in Set(entries.found + mirrors.found + unacknowledged.found).sorted() {
            if let record = cache.integrity.salvaged(number) { unsent.append(record) } else { unreadable += 1 }
        }
        // With the device and its clocks, later edits still get later clocks. A value that can't be read is omitted.
        for name in [
            "device", "hlc", "lowered", "username", "server", "sync automatic", "sync background", "device name",
            "contexts",
        ] {
            meta[name] = (try? cache.meta(named: name)) ?? nil
        }
        space = try? Self.space(in: cache)
    }

    private static func space(in cache: Cache) throws -> Space? {
        let db = cache.db
        // `*`, because a file of an earlier version lacks the newer columns.
        let row = try Row.fetchOne(db, sql: "SELECT * FROM spaces WHERE number = ?", arguments: [Cache.personal])
        guard let row else { return nil }
        // The rest is optional: marks and a batch that can't be read count as none.
        let former = try? Row.fetchAll(db, sql: "SELECT collection, id FROM former JOIN records ON number = record")
        var space = Space(
            remote: row["remote"], cursor: row["cursor"], reading: row["reading"], formerCursor: row["former_cursor"],
            collections: row["collections"],
            former: Set((former ?? []).map { RecordKey(collection: $0["collection"], id: $0["id"]) }))
        (space.batch, space.inFlight) = ((try? cache.outbox.batch()) ?? nil, (try? inFlight(in: db)) ?? [:])
        return space
    }

    private static func inFlight(in db: Database) throws -> [RecordKey: InFlight] {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT collection, id, edits, sent FROM outbox JOIN records ON number = record WHERE sent IS NOT NULL"
        )
        let pairs = rows.map { row in
            (RecordKey(collection: row["collection"], id: row["id"]), InFlight(edits: row["edits"], sent: row["sent"]))
        }
        return Dictionary(pairs) { $1 }
    }

    /// Returns the row numbers of a table, read from both its ends up to what can't be read.
    private static func numbers(
        _ table: String, column: String = "record", in db: Database
    ) -> (found: [Int64], isWhole: Bool) {
        var found: Set<Int64> = []
        for order in ["ASC", "DESC"] {
            do {
                let rows = try Int64.fetchCursor(db, sql: "SELECT \(column) FROM \(table) ORDER BY \(column) \(order)")
                while let number = try rows.next() { found.insert(number) }
                return (Array(found), true)
            } catch {
                // What was read before the damage is kept; the other end is next.
                continue
            }
        }
        return (Array(found), false)
    }
}

extension CacheIntegrity {
    /// Returns a record with unsent edits, without what can't be read of its mirror and its entry in the outbox; nil:
    /// the record itself can't be read.
    fileprivate func salvaged(_ number: Int64) -> CachedRecord? {
        guard let row = try? Row.fetchOne(db, sql: "SELECT * FROM records WHERE number = ?", arguments: [number]),
            let record = try? cache.recordTable.record(row), record.key.isValid
        else { return nil }
        let entry = try? Row.fetchOne(db, sql: "SELECT * FROM outbox WHERE record = ?", arguments: [number])
        let at =
            (entry?["at"] as String?).flatMap(HLC.init) ?? record.clock.latest
            ?? HLC(milliseconds: 0, device: "unknown")
        let code: String? = entry?["rejection"]
        let rejection = code.map { Rejection(code: $0, reason: entry?["reason"] ?? "") }
        return CachedRecord(
            record: record, mirror: salvagedMirror(number, of: record.key), pending: .init(at: at, rejection: rejection)
        )
    }

    private func salvagedMirror(_ number: Int64, of key: RecordKey) -> Records.Record? {
        let sql = "SELECT *, ? AS collection, ? AS id FROM mirrors WHERE record = ?"
        guard let row = try? Row.fetchOne(db, sql: sql, arguments: [key.collection, key.id, number]) else { return nil }
        return try? cache.recordTable.record(row)
    }
}

extension CacheIntegrity {
    /// Stores what was recovered in a new, empty cache.
    func adopt(_ salvage: Salvage) throws {
        for (name, value) in salvage.meta { try cache.setMeta(named: name, value) }
        for cached in salvage.unsent { try cache.store(cached, for: cached.record.key) }
        guard let space = salvage.space else { return }
        if space.remote != nil, let batch = space.batch { try adopt(batch, space.inFlight) }
        if let remote = space.remote {
            try execute("UPDATE spaces SET remote = ? WHERE number = ?", [remote, Cache.personal])
        }
        // A full read that was under way begins again. Otherwise the next answer shows whether the server was restored,
        // and its digest shows what is missing.
        try execute(
            """
            UPDATE spaces SET cursor = iif(?2 IS NULL, ?1, NULL), reading = ?2,
              former_cursor = iif(?2 IS NULL, NULL, coalesce(?1, ?3)), collections = ?4
            WHERE number = ?5
            """,
            [space.cursor, space.reading, space.formerCursor, space.collections, Cache.personal])
        for key in space.former where try cache.cached(key) != nil {
            try execute(
                """
                INSERT INTO former SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?
                """, [Cache.personal, key.collection, key.id])
        }
    }

    /// Keeps a batch in flight if all its records were saved: sent again with its key, it gets the same answer. Without
    /// it, what the server has applied would be received as edits of another device.
    private func adopt(_ batch: Batch, _ inFlight: [RecordKey: Salvage.InFlight]) throws {
        let keys = Self.keys(of: batch)
        guard let keys, keys == Set(inFlight.keys), try keys.allSatisfy({ try cache.cached($0)?.pending != nil }) else {
            return
        }
        for (key, counts) in inFlight {
            try cache.change(key) { cached in
                guard var next = cached else { return nil }
                next.pending?.edits = counts.edits
                next.pending?.sent = counts.sent
                return next
            }
        }
        try execute(
            "INSERT INTO batches VALUES (?, ?, ?, ?)", [Cache.personal, batch.key, batch.since, batch.body])
    }
}

/// The first page of a SQLite file: its header and the list of its tables (https://sqlite.org/fileformat2.html).
enum FirstPage {
    /// SQLite's default size of a page, in bytes; caches never have another.
    private static let size = 4_096

    /// Replaces the first page of a file by that of a new cache, whose tables begin on the same pages. What is read of
    /// it afterwards must be checked: the file may have been created by other migrations.
    ///
    /// - Returns: False if that can't be done.
    static func repair(_ file: URL) -> Bool {
        guard let bytes = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int,
            bytes > size, var page = try? ofNewCache(), page.count == size,
            let handle = try? FileHandle(forUpdating: file)
        else { return false }
        // If the file isn't written completely, reading it fails later.
        defer { try? handle.close() }
        // Bytes 18 and 19: the file has a log. 28: the number of its pages. 32 and 36: no page is free.
        page.replaceSubrange(18..<20, with: [2, 2])
        page.replaceSubrange(28..<32, with: bigEndian(UInt32(truncatingIfNeeded: bytes / size)))
        page.replaceSubrange(32..<40, with: Array(repeating: 0, count: 8))
        do { try handle.write(contentsOf: page) } catch { return false }
        return true
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func ofNewCache() throws -> Data {
        let file = FileManager.default.temporaryDirectory.appending(path: "first-page-\(UUID().uuidString).db")
        defer { try? FileManager.default.removeItem(at: file) }
        let queue = try DatabaseQueue(path: file.path, configuration: .cache)
        try Schema.migrator.migrate(queue)
        try queue.close()
        return try FileHandle(forReadingFrom: file).read(upToCount: size) ?? Data()
    }
}
