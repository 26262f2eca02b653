/// Why a backup couldn't be written or put back, in words for the person who asked for it.
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
        case .notABackup(let file): "\(file) is not a backup of satcheld"
        case .damaged(let file, let reason): "\(file) is damaged (\(reason)); use another backup"
        case .newer(let file): "\(file) was written by a newer satcheld; install that version, or use an older backup"
        }
    }
}
