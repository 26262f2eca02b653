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
    public static func backup(
        directory: URL, files: StoreFiles = StoreFiles(), to file: URL, replacing: Bool = false
    ) throws -> BackupReport {
        let path = files.database(in: directory)
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

/// What a backup holds.
public struct BackupReport: Sendable, Equatable, CustomStringConvertible {
    /// The file's size.
    public var bytes: Int64
    /// How many accounts there are.
    public var accounts: Int64
    /// How many live records all spaces have together.
    public var records: Int64

    /// For a person: how much it is.
    public var description: String {
        let size = bytes.formatted(.byteCount(style: .file))
        return "\(records) record\(records == 1 ? "" : "s") of \(accounts) account\(accounts == 1 ? "" : "s"), \(size)"
    }
}

/// What came of a restore.
public struct RestoreReport: Sendable, Equatable {
    /// What the database holds now.
    public var restored: BackupReport
    /// Where the database lies that was there before; nil if there was none.
    public var putAside: URL?
}

/// Why a backup couldn't be written or put back, in words for the person who asked for it. New cases may be added.
public enum BackupError: Error, CustomStringConvertible, Equatable {
    /// There is a file of the backup's name already.
    case exists(file: String)
    /// The directory has no database.
    case noDatabase(directory: String)
    /// The file can't be read; `reason` is the system's.
    case unreadable(file: String, reason: String)
    /// The file can't be written; `reason` is the system's.
    case unwritable(file: String, reason: String)
    /// The file is no database of a server.
    case notABackup(file: String)
    /// The file was a database once; `reason` is SQLite's.
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
