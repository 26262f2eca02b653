internal import GRDB
internal import NIOConcurrencyHelpers
internal import ServerCore

/// Gathers the transactions that wait for the one writer into one commit, so that many devices share one fsync.
///
/// Each transaction has a savepoint of its own, so that a failed one doesn't affect the others. None is answered before
/// the commit.
final class GroupCommit: Sendable {
    private let writer: any DatabaseWriter
    private let scheduling: SQLiteServerStore.Scheduling
    private let reserve: DiskReserve?
    private let metrics: StoreMetrics?
    private let waiting = NIOLockedValueBox(Waiting())

    private struct Waiting {
        var transactions: [Transaction] = []
        /// Whether the writer was notified that a transaction waits.
        var isScheduled = false
    }

    /// Maximum number of transactions in one commit, so that the first one doesn't wait long for the last.
    private static let bound = 256

    /// - Parameter reserve: The space for transactions that may use it when the disk is full; nil: there is none.
    init(
        writer: any DatabaseWriter, scheduling: SQLiteServerStore.Scheduling, reserve: DiskReserve? = nil,
        metrics: StoreMetrics? = nil
    ) {
        self.writer = writer
        self.scheduling = scheduling
        self.reserve = reserve
        self.metrics = metrics
    }

    /// Number of transactions that wait for the writer.
    var waitingCount: Int { waiting.withLockedValue { $0.transactions.count } }

    /// Runs `body` in a transaction and returns when it is durable.
    ///
    /// - Parameters:
    ///   - space: The space that the transaction may use when the disk is full.
    ///   - body: The transaction's work. It may run a second time, in a transaction that uses the reserve
    ///     (`usesReserve`).
    /// - Throws: What `body` throws; the error of the commit; `NoRoomOutsideReserve`.
    func run<Result: Sendable>(
        using space: SpaceUse = .ordinary,
        _ body: @escaping @Sendable (_ db: Database, _ usesReserve: Bool) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit(Transaction(space, body, continuation))
        }
    }

    private func submit(_ transaction: Transaction) {
        switch scheduling {
        case .inline: writer.writeWithoutTransaction { db in commit([transaction], db) }
        case .threads:
            let wasScheduled = waiting.withLockedValue { waiting in
                waiting.transactions.append(transaction)
                defer { waiting.isScheduled = true }
                return waiting.isScheduled
            }
            // Only the first one schedules: those that arrive until the writer is free join its commit.
            if !wasScheduled { schedule() }
        }
    }

    private func schedule() {
        writer.asyncWriteWithoutTransaction { [self] db in
            let (batch, isMore) = waiting.withLockedValue { waiting in
                let batch = Array(waiting.transactions.prefix(Self.bound))
                waiting.transactions.removeFirst(batch.count)
                // Decided together with the removal: otherwise a transaction added in between would never begin.
                waiting.isScheduled = !waiting.transactions.isEmpty
                return (batch, waiting.isScheduled)
            }
            commit(batch, db)
            if isMore { schedule() }
        }
    }

    /// Commits the transactions and resumes their callers.
    private func commit(_ batch: [Transaction], _ db: Database) {
        guard let reserve else { return finish(batch, attempt(batch, db, usesReserve: false)) }
        // A previous transaction used the reserve; there may be room again by now.
        if !reserve.isWhole { refill(reserve, db) }
        let isWhole = reserve.isWhole
        let admitted = batch.filter { isWhole || $0.space == .reserve }
        let refused = batch.filter { !isWhole && $0.space == .ordinary }
        finish(refused, refused.map { _ in .failure(NoRoomOutsideReserve()) })
        // Without the reserve first: a transaction that finds room keeps revisions.
        var ends = attempt(admitted, db, usesReserve: false)
        let starved = admitted.indices.filter { admitted[$0].space == .reserve && ends[$0].isFullDisk }
        if !starved.isEmpty {
            reserve.release()
            let again = Self.usingReserve(db) { attempt(starved.map { admitted[$0] }, db, usesReserve: true) }
            for (index, end) in zip(starved, again) { ends[index] = end }
            refill(reserve, db)
        }
        finish(admitted, ends)
    }

    /// Runs `body` with `secure_delete = FAST`. Debian's SQLite overwrites deleted content with zeros by default, which
    /// needs as much space in the write-ahead log as was deleted.
    private static func usingReserve<Result>(_ db: Database, _ body: () -> Result) -> Result {
        // If the setting can't be read or changed, deleting needs more space and may fail for lack of it.
        let before = try? Int.fetchOne(db, sql: "PRAGMA secure_delete")
        try? db.execute(sql: "PRAGMA secure_delete = FAST")
        defer { try? db.execute(sql: "PRAGMA secure_delete = \((before ?? nil) ?? 1)") }
        return body()
    }

    /// Allocates the reserve again. The write-ahead log has used its space, so the log is checkpointed first.
    private func refill(_ reserve: DiskReserve, _ db: Database) {
        if reserve.fill() { return }
        // If readers prevent the checkpoint, a later commit tries again. TRUNCATE, since only a shorter file frees
        // space.
        try? db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        _ = reserve.fill()
    }

    private func finish(_ transactions: [Transaction], _ ends: [Transaction.End]) {
        for (transaction, end) in zip(transactions, ends) { transaction.finish(end) }
    }

    /// Runs all transactions in one commit.
    ///
    /// - Returns: The result of each transaction, in their order.
    private func attempt(_ batch: [Transaction], _ db: Database, usesReserve: Bool) -> [Transaction.End] {
        var ends: [Transaction.End] = []
        if batch.isEmpty { return ends }
        let start = ContinuousClock.now
        defer { metrics?.committed(batch.count, since: start) }
        do {
            // Immediate: in a deferred transaction, the first write after a read can fail at once with
            // SQLITE_BUSY_SNAPSHOT.
            try db.inTransaction(.immediate) {
                for transaction in batch {
                    // SQLite itself may have rolled back everything (a full disk). The following transactions would
                    // then be committed alone, while the answer says that they failed.
                    guard db.isInsideTransaction else { throw ends.last?.error ?? TransactionLost() }
                    ends.append(transaction.run(db, usesReserve))
                }
                guard db.isInsideTransaction else { throw ends.last?.error ?? TransactionLost() }
                return .commit
            }
            return ends
        } catch {
            // Also those that had succeeded: their changes were rolled back with the commit.
            return batch.map { _ in .failure(error) }
        }
    }
}

