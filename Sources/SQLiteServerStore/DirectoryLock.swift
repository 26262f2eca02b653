#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

internal import Foundation
internal import GRDB
internal import ServerCore

/// Keeps other processes away from a directory; the lock dies with its holder (flock(2)).
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Makes the directory if need be, with mode 0700, and refuses one whose files other users could replace.
    ///
    /// - Parameter name: the name of the locked file.
    /// - Throws: `StoreOpeningError`.
    init(directory: URL, name: String) throws(StoreOpeningError) {
        try Self.make(directory)
        try Self.check(directory.resolvingSymlinksInPath().path)
        let path = directory.appending(path: name).path
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
