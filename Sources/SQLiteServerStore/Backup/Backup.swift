public import Foundation
internal import GRDB

extension SQLiteServerStore {
    /// Writes the present content of the store to a file (mode 0600), from one snapshot, while the store stays in use.
    ///
    /// Blocking. The file is checked and synced to the disk before it gets its name.
    ///
    /// - Parameter replacing: Whether a file of this name may be replaced.
    /// - Throws: `BackupError`; else SQLite's error.
    public func backup(to file: URL, replacing: Bool = false) throws -> BackupReport {
        try Self.backup(database, to: file, replacing: replacing)
    }

    /// Writes a backup as `backup(to:)` does, of a directory that a server may be using. It doesn't need the
    /// directory's lock and doesn't delay the server.
    ///
    /// Blocking.
    ///
    /// - Throws: `BackupError`, `StoreOpeningError.damaged`; else SQLite's error.
    public static func backup(
        directory: URL, files: StoreFiles = StoreFiles(), to file: URL, replacing: Bool = false
    ) throws -> BackupReport {
        let path = files.database(in: directory)
        guard FileSystem.exists(path) else { throw BackupError.noDatabase(directory: directory.path) }
        do {
            let database = try readOnly(path)
            // Nothing was written, so closing can lose nothing.
            defer { try? database.close() }
            return try backup(database, to: file, replacing: replacing)
        } catch let error as DatabaseError where error.isDamage {
            throw StoreOpeningError.damaged(database: path.path, reason: error.plainReason)
        }
    }

    static func backup(_ source: any DatabaseReader, to file: URL, replacing: Bool) throws -> BackupReport {
        // Checked before the work. `putInPlace` checks again, since the file may appear meanwhile.
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

    /// Opens a database for reading only.
    static func readOnly(_ file: URL) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }
}

/// The content of a backup.
public struct BackupReport: Sendable, Equatable, CustomStringConvertible {
    /// The file's size in bytes.
    public var bytes: Int64
    /// Number of accounts.
    public var accounts: Int64
    /// Number of live records in all spaces.
    public var records: Int64

    /// The numbers and the size, for a person.
    public var description: String {
        let size = bytes.formatted(.byteCount(style: .file))
        return "\(records) record\(records == 1 ? "" : "s") of \(accounts) account\(accounts == 1 ? "" : "s"), \(size)"
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

/// The reason for which a backup couldn't be written or restored, with a message for the person who asked for it. New
/// cases may be added.
public enum BackupError: Error, CustomStringConvertible, Equatable {
    /// A file of the backup's name exists.
    case exists(file: String)
    /// The directory has no database.
    case noDatabase(directory: String)
    /// The file can't be read; `reason` is the system's.
    case unreadable(file: String, reason: String)
    /// The file can't be written; `reason` is the system's.
    case unwritable(file: String, reason: String)
    /// The file isn't a database of a server.
    case notABackup(file: String)
    /// The file is a damaged database; `reason` is SQLite's.
    case damaged(file: String, reason: String)
    /// The file was written by a version of the server that is newer than this one.
    case newer(file: String)

    public var description: String {
        switch self {
        case .exists(let file): "\(file) already exists; choose another name, or replace it with --force"
        case .noDatabase(let directory): "there is no database in \(directory); name the data directory with --data"
        case .unreadable(let file, let reason): "\(file) can't be read: \(reason)"
        case .unwritable(let file, let reason): "\(file) can't be written: \(reason)"
        case .notABackup(let file): "\(file) is not a backup of this server"
        case .damaged(let file, let reason): "\(file) is damaged (\(reason)); use another backup"
        case .newer(let file):
            "\(file) was written by a newer version of the server; install that version, or use an older backup"
        }
    }
}
