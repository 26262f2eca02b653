internal import Foundation
internal import GRDB

/// A database file that is written under a name of its own in the same folder, checked, synced to the disk, and only
/// then renamed, so that a crash leaves either the old file or the complete new one.
struct NewDatabaseFile {
    private let place: URL
    private let partial: URL

    /// A file that will replace `place`; another one that a crash left unfinished is removed.
    init(at place: URL) {
        self.place = place
        partial = place.deletingLastPathComponent().appending(path: place.lastPathComponent + ".partial")
    }

    /// Writes what `source` holds now, from one snapshot, changed by `prepare`.
    ///
    /// Blocking.
    func write(from source: any DatabaseReader, prepare: (DatabaseQueue) throws -> Void = { _ in }) throws
        -> BackupReport
    {
        discard()
        do {
            try FileSystem.createPrivate(partial)
            let copy = try DatabaseQueue(path: partial.path)
            try source.backup(to: copy)
            // Otherwise the file would need a write-ahead log next to it wherever it is opened.
            _ = try copy.inDatabase { db in try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") }
            try prepare(copy)
            let report = try copy.read { db in try Self.checked(db, file: place.path) }
            try copy.close()
            try FileSystem.sync(partial)
            return report
        } catch {
            discard()
            if let error = error as? DatabaseError, error.isFullDisk {
                throw BackupError.unwritable(file: place.path, reason: "the disk is full")
            }
            throw error
        }
    }

    /// Puts the file in its place.
    ///
    /// - Throws: `BackupError.exists` if there is one already that must not be replaced.
    func putInPlace(replacing: Bool) throws(BackupError) {
        if replacing {
            try FileSystem.rename(partial, to: place)
        } else {
            try FileSystem.link(partial, as: place)
            discard()
        }
        try FileSystem.sync(place.deletingLastPathComponent())
    }

    /// Removes what was written so far.
    func discard() {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(partial.path + suffix) }
    }

    /// What a database holds, after SQLite found its structure whole.
    static func checked(_ db: Database, file: String) throws -> BackupReport {
        let faults = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)").filter { $0 != "ok" }
        if let fault = faults.first { throw BackupError.damaged(file: file, reason: fault) }
        return BackupReport(
            bytes: try Int64.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
                ?? 0,
            accounts: try Int64.fetchOne(db, sql: "SELECT count(*) FROM accounts") ?? 0,
            records: try Int64.fetchOne(db, sql: "SELECT coalesce(sum(records), 0) FROM spaces") ?? 0)
    }
}
