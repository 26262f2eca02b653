package import Foundation
internal import GRDB
internal import PrivateFiles

// Finding faults and repairing them.
extension LocalStore {
    /// Looks through the whole cache, on the cache's own thread; changes nothing.
    ///
    /// - Returns: what is wrong; empty: nothing.
    /// - Throws: `LocalStoreError`.
    package func faults() async throws -> [CacheFault] {
        try await inspect { cache in
            do { return try cache.faults() } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT
            {
                return [CacheFault(.unreadablePages, detail: error.message)]
            }
        }
    }

    /// Repairs what can be repaired in place, in one transaction. If rows can't be read, the whole cache is copied
    /// first.
    ///
    /// - Returns: the copy, if one was made.
    /// - Throws: `LocalStoreError`; then nothing has changed.
    package func repair(_ faults: [CacheFault]) async throws -> URL? {
        let kinds = Set(faults.map(\.kind))
        var copy: URL?
        if let home, !kinds.isDisjoint(with: [.unreadableRecords, .unreadableMirrors, .danglingReferences]) {
            let aside = CacheSwap(home: home).newName(at: wall())
            try await inspect { try $0.db.execute(sql: "VACUUM INTO ?", arguments: [aside.path]) }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: aside.path)
            copy = aside
        }
        try await write { try $0.repair(kinds) }
        return copy
    }

    /// Moves the file away as if SQLite could not read it, and continues in a new one with what was recovered;
    /// `removeNotice` returns the message.
    ///
    /// - Throws: `LocalStoreError.inUse` if another process has it open; then nothing has changed.
    package func rebuild(since faults: [CacheFault]) async throws {
        let reason = faults.first?.detail ?? "SQLite can't read parts of it"
        try await Rebuilder().rebuild(self, reason)
    }

    /// Reads what is unsent in a file that was put aside; it stays as it is.
    ///
    /// - Throws: `LocalStoreError.noFile`; `.notACache` if nothing in it is recognised; `.unusable` if it can't be read.
    package func salvage(_ file: URL) async throws -> Salvage { try await Rebuilder().salvage(file) }

    /// Copies, reads and writes whole files: on a thread that may block.
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

    /// What is shown to the user once, without a command: what happened to the cache when it was opened, or what a
    /// background sync met. The next call, in any process, returns nil.
    ///
    /// - Throws: `LocalStoreError`.
    package func removeNotice() async throws -> String? {
        guard try await read({ try $0.meta(.notice) }) != nil, refusal == nil else { return nil }
        return try await write { cache in
            defer { try? cache.setMeta(.notice, nil) }
            return try cache.meta(.notice)
        }
    }
}
