internal import Records
internal import ServerCore
internal import SyncAPI

extension PostgreSQLTransaction {
    func space(_ id: String) throws -> SpaceRow? {
        if let known = announcement.space, known.id == id { return known }
        return try first("SELECT \(SpaceRow.columns), number FROM spaces WHERE id = $1", [.text(id)]) {
            try spaceRow($0, of: id)
        }
    }

    func insertSpace(id: String) throws {
        try run(
            "INSERT INTO spaces (id, version, tombstone_floor, digest, records, bytes) VALUES ($1, 0, 0, $2, 0, 0)",
            [.text(id), .text(SpaceDigest().description)])
        forgetNumber(of: id)
    }

    func update(_ space: SpaceRow) throws {
        try run(
            "UPDATE spaces SET version = $1, tombstone_floor = $2, digest = $3, records = $4 WHERE id = $5",
            [
                .int(space.version), .int(space.tombstoneFloor), .text(space.digest.description), .int(space.records),
                .text(space.id),
            ])
    }

    func digest(of collections: [String], in space: String) throws -> SpaceDigest {
        let digests = try all(
            "SELECT digest FROM digests WHERE space = $1 AND collection = ANY($2)",
            [try numberValue(of: space), .texts(collections)]
        ) { try SpaceDigest(stored: $0.text(0)) }
        return digests.reduce(into: SpaceDigest()) { $0.add($1) }
    }

    func addToDigests(_ changes: [String: SpaceDigest], in space: String) throws {
        let number = try numberValue(of: space)
        let known = announcedDigests.flatMap { $0.space == space ? $0.values : nil } ?? [:]
        announcedDigests = nil
        // Sorted, so that two transactions lock rows in the same order.
        for (collection, change) in changes.sorted(by: { $0.key < $1.key }) where change != SpaceDigest() {
            var sum = try known[collection] ?? digest(of: [collection], in: space)
            sum.add(change)
            // A missing row is a digest of 0, so a collection without live records needs none.
            if sum == SpaceDigest() {
                try run("DELETE FROM digests WHERE space = $1 AND collection = $2", [number, .text(collection)])
                continue
            }
            try run(
                """
                INSERT INTO digests (space, collection, digest) VALUES ($1, $2, $3)
                ON CONFLICT (space, collection) DO UPDATE SET digest = excluded.digest
                """, [number, .text(collection), .text(sum.description)])
        }
    }

    func clear(space id: String, limit: RemovalLimit) throws -> Bool {
        guard let number = try number(of: id) else { return true }
        (announced, announcedDigests) = (nil, nil)
        var limit = limit
        for (table, bytes) in [
            ("revisions", PostgreSQLSchema.bytes("revisions")), ("records", PostgreSQLSchema.bytes("records")),
            ("digests", "0"),
        ] {
            let isOver = try delete(from: table, bytes: bytes, where: "space = $1", [.int(number)], limit: &limit)
            if !isOver { return false }
        }
        try run("DELETE FROM spaces WHERE number = $1", [.int(number)])
        forgetNumber(of: id)
        return true
    }

    func abandonedSpaces(limit: Int) throws -> [String] {
        try all(
            "SELECT id FROM spaces WHERE NOT EXISTS (SELECT 1 FROM members WHERE space = number) LIMIT $1",
            [.int(Int64(limit))]
        ) { $0.text(0) }
    }

    func role(of account: String, in space: String) throws -> Role? {
        if let known = announcement.role, known.account == account, known.space == space { return known.role }
        return try first(
            """
            SELECT role, number FROM spaces LEFT JOIN members ON account = $1 AND space = number WHERE id = $2
            """, [.text(account), .text(space)]
        ) { row in
            note(number: row.int(1), of: space)
            return try row.optionalText(0).map { try Role(stored: $0) }
        } ?? nil
    }

    func memberships(of account: String) throws -> [Membership] {
        try all(
            "SELECT id, role FROM members JOIN spaces ON number = space WHERE account = $1 ORDER BY id",
            [.text(account)]
        ) { Membership(space: $0.text(0), role: try Role(stored: $0.text(1))) }
    }

    func setRole(_ role: Role, of account: String, in space: String) throws {
        try run(
            """
            INSERT INTO members (account, space, role) SELECT $1, number, $2 FROM spaces WHERE id = $3
            ON CONFLICT (account, space) DO UPDATE SET role = excluded.role
            """, [.text(account), .text(role.rawValue), .text(space)])
    }

    /// Returns the numbers of the store. It reads a row of each space, not of each record.
    func statistics() throws -> StoreStatistics {
        let statistics = try first(
            """
            SELECT (SELECT count(*) FROM accounts), coalesce(sum(records), 0)::bigint, coalesce(sum(bytes), 0)::bigint,
              coalesce(max(bytes), 0), pg_database_size(current_database()) FROM spaces
            """
        ) { row in
            var statistics = StoreStatistics()
            statistics.accounts = row.int(0)
            statistics.records = row.int(1)
            statistics.usedBytes = row.int(2)
            statistics.largestBytes = row.int(3)
            statistics.databaseBytes = row.int(4)
            return statistics
        }
        return statistics ?? StoreStatistics()
    }

    /// Returns a description of each number of bytes that differs from what is stored. It reads everything.
    func miscounts() throws -> [String] {
        func sum(_ table: String) -> String {
            "(SELECT coalesce(sum(\(PostgreSQLSchema.bytes(table))), 0) FROM \(table) WHERE space = number)"
        }
        let spaces = try all("SELECT id FROM spaces WHERE bytes <> \(sum("records")) + \(sum("revisions"))") { row in
            "the bytes of the space \(row.text(0)) differ from its records"
        }
        let accounts = try all(
            """
            SELECT username FROM accounts WHERE outcome_bytes <>
              (SELECT coalesce(sum(bytes), 0) FROM outcomes WHERE account = accounts.id)
            """
        ) { "\($0.text(0)): the bytes of its last results differ from them" }
        return spaces + accounts
    }
}

extension SpaceRow {
    /// The columns with the name of their table, since records have columns of the same names.
    static let columns = "spaces.version, spaces.tombstone_floor, spaces.digest, spaces.records, spaces.bytes"
    static let columnCount = PostgreSQLTransaction.names(columns).count

    /// Creates a space from a row of `columns`.
    init(id: String, _ row: SQLRow) throws {
        self.init(
            id: id, version: row.int(0), tombstoneFloor: row.int(1), digest: try SpaceDigest(stored: row.text(2)),
            records: row.int(3), bytes: row.int(4))
    }
}

extension SpaceDigest {
    init(stored text: String) throws {
        guard let digest = SpaceDigest(text) else { throw DamagedStore(what: "a digest") }
        self = digest
    }
}

extension Role {
    init(stored text: String) throws {
        guard let role = Role(rawValue: text) else { throw DamagedStore(what: "a member's role") }
        self = role
    }
}
