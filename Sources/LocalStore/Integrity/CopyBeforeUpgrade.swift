internal import Foundation
internal import GRDB
internal import PrivateFiles

extension CacheFile {
    /// Writes a copy of a cache with unsent edits next to it, before this version changes its tables: `satchel.db` becomes
    /// `satchel.db.before-upgrade-8` if it has the tables of schema 8. Everything else is on the server. A copy that an
    /// earlier upgrade from the same schema made is replaced.
    ///
    /// - Throws: `LocalStoreError` or SQLite's error if the copy can't be written; nothing was changed then.
    func copyBeforeUpgrade(_ queue: DatabaseQueue, schema: Int) throws {
        // 0: a new cache.
        guard schema > 0, try queue.read(Self.hasUnsentEdits) else { return }
        let copy = "\(home.cache.path).before-upgrade-\(schema)"
        // A name of its own, since another process may upgrade at the same time.
        let draft = "\(copy).\(ProcessInfo.processInfo.processIdentifier)"
        defer { unlink(draft) }
        unlink(draft)
        // Before SQLite opens it, which would create a file that other users can read.
        let descriptor = Foundation.open(draft, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw LocalStoreError.unusable(path: draft, reason: SystemError.last) }
        close(descriptor)
        let target = try DatabaseQueue(path: draft, configuration: .cache)
        try queue.backup(to: target)
        // Otherwise the copy would need a write-ahead log next to it.
        _ = try target.inDatabase { db in try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") }
        try target.close()
        guard rename(draft, copy) == 0 else {
            throw LocalStoreError.unusable(path: copy, reason: SystemError.last)
        }
    }

    private static func hasUnsentEdits(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM outbox)") ?? false
    }
}
