import Foundation
import ServerCore

@testable import PostgreSQLServerStore

/// A database of its own on the PostgreSQL that `Tests/postgres` starts.
struct TestDatabase {
    /// The address of PostgreSQL; nil: none was started.
    static let server = ProcessInfo.processInfo.environment["SATCHEL_POSTGRES"]
    /// The reason for which tests are skipped without one.
    static let reason = "needs PostgreSQL; run: Tests/postgres swift test"

    /// The address of the database.
    let address: String
    let name: String

    /// Runs `body` with an empty database, which is removed afterwards.
    static func with<Result>(_ body: (TestDatabase) async throws -> Result) async throws -> Result {
        guard let server, var parts = URLComponents(string: server) else { throw Missing() }
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        parts.path = "/" + name
        let database = TestDatabase(address: parts.string ?? server, name: name)
        try await run("CREATE DATABASE \(name) TEMPLATE template0", on: server)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(database)) } catch { result = .failure(error) }
        try await run("DROP DATABASE \(name) WITH (FORCE)", on: server)
        return try result.get()
    }

    /// Runs `body` with a store in an empty database.
    static func withStore<Result>(
        connections: Int = 8, use: StoreUse = .server, _ body: (PostgreSQLServerStore) async throws -> Result
    ) async throws -> Result {
        try await with { database in
            let store = try await PostgreSQLServerStore.open(database.address, connections: connections, use: use)
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(store)) } catch { result = .failure(error) }
            await store.shutDown()
            return try result.get()
        }
    }

    /// Runs statements on the database.
    @discardableResult
    func run(_ sql: String) async throws -> [[String]] { try await Self.run(sql, on: address) }

    @discardableResult
    static func run(_ sql: String, on address: String) async throws -> [[String]] {
        try await connected(to: address) { connection in try connection.command(sql).map { row in [row.text(0)] } }
    }

    /// Runs `body` with a connection.
    static func connected<Result: Sendable>(
        to address: String, _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: libpq blocks.
            Thread {
                continuation.resume(
                    with: Swift.Result { try body(PostgreSQLConnection(to: ConnectionTarget(address))) })
            }.start()
        }
    }

    /// Creates the tables on a connection, as the first version did.
    func createFormerTables(_ connection: PostgreSQLConnection) throws {
        let migrator = try Migrator(
            target: ConnectionTarget(address), migrations: Array(PostgreSQLSchema.migrations.prefix(1)))
        try migrator.migrate(connection, epoch: "e", lock: DatabaseLock(use: .server, server: "h"))
    }

    struct Missing: Error {}
}
