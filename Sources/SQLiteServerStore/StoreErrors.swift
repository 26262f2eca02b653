internal import GRDB
internal import ServerCore

/// The reason for which a store couldn't be opened, with a message for the person who starts the server. New cases may
/// be added.
public enum StoreOpeningError: Error, CustomStringConvertible, Equatable {
    /// Another process uses the directory.
    case inUse(directory: String)
    /// A restore replaces the database at the moment.
    case beingRestored(directory: String)
    /// A command of the owner uses the database at the moment, so it can't be replaced.
    case commandRunning(directory: String)
    /// Users other than the owner may write in the directory, and so replace its files.
    case exposed(directory: String)
    /// The directory belongs to another user.
    case foreign(directory: String)
    /// The directory can't be created or written; `reason` is the system's.
    case unwritable(directory: String, reason: String)
    /// The database can't be written; `reason` is SQLite's.
    case unwritableDatabase(_ database: String, reason: String)
    /// The database's disk is full.
    case full(database: String)
    /// Another program that isn't a server has locked the database.
    case locked(database: String)
    /// The database isn't an SQLite file, or its structure is broken; `reason` is SQLite's.
    case damaged(database: String, reason: String)
    /// The database was used by a version of the server that is newer than this one.
    case newer(database: String)
    /// The database is that of a running server of another version.
    case usedByOtherVersion(database: String)
    /// The database is the target of a move that has not finished: it lacks data.
    case unfinished(database: String, source: String)
    /// The data was moved to another store, in which devices may have written since.
    case moved(database: String, target: String)
    /// A newer version of the server has left a mark of a move.
    case unknownMark(database: String)
    /// The file has no tables of a server, and they aren't to be created: its directory is probably wrong.
    case noTables(database: String)

    public var description: String {
        switch self {
        case .inUse(let directory):
            "another server uses the data directory \(directory); stop it, or choose another directory with --data"
        case .beingRestored(let directory):
            "a backup is being restored to the data directory \(directory); try again when that has ended"
        case .commandRunning(let directory):
            "a command of the owner uses the data directory \(directory); try again when it has ended"
        case .exposed(let directory):
            "other users may write in the data directory \(directory), and could replace the database; run: chmod go-w "
                + "'\(directory)'"
        case .foreign(let directory):
            "the data directory \(directory) belongs to another user; run the server as that user, or choose another "
                + "directory with --data"
        case .unwritable(let directory, let reason):
            "the data directory \(directory) can't be written: \(reason)"
        case .unwritableDatabase(let database, let reason):
            "the database \(database) can't be written (\(reason)); let the user who runs the server write it and its "
                + "directory"
        case .full(let database): "the disk of the database \(database) is full; free some space"
        case .locked(let database): "another program has locked the database \(database); end it and start again"
        case .damaged(let database, let reason):
            "the database \(database) is damaged (\(reason)); restore a backup, or move it "
                + "away to begin with an empty one"
        case .newer(let database):
            "the database \(database) was used by a newer version of the server; install that again, or restore an older backup"
        case .usedByOtherVersion(let database):
            "the database \(database) is in use by another version of the server; restart the server with this version"
        case .unfinished(let database, let source):
            "the database \(database) lacks data, since a move from \(source) has not finished; begin the move again, "
                + "or use that store"
        case .moved(let database, let target):
            "the data of \(database) was moved to \(target), where devices may have written since: use that store. To use "
                + "the former data all the same, restore this file to its own directory"
        case .unknownMark(let database):
            "\(database) has a mark of a move that this version doesn't recognise; install the newer version of the server that made it"
        case .noTables(let database):
            "the file \(database) has no tables of a server; name the server's data directory. Nothing was changed"
        }
    }
}

// The meaning of SQLite's result codes for the owner and for clients of the server (sqlite.org/rescode.html).

extension DatabaseError {
    /// Whether the file isn't a database, or its structure is broken.
    var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }

    /// Whether the disk is full. SQLite has a separate code for the index of the write-ahead log.
    var isFullDisk: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }

    /// SQLite's message, for a person.
    var plainReason: String { message ?? resultCode.description }
}

extension StoreFailure {
    /// Creates the failure for an error of SQLite; nil if the error is a fault.
    init?(_ error: DatabaseError) {
        switch error.resultCode {
        case _ where error.isFullDisk: self = .full(reason: error.plainReason)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(reason: error.plainReason)
        default: return nil
        }
    }
}

extension StoreOpeningError {
    /// Creates the error for an error of SQLite; nil if there is no advice for it.
    init?(_ error: DatabaseError, database: String) {
        switch error.resultCode {
        case _ where error.isDamage: self = .damaged(database: database, reason: error.plainReason)
        case _ where error.isFullDisk: self = .full(database: database)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(database: database)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self = .unwritableDatabase(database, reason: error.plainReason)
        default: return nil
        }
    }
}
