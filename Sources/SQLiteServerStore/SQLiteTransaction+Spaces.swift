internal import Foundation
internal import GRDB
internal import Records
internal import SQLiteRows
internal import ServerCore
internal import SyncAPI

extension SQLiteTransaction {
    func space(_ id: String) throws -> SpaceRow? {
        try first(
            "SELECT version, tombstone_floor, digest, records, bytes FROM spaces WHERE id = ?", [id]
        ) { row in
            guard let digest = SpaceDigest(row[2] as String) else { throw DamagedDatabase(what: "a space's digest") }
            return SpaceRow(
                id: id, version: row[0], tombstoneFloor: row[1], digest: digest, records: row[3], bytes: row[4])
        }
    }

    func lockSpace(_ id: String) throws -> SpaceRow? {
        // SQLite has one writer, so the transaction holds all rows already.
        try space(id)
    }

    func insertSpace(id: String) throws {
        try run(
            "INSERT INTO spaces (id, version, tombstone_floor, digest, records, bytes) VALUES (?, 0, 0, ?, 0, 0)",
            [id, SpaceDigest().description])
    }

    func update(_ space: SpaceRow) throws {
        try run(
            "UPDATE spaces SET version = ?, tombstone_floor = ?, digest = ?, records = ? WHERE id = ?",
            [space.version, space.tombstoneFloor, space.digest.description, space.records, space.id])
    }

    func digest(of collections: [String], in space: String) throws -> SpaceDigest {
        var sum = SpaceDigest()
        for collection in collections { sum.add(try digest(of: collection, in: space)) }
        return sum
    }

    private func digest(of collection: String, in space: String) throws -> SpaceDigest {
        let text =
            try first(
                "SELECT digest FROM digests WHERE space = \(Self.number) AND collection = ?", [space, collection]
            ) { $0[0] as String }
        guard let text else { return SpaceDigest() }
        guard let digest = SpaceDigest(text) else { throw DamagedDatabase(what: "a collection's digest") }
        return digest
    }

    func addToDigests(_ changes: [String: SpaceDigest], in space: String) throws {
        // Sorted, so that the same changes write the same pages.
        for (collection, change) in changes.sorted(by: { $0.key < $1.key }) where change != SpaceDigest() {
            var sum = try digest(of: collection, in: space)
            sum.add(change)
            // A missing row is a digest of 0, so a collection without live records needs none.
            if sum == SpaceDigest() {
                try run("DELETE FROM digests WHERE space = \(Self.number) AND collection = ?", [space, collection])
                continue
            }
            try run(
                """
                INSERT INTO digests (space, collection, digest) VALUES (\(Self.number), ?, ?)
                ON CONFLICT (space, collection) DO UPDATE SET digest = excluded.digest
                """,
                [space, collection, sum.description])
        }
    }

    func clear(space id: String, limit: RemovalLimit) throws -> Bool {
        var limit = limit
        for (table, bytes) in [
            ("revisions", ServerSchema.bytes("revisions")), ("records", ServerSchema.bytes("records")),
            ("digests", "0"),
        ] {
            let isOver = try delete(
                from: table, bytes: bytes, where: "space = \(Self.number)", [id], limit: &limit)
            if !isOver { return false }
        }
        try run("DELETE FROM spaces WHERE id = ?", [id])
        return true
    }

    func abandonedSpaces(limit: Int) throws -> [String] {
        try all(
            "SELECT id FROM spaces WHERE NOT EXISTS (SELECT 1 FROM members WHERE space = number) LIMIT ?", [limit]
        ) { $0[0] }
    }

    func role(of account: String, in space: String) throws -> Role? {
        try first(
            "SELECT role FROM members WHERE account = ? AND space = (SELECT number FROM spaces WHERE id = ?)",
            [account, space]
        ) { row in try Role(stored: row[0]) }
    }

    func memberships(of account: String) throws -> [Membership] {
        try all(
            "SELECT id, role FROM members JOIN spaces ON number = space WHERE account = ? ORDER BY id", [account]
        ) { row in Membership(space: row[0], role: try Role(stored: row[1])) }
    }

    func setRole(_ role: Role, of account: String, in space: String) throws {
        try run(
            """
            INSERT INTO members (account, space, role) SELECT ?, number, ? FROM spaces WHERE id = ?
            ON CONFLICT (account, space) DO UPDATE SET role = excluded.role
            """,
            [account, role.rawValue, space])
    }
}

