internal import Locking
internal import Records

// Commands whose changes are reviewed before they are stored, without a transaction that lasts meanwhile.
extension LocalStore {
    /// Performs a command and rolls it back (dry run).
    ///
    /// - Parameter name: The name of the command.
    /// - Returns: The changes that the command would make, one for each record.
    /// - Throws: What `body` throws.
    package func dryRun(
        _ name: String, _ body: @escaping @Sendable (Cache) throws -> Void
    ) async throws -> [RecordChange] {
        do {
            // Not `read`: a read transaction can't be upgraded to a write transaction after another process has written
            // (SQLITE_BUSY_SNAPSHOT).
            try await write { (cache: Cache) -> Void in
                var cache = cache
                // A log of its own: a watch must not see changes that are rolled back.
                let log = ChangeLog()
                cache.log = log
                cache.command = cache.command.named(name)
                try body(cache)
                // The error rolls the transaction back.
                throw DryRunResult(changes: log.committed.changes.joinedByRecord)
            }
            return []
        } catch let result as DryRunResult {
            return result.changes
        }
    }

    /// Performs a command if it makes the same changes as its dry run.
    ///
    /// - Parameters:
    ///   - name: The name of the command, for the list of the journal.
    ///   - plan: The changes of the dry run.
    ///   - amend: Makes further changes in the same transaction, and returns the result after them.
    /// - Returns: The result of `body`; nil: the records have changed since the dry run, and nothing was stored.
    /// - Throws: What `body` and `amend` throw.
    package func command<Result: Sendable>(
        _ name: String, expecting plan: [RecordChange], _ body: @escaping @Sendable (Cache) throws -> Result,
        amend: @escaping @Sendable (Cache, Result) throws -> Result
    ) async throws -> Result? {
        do {
            let result: Result = try await command(name) { (cache: Cache) -> Result in
                var cache = cache
                // The log of the watch, if there is one, receives all changes.
                let log = cache.log ?? ChangeLog()
                cache.log = log
                let result = try body(cache)
                guard log.committed.changes.joinedByRecord == plan else { throw OutdatedPlan() }
                return try amend(cache, result)
            }
            return result
        } catch is OutdatedPlan {
            return nil
        }
    }
}

/// Rolls back a dry run, with its changes.
private struct DryRunResult: Error {
    let changes: [RecordChange]
}

/// Rolls back a command that doesn't make the changes of its dry run.
private struct OutdatedPlan: Error {}

extension [RecordChange] {
    /// Joins the changes of each record to one, in the order of the first ones. Changes that cancel out are omitted.
    package var joinedByRecord: [RecordChange] {
        var (order, whole) = ([RecordKey](), [RecordKey: RecordChange]())
        for change in self {
            let earlier = whole[change.key]
            if earlier == nil { order.append(change.key) }
            whole[change.key] = RecordChange(
                // `map`, not `?.`: the first change may have no `before`, since the record was created by it.
                change.key, before: earlier.map(\.before) ?? change.before, after: change.after)
        }
        return order.compactMap { whole[$0] }.filter { $0.before != $0.after }
    }
}

/// The new ids of a command with a dry run, which each of its runs receives in the same order.
package final class RepeatedIDs: Sendable {
    private struct State {
        var made: [String] = []
        var used = 0
    }

    private let make: @Sendable () -> String
    private let state = Locked(State())

    /// Creates ids.
    ///
    /// - Parameter make: Makes a new id.
    package init(_ make: @escaping @Sendable () -> String) { self.make = make }

    /// Begins with the first id again.
    package func restart() { state.withLock { $0.used = 0 } }

    /// Returns the next id of this run.
    package func next() -> String {
        state.withLock { state in
            if state.used == state.made.count { state.made.append(make()) }
            state.used += 1
            return state.made[state.used - 1]
        }
    }
}
