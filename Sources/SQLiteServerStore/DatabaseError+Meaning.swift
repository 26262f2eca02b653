internal import GRDB
internal import ServerCore

// The meaning of SQLite's result codes for the owner and for clients of the server (sqlite.org/rescode.html).

extension DatabaseError {
    /// Whether the file is no database, or one with a broken structure.
    var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }

    /// Whether the disk is full. SQLite has a code of its own for the index of the write-ahead log.
    var isFullDisk: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }

    /// What SQLite says, for a person.
    var plainReason: String { message ?? resultCode.description }
}

extension StoreFailure {
    /// Nil if it is a fault.
    init?(_ error: DatabaseError) {
        switch error.resultCode {
        case _ where error.isFullDisk: self = .full(reason: error.plainReason)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(reason: error.plainReason)
        default: return nil
        }
    }
}

extension StoreOpeningError {
    /// Nil if it isn't known what to do about it.
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