extension Role {
    fileprivate init(stored text: String) throws {
        guard let role = Role(rawValue: text) else { throw DamagedDatabase(what: "a member's role") }
        self = role
    }
}

extension [UInt8] {
    /// The bytes as a value for SQLite.
    var databaseBytes: Data { Data(self) }
}

extension SQLiteTransaction {
    func outcome(of key: OutcomeKey) throws -> StoredOutcome? {
        let found = try first(
            """
            SELECT sequence, request_hash, first_version, last_version, stored_at FROM outcomes
            WHERE account = ? AND device = ? AND key = ?
            """,
            [key.account, key.device, key.key]
        ) { row in
            let versions = (row[2] as Int64?).flatMap { first in
                (row[3] as Int64?).flatMap { first <= $0 ? first...$0 : nil }
            }
            let outcome = StoredOutcome(
                requestHash: Array(row[1] as Data), results: [], versions: versions, storedAt: row[4])
            return (sequence: row[0] as Int64, outcome: outcome)
        }
        guard let (sequence, stored) = found else { return nil }
        var outcome = stored
        outcome.results = try all(
            "SELECT status, version, clock, problem FROM outcome_results WHERE outcome = ? ORDER BY place", [sequence]
        ) { row in try StoredResult(row) }
        return outcome
    }

    func outcomeBytes(account: String) throws -> Int64 {
        try first("SELECT outcome_bytes FROM accounts WHERE id = ?", [account]) { row in row[0] } ?? 0
    }

    func insert(_ outcome: StoredOutcome, for key: OutcomeKey) throws {
        try run(
            """
            INSERT INTO outcomes (account, device, key, request_hash, first_version, last_version, stored_at, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                key.account, key.device, key.key, outcome.requestHash.databaseBytes, outcome.versions?.lowerBound,
                outcome.versions?.upperBound, outcome.storedAt, outcome.bytes,
            ])
        let sequence = db.lastInsertedRowID
        let insert = try db.cachedStatement(sql: "INSERT INTO outcome_results VALUES (?, ?, ?, ?, ?, ?)")
        for (place, result) in outcome.results.enumerated() {
            try insert.execute(arguments: [sequence, place] + result.columns)
        }
        try run(
            """
            DELETE FROM outcomes WHERE account = ?1 AND device = ?2 AND sequence <= (
              SELECT sequence FROM outcomes WHERE account = ?1 AND device = ?2
              ORDER BY sequence DESC LIMIT 1 OFFSET \(StoredOutcome.kept))
            """,
            [key.account, key.device])
    }

    func deleteOutcomesWithoutSession(storedBefore moment: Int64, limit: RemovalLimit) throws -> Bool {
        var limit = limit
        return try delete(
            from: "outcomes", key: "sequence", bytes: "bytes",
            where: """
                stored_at < ? AND NOT EXISTS (
                  SELECT 1 FROM sessions WHERE sessions.account = outcomes.account AND sessions.device = outcomes.device)
                """, [moment], limit: &limit)
    }
}

extension StoredResult {
    /// Creates a result from its columns: status, version, clock, problem.
    fileprivate init(_ row: ColumnRow) throws {
        switch row[0] as String {
        case "applied":
            guard let version = row[1] as Int64?, let clock = row[2] as String? else { throw Self.damaged }
            self = .applied(version: version, clock: clock)
        case "conflict": self = .conflict
        case "rejected":
            guard let problem = row[3] as String? else { throw Self.damaged }
            self = .rejected(problem: problem)
        default: throw Self.damaged
        }
    }

    private static let damaged = DamagedDatabase(what: "the result of a mutation")

    /// The columns: status, version, clock, problem.
    fileprivate var columns: StatementArguments {
        switch self {
        case .applied(let version, let clock): ["applied", version, clock, nil]
        case .conflict: ["conflict", nil, nil, nil]
        case .rejected(let problem): ["rejected", nil, nil, problem]
        }
    }
}

extension SQLiteTransaction {
    /// Returns the numbers of the store. It reads a row of each space, not of each record.
    func statistics() throws -> StoreStatistics {
        let statistics = try first(
            """
            SELECT (SELECT count(*) FROM accounts), coalesce(sum(records), 0), coalesce(sum(bytes), 0), coalesce(max(bytes), 0)
            FROM spaces
            """, []
        ) { row in
            var statistics = StoreStatistics()
            statistics.accounts = row[0]
            statistics.records = row[1]
            statistics.usedBytes = row[2]
            statistics.largestBytes = row[3]
            return statistics
        }
        return statistics ?? StoreStatistics()
    }
}
