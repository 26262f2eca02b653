public import Foundation
internal import GRDB
internal import PrivateFiles
public import Records
internal import ServerCore

extension SQLiteServerStore {
    /// Replaces a directory's database by a backup and marks it as restored, so that devices send what it lacks
    /// (`StoreWriting.markRestored`). The previous database is kept under another name, never deleted.
    ///
    /// Blocking. If it is interrupted at any moment, the directory has either the previous database or the restored
    /// one, complete. Restoring the directory's own database marks one that was copied there by hand. The former epochs
    /// that the previous database knows are carried over if it can be read, so that devices of those epochs needn't
    /// compare everything.
    ///
    /// What lets someone in stays that of the previous database, unless `access` is `.backup` (see `RestoredAccess`).
    ///
    /// - Parameters:
    ///   - file: A file that `backup` wrote, or the database of a directory that was copied while no server used it.
    ///   - access: Where passwords, signed-in devices and invitations are from.
    ///   - epoch: A random id that no other epoch had, `[A-Za-z0-9_-]{1,64}`.
    ///   - now: The time in milliseconds since 1970.
    ///   - owner: The person or user who restores it, for the audit log.
    /// - Throws: `StoreOpeningError` if a server or a command of the owner uses the directory or it can't be written; `BackupError` if the file
    ///   can't be restored; else SQLite's error.
    public static func restore(
        _ file: URL, to directory: URL, files: StoreFiles = StoreFiles(), access: RestoredAccess.Source = .previous,
        epoch: String = UUIDText.random(), now: Int64, owner: String = "owner"
    ) throws -> RestoreReport {
        let place = files.database(in: directory)
        let new = NewDatabaseFile(at: place)
        let (locks, report, restored) = try withBackup(file) { backup in
            // Only now, so that a file that can't be restored leaves no directory behind.
            let locks = try [
                DirectoryLock(directory: directory, name: files.lock),
                DirectoryLock(
                    directory: directory, name: files.commandLock,
                    conflict: .commandRunning(directory: directory.path)),
            ]
            // A database that is damaged or of another version can't be read; the restore continues without it.
            let former = try? lineage(of: place)
            let previous = try? previousAccess(of: place, for: file, now: now)
            defer { previous?.close() }
            var restored = RestoredAccess(source: .backup, isCompared: false, signedInDevices: 0)
            let report = try new.write(from: backup) { copy in
                try ServerSchema.migrator(epoch: epoch).migrate(copy)
                restored = try copy.write { db in
                    try previous?.apply(to: db, from: access, now: now) ?? RestoredAccess.ofBackup(db)
                }
                try copy.write { db in
                    let tx = SQLiteTransaction(db)
                    // Before the mark, which raises the versions that the additions are compared with.
                    if let former { try tx.remember(tx.lineage().additions(from: former), now: now) }
                    try tx.markRestored(epoch: epoch, now: now)
                    try tx.insert(OwnerAudit(.restored, by: owner, at: now))
                }
            }
            return (locks, report, restored)
        }
        defer { for lock in locks { lock.release() } }
        do {
            // After the new file is complete, so that a failure until here leaves the previous database unchanged.
            let aside = try putAside(place, now: now)
            try new.putInPlace(replacing: true)
            files.giveToOwner(of: directory)
            if let aside { DirectoryOwner.give(aside) }
            return RestoreReport(restored: report, putAside: aside, access: restored)
        } catch {
            new.discard()
            throw error
        }
    }

    /// Returns the access of the previous database; nil if it is itself the backup, which was copied there by hand.
    private static func previousAccess(of place: URL, for file: URL, now: Int64) throws -> PreviousAccess? {
        if place.resolvingSymlinksInPath() == file.resolvingSymlinksInPath() { return nil }
        return try PreviousAccess(place, now: now)
    }

    private static func lineage(of place: URL) throws -> Lineage {
        let database = try readOnly(place)
        defer { try? database.close() }
        return try database.read { db in try SQLiteTransaction(db).lineage() }
    }

    /// Opens a backup, checks that it is one, and passes it to `body`.
    private static func withBackup<Result>(_ file: URL, _ body: (DatabaseQueue) throws -> Result) throws -> Result {
        guard FileSystem.exists(file) else {
            throw BackupError.unreadable(file: file.path, reason: SystemError.last)
        }
        // SQLite would report an error of the disk.
        guard !FileSystem.isDirectory(file) else {
            throw BackupError.unreadable(
                file: file.path, reason: "it is a directory; name a file that a backup was written to")
        }
        do {
            let backup = try readOnly(file)
            // Nothing was written, so closing can lose nothing.
            defer { try? backup.close() }
            let migrator = ServerSchema.migrator(epoch: "")
            let applied = try backup.read(migrator.appliedIdentifiers)
            guard let first = migrator.migrations.first, applied.contains(first) else {
                throw BackupError.notABackup(file: file.path)
            }
            if try backup.read(migrator.hasBeenSuperseded) { throw BackupError.newer(file: file.path) }
            _ = try backup.read { db in try NewDatabaseFile.checked(db, file: file.path) }
            return try body(backup)
        } catch let error as DatabaseError {
            throw switch error.resultCode {
            case .SQLITE_NOTADB: BackupError.notABackup(file: file.path)
            case .SQLITE_CORRUPT: BackupError.damaged(file: file.path, reason: error.plainReason)
            case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_PERM, .SQLITE_READONLY:
                BackupError.unreadable(file: file.path, reason: error.plainReason)
            default: error
            }
        }
    }

    /// Gives the database a second name, under which it is kept; nil if there is no database.
    ///
    /// Its own name stays until the new database gets it, so that a database of that name exists at every moment.
    private static func putAside(_ place: URL, now: Int64) throws -> URL? {
        guard FileSystem.exists(place) else { return nil }
        let aside = freeName(nextTo: place, now: now)
        // A damaged database keeps its log, which is renamed with it.
        try? includeLog(place)
        for suffix in ["-wal", "-shm"] {
            let (file, kept) = (URL(filePath: place.path + suffix), URL(filePath: aside.path + suffix))
            if FileSystem.exists(file) { try FileSystem.rename(file, to: kept) }
        }
        try FileSystem.link(place, as: aside)
        return aside
    }

    /// Merges a write-ahead log into its database, by opening and closing it. A file that isn't a database of a server
    /// is left unchanged.
    private static func includeLog(_ place: URL) throws {
        let database = try readOnly(place)
        _ = try database.read { db in try SQLiteTransaction(db).epoch() }
        try database.close()
        try DatabasePool(path: place.path, configuration: configuration).close()
    }

    private static func freeName(nextTo place: URL, now: Int64) -> URL {
        let moment = Date(timeIntervalSince1970: Double(now) / 1_000)
            .formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        let name = URL(filePath: "\(place.path)\(StoreFiles.beforeRestore)\(moment)")
        let others = (2...).lazy.map { URL(filePath: "\(name.path)-\($0)") }
        return FileSystem.exists(name) ? others.first { !FileSystem.exists($0) } ?? name : name
    }
}
