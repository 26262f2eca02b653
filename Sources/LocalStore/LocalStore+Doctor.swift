public import Foundation
internal import GRDB
internal import PrivateFiles

// Checks and repairs of the cache.
extension LocalStore {
    /// Checks the whole cache, on the cache's own thread; changes nothing.
    ///
    /// - Returns: The faults; empty: there are none.
    /// - Throws: `LocalStoreError`.
    public func faults() async throws -> [CacheFault] {
        try await inspect { cache in
            do { return try cache.integrity.faults() } catch let error as DatabaseError
                where error.resultCode == .SQLITE_CORRUPT
            {
                return [CacheFault(.unreadablePages, detail: error.message)]
            }
        }
    }

    /// Repairs what can be repaired in place, in one transaction. If rows can't be read, the whole cache is copied
    /// first.
    ///
    /// - Returns: The copy; nil: none was made.
    /// - Throws: `LocalStoreError`; then nothing has changed.
    public func repair(_ faults: [CacheFault]) async throws -> URL? {
        let kinds = Set(faults.map(\.kind))
        var copy: URL?
        if let home, !kinds.isDisjoint(with: [.unreadableRecords, .unreadableMirrors, .danglingReferences]) {
            let aside = CacheSwap(home: home).newName(at: wall())
            // VACUUM can't run in a transaction. It creates the copy with SQLite's default mode.
            try await inspect { try $0.db.execute(sql: "VACUUM INTO ?", arguments: [aside.path]) }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: aside.path)
            copy = aside
        }
        try await write { try $0.integrity.repair(kinds) }
        return copy
    }

    /// Puts the file aside as if SQLite could not read it, and continues in a new one with what was recovered;
    /// `removeNotice` returns the message.
    ///
    /// - Throws: `LocalStoreError.inUse` if another process has it open; then nothing has changed.
    public func rebuild(since faults: [CacheFault]) async throws {
        let reason = faults.first?.detail ?? "SQLite can't read parts of it"
        try await Rebuilder().rebuild(self, reason)
    }

    /// Reads the unsent edits of a file that was put aside; the file stays unchanged.
    ///
    /// - Throws: `LocalStoreError.noFile`; `.notACache` if nothing in it is known; `.unusable` if it can't be read.
    public func salvage(_ file: URL) async throws -> Salvage { try await Rebuilder().salvage(file) }

    /// Work on whole files, which runs on a thread that may block.
    private actor Rebuilder {
        private let executor = BlockingExecutor(label: "store.rebuild")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func rebuild(_ store: LocalStore, _ reason: String) throws { try store.rebuildNow(reason) }
        func salvage(_ file: URL) throws -> Salvage {
            let salvage = try Salvage(file: file)
            if salvage.isNothing { throw LocalStoreError.notACache(path: file.path) }
            return salvage
        }
    }

    /// Removes the notice that no command caused, and returns it: what happened to the cache when it was opened, or
    /// what a background sync reports. nil: there is none, or it can't be removed.
    ///
    /// - Throws: `LocalStoreError`.
    public func removeNotice() async throws -> String? {
        // Usually there is none; then nothing is written.
        guard try await read({ try $0.meta(.notice) }) != nil, refusal == nil else { return nil }
        return try await write { cache in
            // If it can't be removed, it is shown again.
            defer { try? cache.setMeta(.notice, nil) }
            return try cache.meta(.notice)
        }
    }
}
