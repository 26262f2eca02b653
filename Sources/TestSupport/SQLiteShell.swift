package import Foundation

/// SQLite's shell, for databases that are kept as SQL among the tests.
package enum SQLiteShell {
    /// Returns the SQL that creates a copy of a database.
    package static func dump(_ database: URL) throws -> Data { try run([database.path, ".dump"]) }

    /// Creates a database from the SQL in a file.
    package static func load(_ sql: URL, into database: URL) throws {
        _ = try run([database.path, ".read '\(sql.path)'"])
    }

    private static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: try TestProgram.path(of: "sqlite3"))
        process.arguments = ["-bail"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return data
    }

    /// The error of a shell that failed.
    package struct Failed: Error {
        /// The exit status.
        package let status: Int32
    }
}
