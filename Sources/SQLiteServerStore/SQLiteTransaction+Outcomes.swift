internal import Foundation
internal import GRDB
internal import ServerCore

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
    /// Reads a result from its columns: status, version, clock, problem.
    fileprivate init(_ row: Row) throws {
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

    /// Status, version, clock, problem.
    fileprivate var columns: StatementArguments {
        switch self {
        case .applied(let version, let clock): ["applied", version, clock, nil]
        case .conflict: ["conflict", nil, nil, nil]
        case .rejected(let problem): ["rejected", nil, nil, problem]
        }
    }
}