/// The error for a transaction that may not use the reserve while it is incomplete.
struct NoRoomOutsideReserve: Error {}

/// The error for a group of transactions that SQLite rolled back without an error.
struct TransactionLost: Error {}

/// A waiting transaction with its caller.
private struct Transaction: Sendable {
    let space: SpaceUse
    /// Runs it in a savepoint.
    let run: @Sendable (_ db: Database, _ usesReserve: Bool) -> End
    /// Resumes the caller with the transaction's result, once it is durable.
    let finish: @Sendable (End) -> Void

    /// The result of the transaction.
    enum End: Sendable {
        case success(any Sendable)
        case failure(any Error)

        var error: (any Error)? {
            switch self {
            case .success: nil
            case .failure(let error): error
            }
        }

        var isFullDisk: Bool { (error as? DatabaseError)?.isFullDisk ?? false }
    }

    init<Result: Sendable>(
        _ space: SpaceUse, _ body: @escaping @Sendable (Database, Bool) throws -> Result,
        _ continuation: CheckedContinuation<Result, any Error>
    ) {
        self.space = space
        run = { db, usesReserve in
            do {
                var result: Result?
                try db.inSavepoint {
                    result = try body(db, usesReserve)
                    return .commit
                }
                return result.map { .success($0) } ?? .failure(TransactionLost())
            } catch {
                return .failure(error)
            }
        }
        finish = { end in
            switch end {
            case .success(let value as Result): continuation.resume(returning: value)
            case .success: continuation.resume(throwing: TransactionLost())
            case .failure(let error): continuation.resume(throwing: error)
            }
        }
    }
}
