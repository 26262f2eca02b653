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

/// The few calls of the system by which a file is made durable.
enum FileSystem {
    /// Makes an empty file that is for its owner alone.
    static func createPrivate(_ file: URL) throws(BackupError) {
        let descriptor = open(file.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(file: file.path, reason: lastReason) }
        close(descriptor)
    }

    /// Waits until a file, or a directory's entries, are on the disk.
    static func sync(_ file: URL) throws(BackupError) {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unwritable(file: file.path, reason: lastReason) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .unwritable(file: file.path, reason: lastReason) }
    }

    /// Gives a file another name; a file that has it is replaced.
    static func rename(_ file: URL, to place: URL) throws(BackupError) {
        guard Foundation.rename(file.path, place.path) == 0 else {
            throw .unwritable(file: place.path, reason: lastReason)
        }
    }

    /// Gives a file a second name.
    ///
    /// - Throws: `.exists` if something has it.
    static func link(_ file: URL, as place: URL) throws(BackupError) {
        guard Foundation.link(file.path, place.path) == 0 else {
            throw errno == EEXIST ? .exists(file: place.path) : .unwritable(file: place.path, reason: lastReason)
        }
    }

    /// Whether there is something of this name.
    static func exists(_ file: URL) -> Bool { access(file.path, F_OK) == 0 }

    private static var lastReason: String { String(cString: strerror(errno)) }
}
