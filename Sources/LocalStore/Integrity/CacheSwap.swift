internal import Foundation
internal import GRDB
internal import PrivateFiles
internal import Records

/// The replacement of a damaged cache by a new one, which a crash may interrupt after any step: the new file is
/// complete before the old one is moved, and its name shows that the swap isn't finished.
struct CacheSwap {
    let home: Home

    /// The suffix of the new file until it replaces the old one; it follows the name that the old file gets.
    private static let suffix = ".rebuilt"
    // The file is last: SQLite would apply a log that is left in its place to the next file of that name.
    private static let parts = ["-wal", "-shm", ""]

    /// Returns an unused name for the damaged file.
    func newName(at milliseconds: UInt64) -> URL {
        let moment = Timestamp(milliseconds: milliseconds).description.filter { $0 != "-" && $0 != ":" }
        let name = home.cache.lastPathComponent + ".damaged-" + moment
        let names = [name] + (2...99).map { "\(name)-\($0)" }
        return names.map { home.directory.appending(path: $0) }
            .first { !FileManager.default.fileExists(atPath: $0.path) } ?? home.directory.appending(path: name)
    }

    /// Creates the empty file in which the new cache is built.
    func draft() throws -> URL {
        let draft = home.directory.appending(path: home.cache.lastPathComponent + ".draft")
        // A crash may have left a draft.
        for part in ["", "-journal", "-wal", "-shm"] { unlink(draft.path + part) }
        let descriptor = open(draft.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(draft.path) }
        close(descriptor)
        return draft
    }

    /// Marks the draft as complete: from now on, any process that opens the home finishes the swap.
    func promise(_ draft: URL, puttingAside aside: URL) throws {
        try Self.move(draft.path, aside.path + Self.suffix)
    }

    /// Returns the name that the damaged file is to get, if a swap was begun; nil: none was.
    func unfinished() throws -> URL? {
        // A directory that can't be listed counts as one without a swap; then the file is opened as it is.
        let names = try? FileManager.default.contentsOfDirectory(atPath: home.directory.path)
        let prefix = home.cache.lastPathComponent + ".damaged-"
        return names?.first { $0.hasPrefix(prefix) && $0.hasSuffix(Self.suffix) }
            .map { home.directory.appending(path: String($0.dropLast(Self.suffix.count))) }
    }

    /// Moves the damaged file and its log, the log first, and then the new file into its place.
    func finish() throws {
        guard let aside = try unfinished() else { return }
        for part in Self.parts where FileManager.default.fileExists(atPath: home.cache.path + part) {
            try Self.move(home.cache.path + part, aside.path + part)
        }
        try Self.move(aside.path + Self.suffix, home.cache.path)
        // Makes the renames durable. A file system that can't sync a directory is used without that.
        let directory = open(home.directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }

    private static func move(_ old: String, _ new: String) throws {
        guard rename(old, new) == 0 else { throw failure(old) }
    }

    private static func failure(_ path: String) -> LocalStoreError {
        errno == ENOSPC ? .diskFull(path: path) : .unusable(path: path, reason: SystemError.last)
    }
}

extension CacheFile {
    /// Builds the new cache next to the damaged one, from what can still be read of it.
    func build(_ swap: CacheSwap, since error: any Error) throws {
        let salvage = try Salvage(file: home.cache)
        let (draft, aside) = (try swap.draft(), swap.newName(at: wall()))
        let queue = try DatabaseQueue(path: draft.path, configuration: .cache)
        try prepare(queue, path: draft.path)
        try queue.write { db in
            let cache = Cache(db: db, wall: wall, types: types)
            if let session = SessionIdentityFile(home.credentials) { try cache.account.adopt(session) }
            // After the session: what the damaged cache itself has recorded replaces what the session says.
            try cache.integrity.adopt(salvage)
            let hasAccount = try cache.replica.state().remote != nil
            try cache.setMeta(.notice, Self.notice(aside, salvage, error, hasAccount: hasAccount))
            // Records without unsent edits are missing here, so everything is read again.
            try cache.replica.setReadAgain()
            try cache.setMeta(.rebuilt, "The previous one was damaged; it is kept as \(aside.path).")
        }
        // Only the file is renamed, so its journal must be gone before.
        try queue.close()
        try swap.promise(draft, puttingAside: aside)
    }

    /// Returns the message for the user, which is shown once.
    private static func notice(_ aside: URL, _ salvage: Salvage, _ error: any Error, hasAccount: Bool) -> String {
        let reason =
            switch error {
            case LocalStoreError.damaged(_, let reason): reason
            case let error as DatabaseError: error.message ?? "SQLite can't read it"
            default: "SQLite can't read it"
            }
        return "The cache was damaged (\(reason)). It was moved to \(aside.path), and a new one was created. "
            + salvage.summary
            + (hasAccount
                ? " `sync` receives everything else from the server."
                : " This home has no account, so everything else is only in the file put aside.")
    }
}

/// A copy of a database and its log in a directory of its own (mode 0700), which SQLite may change.
struct ScratchCopy {
    /// The copy.
    let file: URL

    init(of original: URL) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "scratch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        file = directory.appending(path: "copy.db")
        do {
            for part in ["", "-wal"] where FileManager.default.fileExists(atPath: original.path + part) {
                let copy = file.path + part
                // A copy has the mode of its original, which may be read-only.
                try FileManager.default.copyItem(atPath: original.path + part, toPath: copy)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
            }
        } catch {
            remove()
            throw LocalStoreError.unusable(path: original.path, reason: "it can't be copied")
        }
    }

    /// Removes the copy; if that fails, it is left to the system's cleanup of temporary files.
    func remove() { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
}
