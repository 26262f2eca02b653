internal import Foundation
internal import PrivateFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A lock that keeps other processes out of a directory. The system releases it when its holder ends (flock(2)).
///
/// There are two: a server holds `StoreFiles.lock` alone; commands of the owner share `StoreFiles.commandLock` with one
/// another, next to a server. A restore, which replaces the database, holds both alone.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Creates the directory with mode 0700 if necessary, and refuses one whose files other users could replace.
    ///
    /// - Parameters:
    ///   - name: The name of the locked file.
    ///   - isShared: Whether others may hold the lock in the same way at the same time.
    /// - Throws: `StoreOpeningError`; `conflict` if another process holds the lock.
    init(
        directory: URL, name: String, isShared: Bool = false, conflict: StoreOpeningError? = nil
    ) throws(StoreOpeningError) {
        try Self.make(directory)
        // The mode of the directory itself counts, not that of a symbolic link to it.
        try Self.check(directory.resolvingSymlinksInPath().path)
        let path = directory.appending(path: name).path
        // O_CLOEXEC: otherwise a program that the process starts would keep the lock.
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(directory: directory.path, reason: SystemError.last)
        }
        guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            close(descriptor)
            throw conflict ?? .inUse(directory: directory.path)
        }
        DirectoryOwner.give(URL(filePath: path))
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

    /// Returns the reason for refusing a directory; nil if it is used. Root may use any user's directory, for backups
    /// and restores, and any user root's.
    static func refusal(of directory: String, mode: Int, owner: UInt32, user: UInt32) -> StoreOpeningError? {
        if mode & 0o022 != 0 { return .exposed(directory: directory) }
        return owner == user || owner == 0 || user == 0 ? nil : .foreign(directory: directory)
    }

    /// Creates the directory and its missing parents, as the XDG Base Directory Specification requires.
    private static func make(_ directory: URL) throws(StoreOpeningError) {
        var path = ""
        for component in directory.standardizedFileURL.pathComponents {
            path += component == "/" ? component : component + "/"
            // Some systems report another error than EEXIST for an existing directory; only its existence matters.
            guard mkdir(path, 0o700) != 0, errno != EEXIST else { continue }
            let reason = SystemError.last
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
                throw .unwritable(directory: directory.path, reason: reason)
            }
        }
    }

    /// Releases the lock. A second call has no effect.
    func release() { flock(descriptor, LOCK_UN) }

    /// Unlocked before it is closed: a child process between fork and exec shares the lock, which would outlive the
    /// closing.
    deinit {
        release()
        close(descriptor)
    }
}

/// The user to whom a data directory belongs: the server's, while its owner may run commands as root.
enum DirectoryOwner {
    /// Gives a file that root has created to the owner of its directory, whose server could not open it otherwise.
    ///
    /// By its name: SQLite's locks of a file end when the process closes any other descriptor of it
    /// (sqlite.org/howtocorrupt.html, section 2.2).
    static func give(_ file: URL) {
        var (folder, status) = (stat(), stat())
        guard geteuid() == 0, stat(file.deletingLastPathComponent().path, &folder) == 0, folder.st_uid != 0,
            lstat(file.path, &status) == 0, status.st_uid == 0,
            // By a link, the owner of the directory could get another file of root's.
            status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1
        else { return }
        lchown(file.path, folder.st_uid, folder.st_gid)
    }
}

/// Space that is reserved on the database's disk by a separate file. When the disk is full, deletions may use it.
///
/// The file's blocks are allocated: it is not sparse. While it is incomplete, ordinary writes are refused, since they
/// would use the space that the next deletion needs.
///
/// A server and the commands of its owner share the file: each asks for its size before a commit, so that one notices that
/// another has used it.
final class DiskReserve: Sendable {
    /// Number of bytes that are reserved on a large disk. A transaction that deletes writes less, see
    /// `StoreWriting.clear`.
    private static let most = 16 << 20
    /// Number of bytes that are reserved on the smallest disk.
    private static let least = 1 << 20
    /// Fraction of a disk between these sizes that is reserved, as the divisor of its size.
    private static let part = 64

    /// The size of the reserve in bytes.
    let size: Int
    private let directory: String
    private let descriptor: Int32

    /// Allocates the file if there is room. Blocking.
    ///
    /// - Parameter name: The file's name.
    /// - Throws: `StoreOpeningError`.
    init(directory: URL, name: String) throws(StoreOpeningError) {
        self.directory = directory.path
        descriptor = open(
            directory.appending(path: name).path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(directory: directory.path, reason: SystemError.last)
        }
        let total = Self.disk(of: directory.path).map { Int(clamping: $0.f_blocks) * Int(clamping: $0.f_frsize) } ?? 0
        size = min(max(total / Self.part, Self.least), Self.most)
        // Without room, the store opens all the same: reading and deleting must work on a full disk.
        _ = fill()
    }

    deinit { close(descriptor) }

    /// Whether the reserve is complete.
    var isWhole: Bool {
        var file = stat()
        return fstat(descriptor, &file) == 0 && file.st_size >= off_t(size)
    }

    /// Allocates the reserve again if it was released.
    ///
    /// - Returns: Whether the reserve is complete now.
    func fill() -> Bool {
        if isWhole { return true }
        // Allocates blocks; `ftruncate` would make a sparse file, which reserves nothing.
        if posix_fallocate(descriptor, 0, off_t(size)) == 0 { return true }
        // Releases a partial allocation, whose space deletions would lack.
        _ = ftruncate(descriptor, 0)
        return false
    }

    /// Frees the space for the next write.
    func release() { _ = ftruncate(descriptor, 0) }

    /// Whether there is room for a large request in addition to the reserve.
    var hasRoom: Bool {
        // If the system can't report the free space, a write reports a full disk.
        guard let disk = Self.disk(of: directory) else { return true }
        return Int(clamping: disk.f_bavail) * Int(clamping: disk.f_frsize) >= size / 2
    }

    private static func disk(of path: String) -> statvfs? {
        var disk = statvfs()
        return statvfs(path, &disk) == 0 ? disk : nil
    }
}
