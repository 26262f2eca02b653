extension PostgreSQLConnection {
    /// The isolation of a transaction.
    enum Isolation {
        /// Reads from one snapshot.
        case snapshot
        /// As if no other transaction ran meanwhile; otherwise it fails with a conflict.
        case serializable

        fileprivate var begin: String {
            switch self {
            case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
            case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
            }
        }
    }

    /// The error for a connection that was lost before the transaction began: another one can carry it out.
    struct LostBeforeBegin: Error {
        let reason: PostgreSQLError
    }

    /// Runs a transaction. One that reads a snapshot may end with its first statement (`executeOnly`); if `body` runs another
    /// one, all begins again, since the snapshot is gone.
    ///
    /// - Parameter lock: The advisory lock to wait for before the transaction begins, and with it its snapshot.
    /// - Throws: `LostBeforeBegin`; `PostgreSQLError`; what `body` throws.
    func transaction<Result>(
        _ isolation: Isolation, behind lock: Int64? = nil, _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        snapshot = isolation == .snapshot ? .open : nil
        defer { snapshot = nil }
        let result = Swift.Result { try attempt(isolation, behind: lock, body) }
        // Whatever `body` has made of the missing answer.
        guard snapshot == .exceeded else { return try result.get() }
        snapshot = nil
        return try attempt(isolation, behind: lock, body)
    }

    private func attempt<Result>(
        _ isolation: Isolation, behind lock: Int64?, _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        var held: SessionLock?
        defer { if let held, isUsable { unlock(held) } }
        do {
            if let lock { held = try waitForLock(lock) }
            try enqueue(isolation.begin)
        } catch {
            guard error.isLoss else { throw error }
            throw LostBeforeBegin(reason: error)
        }
        let before = answeredBatches
        let result: Result
        do {
            result = try body(self)
            if snapshot == .ended || snapshot == .exceeded {
                // The end was sent with the only statement, and was skipped if that has failed.
                rollBack()
                return result
            }
            if answeredBatches == before {
                // `body` has caught the error of what it sent first, the begin included.
                if isInTransaction { throw Self.failedTransaction }
                guard waitingCount > 1 else {
                    // Nothing was read or written.
                    forgetWaiting()
                    return result
                }
                // Not together with the commit: if the connection is lost now, another one can carry out the transaction.
                try sendWaiting()
            }
        } catch {
            forgetWaiting()
            rollBack()
            if !isUsable, answeredBatches == before, let error = error as? PostgreSQLError {
                throw LostBeforeBegin(reason: error)
            }
            throw error
        }
        try commit()
        return result
    }

    /// An advisory lock, which belongs to the session.
    struct SessionLock {
        let key: Int64
        /// The session's `idle_session_timeout` before; nil: PostgreSQL is older than 14 and lacks the setting.
        var idleTimeout: String?
    }

    /// Waits for an advisory lock. As long as the session has it, PostgreSQL ends the session if it is idle outside of a
    /// transaction: a process that is frozen there would keep all others from a space.
    @discardableResult
    func waitForLock(_ key: Int64) throws(PostgreSQLError) -> SessionLock {
        do {
            let answers = try executeTogether([
                (sql: ConnectionTarget.limitIdleSession, values: []),
                (sql: "SELECT pg_advisory_lock($1)", values: [.int(key)]),
            ])
            return SessionLock(key: key, idleTimeout: answers.first?.first?.text(0))
        } catch {
            // If its deadline came as the lock was granted, the session has it nevertheless, until the connection is closed.
            giveUp()
            throw error
        }
    }

    /// Releases an advisory lock. If that fails, the connection isn't used any more, and the lock ends with it.
    func unlock(_ lock: SessionLock) {
        do {
            try enqueue("SELECT pg_advisory_unlock($1)", [.int(lock.key)])
            if let timeout = lock.idleTimeout {
                try enqueue("SELECT set_config('idle_session_timeout', $1, false)", [.text(timeout)])
            }
            try sendWaiting()
        } catch {
            giveUp()
        }
    }

    /// The error of a transaction in which a statement has failed, and which its body ends as if it hadn't.
    private static var failedTransaction: PostgreSQLError {
        PostgreSQLError(state: "25P02", message: "the transaction had failed before its commit")
    }

    private func rollBack() {
        guard isUsable, isInTransaction else { return }
        // If it fails, the connection isn't used any more, and the server ends the transaction.
        do { try command("ROLLBACK") } catch { giveUp() }
    }

    private func commit() throws(PostgreSQLError) {
        let answer: SQLRows
        do { answer = try execute(Self.commitStatement) } catch {
            // A statement that was sent with it may have failed; then the transaction is still open.
            rollBack()
            var error = error
            error.mayBeCommitted = error.isLoss
            throw error
        }
        // The answer to a COMMIT of a failed transaction.
        guard answer.command == "COMMIT" else {
            throw Self.failedTransaction
        }
        // With synchronous replication, a commit that was interrupted while it waited for the standby is reported by a
        // warning alone (SyncRepWaitForLSN in syncrep.c): it is not durable yet.
        if let warning = warnings.first {
            giveUp()
            throw PostgreSQLError(state: nil, message: warning, mayBeCommitted: true)
        }
    }
}
