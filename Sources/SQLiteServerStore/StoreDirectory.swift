internal import Foundation
internal import NIOConcurrencyHelpers

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

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Space that is reserved on the database's disk by a separate file: when the disk is full, deletions may use it.
///
/// The file's blocks are allocated: it is not sparse. While it is incomplete, ordinary writes are refused, since they
/// would use the space that the next deletion needs.
final class DiskReserve: Sendable {
    /// The space that is kept on a large disk. A transaction that deletes writes less, see `StoreWriting.clear`.
    private static let most = 16 << 20
    /// The space that is kept on the smallest disk.
    private static let least = 1 << 20
    /// On a disk between these sizes, the reserve is the disk's size divided by this number.
    private static let part = 64

    /// In bytes.
    let size: Int
    private let directory: String
    private let descriptor: Int32
    private let isFilled = NIOLockedValueBox(false)

    /// Allocates the file, as far as there is room. Blocking.
    ///
    /// - Parameter name: the file's name.
    /// - Throws: `StoreOpeningError`.
    init(directory: URL, name: String) throws(StoreOpeningError) {
        self.directory = directory.path
        descriptor = open(
            directory.appending(path: name).path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(directory: directory.path, reason: String(cString: strerror(errno)))
        }
        let total = Self.disk(of: directory.path).map { Int(clamping: $0.f_blocks) * Int(clamping: $0.f_frsize) } ?? 0
        size = min(max(total / Self.part, Self.least), Self.most)
        _ = fill()
    }

    deinit { close(descriptor) }

    /// Whether the reserve is complete.
    var isWhole: Bool { isFilled.withLockedValue { $0 } }

    /// Allocates the reserve again if it was released.
    ///
    /// - Returns: whether the reserve is complete now.
    func fill() -> Bool {
        isFilled.withLockedValue { isFilled in
            if isFilled { return true }
            isFilled = posix_fallocate(descriptor, 0, off_t(size)) == 0
            // Releases a partial allocation, which deletions would lack.
            if !isFilled { _ = ftruncate(descriptor, 0) }
            return isFilled
        }
    }

    /// Frees the space for the next write.
    func release() {
        isFilled.withLockedValue { isFilled in
            isFilled = false
            _ = ftruncate(descriptor, 0)
        }
    }

    /// Whether there is room for a large request in addition to the reserve.
    var hasRoom: Bool {
        guard let disk = Self.disk(of: directory) else { return true }
        return Int(clamping: disk.f_bavail) * Int(clamping: disk.f_frsize) >= size / 2
    }

    private static func disk(of path: String) -> statvfs? {
        var disk = statvfs()
        return statvfs(path, &disk) == 0 ? disk : nil
    }
}
