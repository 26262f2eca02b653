internal import Foundation
internal import NIOConcurrencyHelpers
internal import Records
internal import ServerCore

/// Notices that the database may lack commits that a server has acknowledged: a standby that didn't have them was promoted,
/// or the database was restored.
///
/// The database stores the identity of the history that it was written in: PostgreSQL's system identifier, and its
/// timeline, of which each promotion and each recovery to a point in time begins another one. When a new connection finds another
/// one, it marks the database as restored (`StoreWriting.markRestored`) before any transaction: a new epoch begins, devices
/// compare what they have and send what is missing, and no version is assigned twice. After a failover that lost nothing,
/// the comparison finds nothing.
///
/// A copy of the cluster's files that starts without recovery (a base backup, a snapshot of a disk) has the identity of its
/// original and isn't noticed: the owner marks it (`satcheld restore --mark`).
///
/// An earlier primary that starts again after another server was promoted agrees with its own database. So the process keeps the
/// newest timeline that it has seen, and refuses connections to an earlier one.
struct Fence: Sendable {
    /// Returns the time in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// The name of the database, for messages.
    let server: String
    let newest = NewestHistory()

    /// Returns the identity of the history that the server writes.
    static func present(_ connection: PostgreSQLConnection) throws -> String {
        // The first 8 digits of a file's name in the write-ahead log are its timeline.
        let row = try connection.execute(
            """
            SELECT (SELECT system_identifier FROM pg_control_system())::text || '/'
              || left(pg_walfile_name(pg_current_wal_lsn()), 8)
            """
        ).first
        return row?.text(0) ?? ""
    }

    /// Number of times that the mark is tried if other transactions are in its way; another one in tests.
    var attempts = 5
    /// Time between two attempts, in seconds.
    private static let pause = 0.1

    /// Checks a new connection, and marks the database as restored if its history is another one.
    ///
    /// All spaces are marked in one transaction, which may take longer than other statements. Until it is committed, the
    /// connections of all servers wait for it, or fail after the deadline for locks.
    ///
    /// - Throws: `PostgreSQLOpeningError.earlierPrimary`; PostgreSQL's error.
    func check(_ connection: PostgreSQLConnection) throws {
        let present = try refuseEarlier(connection)
        for attempt in 1...attempts {
            if try stored(connection) == present { return }
            do { return try mark(connection, as: present) } catch let error as PostgreSQLError
                where error.isConflict && attempt < attempts
            {
                // On a thread that may block, as it does for each statement: of a pool, or of the opening.
                Thread.sleep(forTimeInterval: Self.pause * Double(attempt))
            }
        }
    }

    /// Refuses a server that writes an earlier timeline than one that was seen in this process.
    ///
    /// - Returns: The identity of the history that the server writes.
    /// - Throws: `PostgreSQLOpeningError.earlierPrimary`; PostgreSQL's error.
    @discardableResult
    func refuseEarlier(_ connection: PostgreSQLConnection) throws -> String {
        let present = try Self.present(connection)
        guard newest.admits(present) else { throw PostgreSQLOpeningError.earlierPrimary(server: server) }
        return present
    }

    private func mark(_ connection: PostgreSQLConnection, as present: String) throws {
        // The lock of migrations: of several processes, one marks it.
        try connection.transaction(.serializable, behind: Migrator.lock) { connection in
            // Before anything is read: it waits for those who change a space, and the snapshot has what they commit.
            try connection.command(PostgreSQLTransaction.lockOfSpaces)
            guard try stored(connection) != present else { return }
            try PostgreSQLTransaction(connection).markRestored(epoch: UUIDText.random(), now: now())
            try connection.execute("UPDATE meta SET value = $1 WHERE name = 'fence'", [.text(present)])
        }
    }

    private func stored(_ connection: PostgreSQLConnection) throws -> String? {
        try connection.execute("SELECT value FROM meta WHERE name = 'fence'").first?.text(0)
    }
}

/// The newest timeline that was seen of each cluster.
final class NewestHistory: Sendable {
    /// The timelines by their cluster's system identifier: numbers of 8 hexadecimal digits, whose order is that of texts.
    private let timelines = NIOLockedValueBox<[String: String]>([:])

    /// Keeps the timeline of a history, unless it is an earlier one.
    ///
    /// - Parameter history: The system identifier and the timeline (`Fence.present`).
    /// - Returns: Whether no later timeline of the same cluster was seen.
    func admits(_ history: String) -> Bool {
        let parts = history.split(separator: "/").map(String.init)
        guard parts.count == 2, let cluster = parts.first, let timeline = parts.last else { return true }
        return timelines.withLockedValue { timelines in
            if let newest = timelines[cluster], timeline < newest { return false }
            timelines[cluster] = timeline
            return true
        }
    }
}
