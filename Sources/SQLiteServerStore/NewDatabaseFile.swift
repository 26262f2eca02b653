internal import Foundation
internal import GRDB
internal import PrivateFiles

/// A database file that is written under a temporary name in the same folder, checked, synced to the disk, and only
/// then renamed, so that a crash leaves either the old file or the complete new one.
struct NewDatabaseFile {
    private let place: URL
    private let partial: URL

    /// Creates a file that will replace `place`. An unfinished one that a crash left is removed by `write`.
    init(at place: URL) {
        self.place = place
        // In the same folder, since a file can be renamed and linked only within a file system.
        partial = place.deletingLastPathComponent().appending(path: place.lastPathComponent + StoreFiles.partial)
    }

    /// Writes the present content of `source`, from one snapshot, changed by `prepare`.
    ///
    /// Blocking.
    func write(from source: any DatabaseReader, prepare: (DatabaseQueue) throws -> Void = { _ in }) throws
        -> BackupReport
    {
        discard()
        do {
            // Before SQLite opens it, which would create it with mode 0644, so that others could read it.
            try FileSystem.createPrivate(partial)
            let copy = try DatabaseQueue(path: partial.path)
            try source.backup(to: copy)
            // In WAL mode, the file would need a write-ahead log next to it wherever it is opened.
            _ = try copy.inDatabase { db in try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") }
            try prepare(copy)
            let report = try copy.read { db in try Self.checked(db, file: place.path) }
            try copy.close()
            // Before the rename: otherwise a crash could leave the name with an incomplete file.
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

    /// Writes a copy of a database to a file (mode 0600), from one snapshot.
    ///
    /// Blocking. The copy is checked and synced to the disk before it gets its name.
    ///
    /// - Throws: `BackupError`; else SQLite's error.
    static func copy(of source: any DatabaseReader, to file: URL, replacing: Bool) throws -> BackupReport {
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

    /// Gives the file its final name.
    ///
    /// - Throws: `BackupError.exists` if a file has the name and must not be replaced; `BackupError.unwritable`.
    func putInPlace(replacing: Bool) throws(BackupError) {
        if replacing {
            try FileSystem.rename(partial, to: place)
        } else {
            // A link fails if the name exists; a check before a rename would leave a moment in which a file could be
            // lost.
            try FileSystem.link(partial, as: place)
            discard()
        }
        // The new name is durable once its directory is synced.
        try FileSystem.sync(place.deletingLastPathComponent())
    }

    /// Removes the temporary file with SQLite's files next to it.
    func discard() {
        for suffix in [""] + StoreFiles.companions { unlink(partial.path + suffix) }
    }

    /// Checks a database's structure and returns its content.
    ///
    /// - Throws: `BackupError.damaged`.
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

/// The system calls that make a file durable.
enum FileSystem {
    /// Creates an empty file that only its owner can read and write.
    static func createPrivate(_ file: URL) throws(BackupError) {
        // O_EXCL doesn't follow a symbolic link, by which another user could choose the file that is written.
        let descriptor = open(file.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(file: file.path, reason: SystemError.last) }
        close(descriptor)
    }

    /// Waits until a file, or a directory's entries, are on the disk.
    static func sync(_ file: URL) throws(BackupError) {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unwritable(file: file.path, reason: SystemError.last) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .unwritable(file: file.path, reason: SystemError.last) }
    }

    /// Renames a file, and replaces a file of that name.
    static func rename(_ file: URL, to place: URL) throws(BackupError) {
        guard Foundation.rename(file.path, place.path) == 0 else {
            throw .unwritable(file: place.path, reason: SystemError.last)
        }
    }

    /// Gives a file a second name.
    ///
    /// - Throws: `.exists` if the name is in use; `.unwritable`.
    static func link(_ file: URL, as place: URL) throws(BackupError) {
        guard Foundation.link(file.path, place.path) == 0 else {
            throw errno == EEXIST ? .exists(file: place.path) : .unwritable(file: place.path, reason: SystemError.last)
        }
    }

    /// Returns whether a file or directory of this name exists.
    static func exists(_ file: URL) -> Bool { access(file.path, F_OK) == 0 }

    /// Returns whether the name leads to a directory.
    static func isDirectory(_ file: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory) && isDirectory.boolValue
    }
}
