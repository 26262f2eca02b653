internal import GRDB
internal import NIOConcurrencyHelpers

/// Gathers the transactions that wait for the one writer into one commit, so that many devices share one fsync.
///
/// Each has a savepoint of its own, so that one that fails takes no other with it. None is answered before the commit.
final class GroupCommit: Sendable {
    private let writer: any DatabaseWriter
    private let scheduling: SQLiteServerStore.Scheduling
    private let waiting = NIOLockedValueBox(Waiting())

    private struct Waiting {
        var transactions: [Transaction] = []
        /// Whether the writer was told that something waits.
        var isScheduled = false
    }

    /// No more transactions than this share a commit, so that the first doesn't wait long for the last.
    private static let bound = 256

    init(writer: any DatabaseWriter, scheduling: SQLiteServerStore.Scheduling) {
        self.writer = writer
        self.scheduling = scheduling
    }

    /// How many transactions wait for the writer.
    var waitingCount: Int { waiting.withLockedValue { $0.transactions.count } }

    /// Runs `body` in a transaction and returns when it is durable.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit(Transaction(body, continuation))
        }
    }

    private func submit(_ transaction: Transaction) {
        switch scheduling {
        case .inline: writer.writeWithoutTransaction { db in Self.commit([transaction], db) }
        case .threads:
            let wasScheduled = waiting.withLockedValue { waiting in
                waiting.transactions.append(transaction)
                defer { waiting.isScheduled = true }
                return waiting.isScheduled
            }
            if !wasScheduled { schedule() }
        }
    }

    private func schedule() {
        writer.asyncWriteWithoutTransaction { [self] db in
            let (batch, isMore) = waiting.withLockedValue { waiting in
                let batch = Array(waiting.transactions.prefix(Self.bound))
                waiting.transactions.removeFirst(batch.count)
                waiting.isScheduled = !waiting.transactions.isEmpty
                return (batch, waiting.isScheduled)
            }
            Self.commit(batch, db)
            if isMore { schedule() }
        }
    }

    private static func commit(_ batch: [Transaction], _ db: Database) {
        var ends: [Transaction.End] = []
        var failure: (any Error)?
        do {
            try db.inTransaction(.immediate) {
                for transaction in batch {
                    // SQLite itself may have rolled back everything (a full disk). What followed would then be
                    // committed alone, while its answer says that it failed.
                    guard db.isInsideTransaction else { throw ends.last?.error ?? TransactionLost() }
                    ends.append(transaction.run(db))
                }
                guard db.isInsideTransaction else { throw ends.last?.error ?? TransactionLost() }
                return .commit
            }
        } catch {
            failure = error
        }
        for end in ends { end.finish(failure) }
        for transaction in batch.dropFirst(ends.count) { transaction.fail(failure ?? TransactionLost()) }
    }
}

/// SQLite gave a whole group of transactions up without saying why.
struct TransactionLost: Error {}

/// A transaction that waits, with whoever waits for it.
private struct Transaction: Sendable {
    /// Runs it in a savepoint.
    let run: @Sendable (Database) -> End
    /// Ends it without having run it.
    let fail: @Sendable (any Error) -> Void

    /// What is left to do after it has run.
    struct End: Sendable {
        /// What it has thrown, if it has.
        var error: (any Error)?
        /// Is called after the commit, with the commit's error if it failed.
        var finish: @Sendable ((any Error)?) -> Void
    }

    init<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result, _ continuation: CheckedContinuation<Result, any Error>
    ) {
        run = { db in
            let result = Swift.Result { () throws -> Result in
                var result: Result?
                try db.inSavepoint {
                    result = try body(db)
                    return .commit
                }
                guard let result else { throw TransactionLost() }
                return result
            }
            var error: (any Error)?
            if case .failure(let thrown) = result { error = thrown }
            return End(error: error) { failure in
                if let failure { continuation.resume(throwing: failure) } else { continuation.resume(with: result) }
            }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}
