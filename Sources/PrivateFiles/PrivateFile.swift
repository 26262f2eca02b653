import Foundation

/// A file that only its owner may read and write (mode 0600).
///
/// It is written completely or not at all, and never through a symbolic link, with which another user could choose the
/// file that is overwritten. All calls block until the disk has answered.
public struct PrivateFile: Sendable, Equatable {
    /// The file's path.
    public let path: String

    /// Creates a file value for a path, which needn't exist.
    public init(path: String) { self.path = path }

    /// Replaces the file with these bytes: they are written to another file, synced to the disk and renamed. If the
    /// path is a symbolic link, the link is replaced and its target is unchanged.
    ///
    /// - Parameter draft: The path of the file until it is renamed. It must be on the same file system, and callers
    ///   that use it must exclude each other: a file that a crash has left there is removed. nil: a unique name.
    /// - Throws: `FileFailure`; the old file is unchanged then.
    public func replace(with bytes: some Sequence<UInt8>, draft: String? = nil) throws(FileFailure) {
        let temporary = draft ?? "\(path).\(UUID().uuidString.prefix(8)).part"
        if draft != nil, unlink(temporary) != 0, errno != ENOENT { throw failure() }
        // O_EXCL also fails for a link that another user has created in between.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        do throws(FileFailure) {
            defer { close(descriptor) }
            try Self.write(bytes, to: descriptor, path)
            // Synced before the rename: otherwise a power failure could leave the new name with an empty file.
            guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure() }
        } catch {
            unlink(temporary)
            throw error
        }
        syncFolder()
    }

    /// Opens the file for reading and appending, creates it if needed, and removes the permissions of other users.
    ///
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: `FileFailure`, also if the path is a symbolic link.
    public func openForAppending() throws(FileFailure) -> Int32 {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        // The file may have been created with other permissions.
        fchmod(descriptor, 0o600)
        return descriptor
    }

    /// Writes all bytes to a descriptor, in as many calls as necessary.
    ///
    /// - Parameter path: The file that an error names.
    public static func write(
        _ bytes: some Sequence<UInt8>, to descriptor: Int32, _ path: String
    ) throws(FileFailure) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFailure(path: path, code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The permissions of users other than the owner: the last six bits of the mode; nil if the file doesn't exist.
    public var permissionsOfOthers: Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_mode) & 0o077 : nil
    }

    /// Removes all permissions of other users.
    ///
    /// - Throws: `FileFailure`, also if the path is a symbolic link.
    public func protect() throws(FileFailure) {
        // chmod(2) would follow a symbolic link.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw failure() }
    }

    /// Makes the new name durable. Errors are ignored: some file systems can't sync a folder, and the file itself is
    /// written.
    private func syncFolder() {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func failure() -> FileFailure { FileFailure(path: path, code: errno) }
}

/// A folder that only its owner may use (mode 0700).
public struct PrivateFolder: Sendable, Equatable {
    /// The folder's path.
    public let path: String

    /// Creates a folder value for a path, which needn't exist.
    public init(path: String) { self.path = path }

    /// Creates the folder if it doesn't exist, and removes all permissions of other users.
    ///
    /// - Throws: `FileFailure`, also if the path is another kind of file, a symbolic link, or another user's folder.
    public func prepare() throws(FileFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileFailure(path: path, code: errno) }
        var status = stat()
        // Not stat(2): a symbolic link could name any folder.
        guard lstat(path, &status) == 0 else { throw FileFailure(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw FileFailure(path: path, code: ENOTDIR) }
        guard status.st_uid == geteuid(), chmod(path, 0o700) == 0 else {
            throw FileFailure(path: path, code: EPERM)
        }
    }

    /// Removes the files that were written longer ago than `age`. Files that can't be listed or read remain.
    public func removeFiles(olderThan age: Duration) {
        // If the folder can't be listed, its files remain.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            let file = URL(fileURLWithPath: path).appending(path: name).path
            var status = stat()
            guard lstat(file, &status) == 0, time(nil) - status.st_mtim.tv_sec > age.components.seconds else {
                continue
            }
            unlink(file)
        }
    }
}

/// The error of opening, writing or replacing a file.
public struct FileFailure: Error, Sendable, Equatable {
    /// The file.
    public let path: String
    /// The error code (errno(3)).
    public let code: Int32

    /// Creates the error of a system call.
    public init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    /// The reason as a clause.
    // The text of the system for ELOOP is about too many links.
    public var reason: String {
        code == ELOOP ? "it is a symbolic link, which isn't followed" : SystemError.text(code)
    }
}

/// The system's texts for error codes (errno(3)).
package enum SystemError {
    /// The text for the error of the last system call, which `errno` has. Any other call may change it.
    package static var last: String { text(errno) }

    /// Returns the text for an error code.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
