internal import Foundation
#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Why a store couldn't be opened, in words for the person who starts the server.
public enum StoreOpeningError: Error, CustomStringConvertible, Equatable {
    /// Another process has the directory.
    case inUse(directory: String)
    /// Users other than the owner may write in the directory, and so replace its files.
    case exposed(directory: String)
    /// The directory belongs to another user.
    case foreign(directory: String)
    /// The directory can't be made or written; `reason` is the system's.
    case unwritable(directory: String, reason: String)
    /// The database can't be written; `reason` is SQLite's.
    case unwritableDatabase(_ database: String, reason: String)
    /// There is no room on the database's disk.
    case full(database: String)
    /// Another program that isn't satcheld has locked the database.
    case locked(database: String)
    /// The database is no SQLite file, or one with a broken structure; `reason` is SQLite's.
    case damaged(database: String, reason: String)
    /// The database was changed by a version of the server that is newer than this one.
    case newer(database: String)

    public var description: String {
        switch self {
        case .inUse(let directory):
            "another satcheld uses the data directory \(directory); stop it, or choose another one with --data"
        case .exposed(let directory):
            "other users may write in the data directory \(directory), and could replace the database; run: chmod go-w "
                + "'\(directory)'"
        case .foreign(let directory):
            "the data directory \(directory) belongs to another user; run satcheld as that user, or choose another "
                + "directory with --data"
        case .unwritable(let directory, let reason):
            "the data directory \(directory) can't be written: \(reason)"
        case .unwritableDatabase(let database, let reason):
            "the database \(database) can't be written (\(reason)); let the user who runs satcheld write it and its "
                + "directory"
        case .full(let database): "the disk of the database \(database) is full; free some space"
        case .locked(let database): "another program has locked the database \(database); end it and start again"
        case .damaged(let database, let reason):
            "the database \(database) is damaged (\(reason)); restore a backup with satcheld restore, or move it "
                + "away to begin with an empty one"
        case .newer(let database):
            "the database \(database) was used by a newer satcheld; install that again, or restore an older backup"
        }
    }
}

/// Keeps other processes away from a directory; the lock dies with its holder (flock(2)).
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Makes the directory if need be, with mode 0700, and refuses one whose files other users could replace.
    ///
    /// - Throws: `StoreOpeningError`.
    init(directory: URL) throws(StoreOpeningError) {
        try Self.make(directory)
        try Self.check(directory.resolvingSymlinksInPath().path)
        let path = directory.appending(path: "satcheld.lock").path
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(directory: directory.path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(directory: directory.path)
        }
        self.descriptor = descriptor
    }

    /// Refuses a directory that belongs to another user or in which other users may write.
    private static func check(_ directory: String) throws(StoreOpeningError) {
        // A directory that can't be examined can't be written either, which is reported next.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: directory),
            let mode = attributes[.posixPermissions] as? NSNumber,
            let owner = attributes[.ownerAccountID] as? NSNumber
        else { return }
        let refusal = refusal(of: directory, mode: mode.intValue, owner: owner.uint32Value, user: geteuid())
        if let refusal { throw refusal }
    }

    /// Why a directory isn't used; nil: it is. Root may use any user's, for backups and restores, and any user root's.
    static func refusal(of directory: String, mode: Int, owner: UInt32, user: UInt32) -> StoreOpeningError? {
        if mode & 0o022 != 0 { return .exposed(directory: directory) }
        return owner == user || owner == 0 || user == 0 ? nil : .foreign(directory: directory)
    }

    /// Makes the directory and those above it that are missing, as the XDG Base Directory Specification says.
    private static func make(_ directory: URL) throws(StoreOpeningError) {
        var path = ""
        for component in directory.standardizedFileURL.pathComponents {
            path += component == "/" ? component : component + "/"
            // Some systems say of a directory that is there that it can't be made; what matters is that it is there.
            guard mkdir(path, 0o700) != 0, errno != EEXIST else { continue }
            let reason = String(cString: strerror(errno))
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
                throw .unwritable(directory: directory.path, reason: reason)
            }
        }
    }

    /// Lets others in; does no harm a second time.
    func release() { flock(descriptor, LOCK_UN) }

    /// Let go first: a child process that was just forked holds the same lock until it becomes another program.
    deinit {
        release()
        close(descriptor)
    }
}
