public import Foundation
internal import GRDB

extension SQLiteServerStore {
    /// Writes all that the store holds now into a file (mode 0600), as one moment's state, while it goes on serving.
    ///
    /// Blocking. The file is checked and synced to the disk before it gets its name.
    ///
    /// - Parameter replacing: whether a file of this name may be replaced.
    /// - Throws: `BackupError`; else what SQLite says.
    public func backup(to file: URL, replacing: Bool = false) throws -> BackupReport {
        try Self.backup(database, to: file, replacing: replacing)
    }

    /// As `backup(to:)`, of a directory that a server may be using: its lock isn't wanted, and the server isn't held up.
    ///
    /// Blocking.
    ///
    /// - Throws: `BackupError`, `StoreOpeningError.damaged`; else what SQLite says.
    public static func backup(directory: URL, to file: URL, replacing: Bool = false) throws -> BackupReport {
        let path = databaseFile(in: directory)
        guard FileSystem.exists(path) else { throw BackupError.noDatabase(directory: directory.path) }
        do {
            let database = try readOnly(path)
            defer { try? database.close() }
            return try backup(database, to: file, replacing: replacing)
        } catch let error as DatabaseError where error.isDamage {
            throw StoreOpeningError.damaged(database: path.path, reason: error.plainReason)
        }
    }

    private static func backup(_ source: any DatabaseReader, to file: URL, replacing: Bool) throws -> BackupReport {
        // Before the work; whether it is so still is found out once more when the file gets its name.
        if !replacing, FileSystem.exists(file) { throw BackupError.exists(file: file.path) }
        let new = NewDatabaseFile(at: file)
        let report = try new.write(from: source)
        do {
            try new.putInPlace(replacing: replacing)
        } catch {
            new.discard()
            throw error
        }
        return report
    }

    /// Opens a database without the right to change it.
    static func readOnly(_ file: URL) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }
}
