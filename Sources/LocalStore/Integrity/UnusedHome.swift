internal import Foundation
internal import GRDB

extension CacheFile {
    /// Removes the home if nothing is stored in it, and no other process has its cache open. The caller has closed its own
    /// connection and released its lock.
    ///
    /// A process that opens the home meanwhile loses nothing: its writes fail, since the path no longer leads to its file.
    func removeUnusedHome() throws {
        guard let alone = try home.cacheLock.attempt() else { return }
        defer { alone.release() }
        let names = try FileManager.default.contentsOfDirectory(atPath: home.directory.path)
        // Any other file, such as a hook or a session, belongs to the user.
        guard names.allSatisfy(isOwn), FileManager.default.fileExists(atPath: home.cache.path) else { return }
        let queue = try DatabaseQueue(path: home.cache.path, configuration: .cache)
        let isUnused = try queue.read { try Self.isUnused($0) }
        try queue.close()
        guard isUnused else { return }
        for name in names { unlink(home.directory.appending(path: name).path) }
        // This fails if a file was added meanwhile; then the directory stays.
        rmdir(home.directory.path)
    }

    /// Whether a file is the cache, its log or a lock.
    private func isOwn(_ name: String) -> Bool {
        let cache = home.cache.lastPathComponent
        return ["", "-wal", "-shm"].contains { name == cache + $0 } || name.hasSuffix(".lock")
    }

    /// Whether the cache is that of a new home, apart from the id and the clocks of its device.
    private static func isUnused(_ db: Database) throws -> Bool {
        let ofDevice = [MetaKey.device.name, MetaKey.clock.name, MetaKey.loweredClock.name]
        let rows = try Int.fetchOne(
            db,
            sql: """
                SELECT (SELECT count(*) FROM records) + (SELECT count(*) FROM batches) + (SELECT count(*) FROM journal)
                    + (SELECT count(*) FROM listings) + (SELECT count(*) FROM devices)
                    + (SELECT count(*) FROM spaces WHERE remote IS NOT NULL)
                    + (SELECT count(*) FROM meta WHERE name NOT IN (?, ?, ?))
                """, arguments: StatementArguments(ofDevice))
        return rows == 0
    }
}
