internal import GRDB
internal import NIOConcurrencyHelpers

/// Read-only connections for reads of a few rows, each used by one thread at a time, without a wait.
final class LookUpConnections: Sendable {
    private let free: NIOLockedValueBox<[DatabaseQueue]>
    /// Enough for the threads of the event loops and of the cooperative pool of a small machine; further look-ups use
    /// the readers of the pool.
    private static let count = 4

    /// Opens the connections of a database in WAL mode.
    init(path: String) throws {
        var configuration = SQLiteServerStore.configuration
        configuration.readonly = true
        configuration.label = "look-up"
        free = NIOLockedValueBox(
            try (0..<Self.count).map { _ in try DatabaseQueue(path: path, configuration: configuration) })
    }

    /// Returns a connection that must be released; nil: none is free.
    func acquire() -> DatabaseQueue? { free.withLockedValue { $0.popLast() } }

    func release(_ connection: DatabaseQueue) { free.withLockedValue { $0.append(connection) } }

    /// Closes the connections that are not in use; one that is closes when it is released.
    func close() {
        let connections = free.withLockedValue { free in
            defer { free = [] }
            return free
        }
        // If closing fails, the connection closes when it is released.
        for connection in connections { try? connection.close() }
    }
}
