package import Foundation
internal import GRDB
internal import Records

/// What can still be read of a damaged cache: the unsent edits, and whose it is.
package struct Salvage: Sendable, Equatable {
    /// The records with unsent edits, none of them in flight.
    public internal(set) var unsent: [CachedRecord] = []
    /// How many records are known to have unsent edits that can't be read.
    public internal(set) var unreadable = 0
    /// Whether it is sure that there are no others.
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
        /// How the outbox counted the edits of the records in that batch.
        var inFlight: [RecordKey: InFlight] = [:]
        /// The records of `unsent` whose mirror is of a former epoch.
        var former: Set<RecordKey> = []
    }

    /// The edits of a record when it was sent, and when it was saved.
    struct InFlight: Sendable, Equatable {
        var edits: Int64
        var sent: Int64
    }

    /// Reads what is left of a file, with its log; neither is changed.
    ///
    /// - Throws: `LocalStoreError.noFile`; `.unusable` if the file can't be copied for that.
    package init(file: URL) throws {
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw LocalStoreError.noFile(path: file.path)
        }
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

    /// What was saved, in plain words.
    package var summary: String {
        var sentences: [String] = []
        if !unsent.isEmpty { sentences.append("The unsent edits of \(Self.counted(unsent.count)) were saved.") }
        if unreadable > 0 {
            sentences.append(
                "The unsent edits of \(Self.counted(unreadable)) can't be read, and are only in the file put aside.")
        }
        var text = sentences.isEmpty ? "No unsent edits were found in it." : sentences.joined(separator: " ")
        if !isComplete { text += " There may be others that can't be found." }
        return text
    }

    private static func counted(_ count: Int) -> String { "\(count) record\(count == 1 ? "" : "s")" }
}

// MARK: - Reading

extension Salvage {
    private init(reading db: Database) throws {
        // Fails where not even the list of tables can be read.
        guard try db.tableExists("records") else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        let cache = Cache(db: db, wall: { 0 })
        let (entries, mirrors) = (Self.numbers("outbox", in: db), Self.numbers("mirrors", in: db))
        let unacknowledged = Self.numbers("records WHERE version = 0", column: "number", in: db)
        isComplete = entries.isWhole || (mirrors.isWhole && unacknowledged.isWhole)
        for number in Set(entries.found + mirrors.found + unacknowledged.found).sorted() {
            if let record = cache.salvaged(number) { unsent.append(record) } else { unreadable += 1 }
        }
        for name in [
            "device", "hlc", "lowered", "username", "server", "sync automatic", "sync background", "device name",
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

    /// The record numbers of a table, from both its ends up to what can't be read.
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
                // What was met before is kept; the other end is next.
                continue
            }
        }
        return (Array(found), false)
    }
}

extension Cache {
    /// A record with unsent edits; what can't be read of its mirror and its entry is done without. Nil: it can't be read.
    fileprivate func salvaged(_ number: Int64) -> CachedRecord? {
        guard let row = try? Row.fetchOne(db, sql: "SELECT * FROM records WHERE number = ?", arguments: [number]),
            let record = try? record(row), record.key.isValid
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
        return try? record(row)
    }
}

extension Cache {
    /// Stores what was recovered in a new, empty cache.
    func adopt(_ salvage: Salvage) throws {
        for (name, value) in salvage.meta { try setMeta(named: name, value) }
        for cached in salvage.unsent { try store(cached, for: cached.record.key) }
        guard let space = salvage.space else { return }
        if space.remote != nil, let batch = space.batch { try adopt(batch, space.inFlight) }
        if let remote = space.remote {
            try execute("UPDATE spaces SET remote = ? WHERE number = ?", [remote, Cache.personal])
        }
        // A full read that was under way begins again; else the next answer has the epoch, and its digest shows what
        // is missing.
        try execute(
            """
            UPDATE spaces SET cursor = iif(?2 IS NULL, ?1, NULL), reading = ?2,
              former_cursor = iif(?2 IS NULL, NULL, coalesce(?1, ?3)), collections = ?4
            WHERE number = ?5
            """,
            [space.cursor, space.reading, space.formerCursor, space.collections, Cache.personal])
        for key in space.former where try cached(key) != nil {
            try execute(
                """
                INSERT INTO former SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?
                """, [Cache.personal, key.collection, key.id])
        }
    }

    /// Goes on with a batch in flight, if all its records were saved: resent with its key, it is answered as it was; without
    /// that, what the server applied of it would come back as another device's edit.
    private func adopt(_ batch: Batch, _ inFlight: [RecordKey: Salvage.InFlight]) throws {
        let keys = Self.keys(of: batch)
        guard let keys, keys == Set(inFlight.keys), try keys.allSatisfy({ try cached($0)?.pending != nil }) else {
            return
        }
        for (key, counts) in inFlight {
            try change(key) { cached in
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
    /// SQLite's usual size, in bytes; Satchel never sets another.
    private static let size = 4_096

    /// Gives a file the first page of a new cache, whose tables begin on the same pages. What is read of it afterwards must
    /// be checked: nothing says that the file was made by the same migrations.
    ///
    /// - Returns: false if that can't be done.
    static func repair(_ file: URL) -> Bool {
        guard let bytes = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int,
            bytes > size, var page = try? ofNewCache(), page.count == size,
            let handle = try? FileHandle(forUpdating: file)
        else { return false }
        defer { try? handle.close() }
        // The log is looked at (18, 19), the pages are as many as there are (28), and none is free (32, 36).
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
