package import Foundation

/// SQLite's shell, for databases that are kept as SQL among the tests.
package enum SQLiteShell {
    /// Returns the SQL that creates a copy of a database.
    package static func dump(_ database: URL) async throws -> Data { try await run([database.path, ".dump"]) }

    /// Creates a database from the SQL in a file.
    package static func load(_ sql: URL, into database: URL) async throws {
        _ = try await run([database.path, ".read '\(sql.path)'"])
    }

    private static func run(_ arguments: [String]) async throws -> Data {
        let outcome = try await TestProgram.run("sqlite3", ["-bail"] + arguments)
        guard outcome.succeeded else { throw Failed(reason: outcome.errors) }
        return Data(outcome.output)
    }

    /// The error of a shell that failed.
    package struct Failed: Error {
        /// Its standard error.
        package let reason: String
    }
}
