internal import Foundation
internal import Records

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
        return "\(records.counted("record")) of \(accounts.counted("account")), \(size)"
    }
}

/// The reason for which a backup couldn't be written or restored, with a message for the person who asked for it. New
/// cases may be added.
public enum BackupError: Error, CustomStringConvertible, Equatable {
    /// A file of the backup's name exists.
    case exists(file: String)
    /// The file is one that a server keeps in a data directory, or a link to one.
    case ownFile(file: String, directory: String)
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
        case .ownFile(let file, let directory):
            "\(file) is a file of the data directory \(directory), which no backup replaces; choose another name. "
                + "Nothing was written"
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
