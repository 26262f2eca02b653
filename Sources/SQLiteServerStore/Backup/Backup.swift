public import Foundation
internal import GRDB
internal import ServerCore

extension SQLiteServerStore {
    /// Writes the present content of the store to a file (mode 0600), from one snapshot, while the store stays in use.
    ///
    /// Blocking. The file is checked and synced to the disk before it gets its name.
    ///
    /// - Parameter replacing: Whether a file of this name may be replaced.
    /// - Throws: `BackupError`; else SQLite's error.
    public func backup(to file: URL, replacing: Bool = false) throws -> BackupReport {
        try NewDatabaseFile.copy(of: database, to: file, replacing: replacing)
    }

    /// Writes a backup as `backup(to:)` does, of a directory that a server may be using. It doesn't delay the server, and
    /// keeps a restore out meanwhile. A database is refused that the mark of a move excludes: it lacks data, or devices write
    /// to another one. No file of a data directory is replaced (`BackupError.ownFile`).
    ///
    /// Blocking.
    ///
    /// - Throws: `BackupError`, `StoreOpeningError`; else SQLite's error.
    public static func backup(
        directory: URL, files: StoreFiles = StoreFiles(), to file: URL, replacing: Bool = false
    ) throws -> BackupReport {
        let path = files.database(in: directory)
        try files.refuseOwnFile(file, of: directory)
        guard FileSystem.exists(path) else { throw BackupError.noDatabase(directory: directory.path) }
        let lock = try DirectoryLock(
            directory: directory, name: files.commandLock, isShared: true,
            conflict: .beingRestored(directory: directory.path))
        defer { lock.release() }
        do {
            let database = try readOnly(path)
            // Nothing was written, so closing can lose nothing.
            defer { try? database.close() }
            try checkMark(of: database, .command)
            let report = try NewDatabaseFile.copy(of: database, to: file, replacing: replacing)
            // Elsewhere, a backup that root writes stays root's.
            let folder = file.deletingLastPathComponent().resolvingSymlinksInPath().path
            if folder == directory.resolvingSymlinksInPath().path { DirectoryOwner.give(file) }
            return report
        } catch let error as DatabaseError where error.isDamage {
            throw StoreOpeningError.damaged(database: path.path, reason: error.plainReason)
        }
    }

    /// Opens a database for reading only.
    static func readOnly(_ file: URL) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }
}

/// The result of a restore.
public struct RestoreReport: Sendable, Equatable {
    /// The content of the restored database.
    public var restored: BackupReport
    /// The place of the previous database; nil if there was none.
    public var putAside: URL?
    /// Who may come in.
    public var access: RestoredAccess
}
