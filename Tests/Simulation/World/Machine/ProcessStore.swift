import SQLiteServerStore
import ServerCore

/// The store as one process of the server sees it. Several processes reach the database through a network, so that
/// requests on different processes overlap, and a process may die before or after the commit of its transaction.
///
/// Each transaction runs at one moment, so that none fails because of another one.
///
/// Sendable: see `Loop`.
final class ProcessStore: ServerStore, @unchecked Sendable {
    private let database: SQLiteServerStore
    /// Nil: the database is in this process.
    private let connection: DatabaseConnection?
    private let sleepers: Sleepers
    /// Whether the process is dead: no transaction has an effect any more.
    var isCut = false

    init(_ database: SQLiteServerStore, _ connection: DatabaseConnection?, _ sleepers: Sleepers) {
        (self.database, self.connection, self.sleepers) = (database, connection, sleepers)
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        try await exchange { try await self.database.read(body) }
    }

    func lookUp<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        try await exchange { try await self.database.lookUp(body) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await exchange { try await self.database.write(body) }
    }

    func write<Result: Sendable>(
        using space: SpaceUse, _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await exchange { try await self.database.write(using: space, body) }
    }

    func announce(_ news: StoreNews) {
        if let connection, !isCut { connection.news.announce(news, by: connection.place) }
    }

    func receiveNews(_ receive: @escaping @Sendable (StoreNews) -> Void) -> (any StoreNewsReceiving)? {
        guard let connection, !isCut else { return nil }
        return connection.news.connect(connection.place, receive)
    }

    private func exchange<Result: Sendable>(
        _ transaction: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await pass()
        let result = try await transaction()
        try await pass()
        return result
    }

    /// Waits as long as a message between the process and the database takes.
    private func pass() async throws {
        let delay = isCut ? 0 : connection?.delay() ?? 0
        // Without a wait if there is none: a single process has no other jobs than in production.
        if delay > 0 { try await sleepers.sleep(for: delay) }
        if isCut { throw StoreFailure.unavailable(reason: "the process is dead") }
    }
}

/// The way of one of several processes to the database, and to the others.
struct DatabaseConnection {
    /// The number of the process.
    let place: Int
    let news: NewsNetwork
    let luck: RandomSource

    /// The latency of a message, in milliseconds. Some take long, as behind a lock.
    func delay() -> Int64 { Int64(luck.below(luck.below(8) == 0 ? 300 : 6)) }
}
