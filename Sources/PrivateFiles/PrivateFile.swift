import Foundation

/// A file that only its owner may read and write (mode 0600).
///
/// It is written whole or not at all, and never through a symbolic link, which another user could create to choose the
/// file that is overwritten. All calls block until the disk has answered.
public struct PrivateFile: Sendable, Equatable {
    /// The file's path.
    public let path: String

    /// Names a file, which needn't exist.
    public init(path: String) { self.path = path }

    /// Replaces the file with one that contains these bytes: written under another name, synced to the disk and
    /// renamed. If the path is a symbolic link, the link is replaced and its target is unchanged.
    ///
    /// - Parameter draft: The path of the file until it is renamed. It must be of the same file system, and the callers that
    ///   use it must exclude each other: a file that a crash has left there is removed. nil: a unique name.
    /// - Throws: `FileFailure`, with the former file in its place.
    public func replace(with bytes: some Sequence<UInt8>, draft: String? = nil) throws(FileFailure) {
        let temporary = draft ?? "\(path).\(UUID().uuidString.prefix(8)).part"
        if draft != nil, unlink(temporary) != 0, errno != ENOENT { throw failure() }
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        do throws(FileFailure) {
            defer { close(descriptor) }
            try Self.write(bytes, to: descriptor, path)
            guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure() }
        } catch {
            unlink(temporary)
            throw error
        }
        syncFolder()
    }

    /// Opens the file for reading and appending, creates it if needed, and removes other users' permissions.
    ///
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: `FileFailure`, also where the name is that of a symbolic link.
    public func openForAppending() throws(FileFailure) -> Int32 {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        // The file may have been created with other permissions.
        fchmod(descriptor, 0o600)
        return descriptor
    }

    /// Writes all bytes to a descriptor, in as many calls as needed.
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
    /// - Throws: `FileFailure`, also where the name is that of a symbolic link.
    public func protect() throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw failure() }
    }

    /// Makes the new name durable. Errors are ignored: on a file system that can't sync a folder the file is still
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

    /// Names a folder, which needn't exist.
    public init(path: String) { self.path = path }

    /// Creates the folder if it doesn't exist, and removes all permissions of other users.
    ///
    /// - Throws: `FileFailure`, also where the name is that of something else, of a symbolic link, or of another user's folder.
    public func prepare() throws(FileFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileFailure(path: path, code: errno) }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw FileFailure(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw FileFailure(path: path, code: ENOTDIR) }
        guard status.st_uid == geteuid(), chmod(path, 0o700) == 0 else {
            throw FileFailure(path: path, code: EPERM)
        }
    }

    /// Removes the files that were written longer ago than `age`. Files that can't be listed or read stay.
    public func removeFiles(olderThan age: Duration) {
        // A folder that can't be listed keeps its files.
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

/// Why a file couldn't be opened, written or replaced.
public struct FileFailure: Error, Sendable, Equatable {
    /// The file.
    public let path: String
    /// The error's number (errno(3)).
    public let code: Int32

    /// An error of a system call.
    public init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    /// The reason as a clause.
    public var reason: String {
        code == ELOOP ? "it is a symbolic link, which isn't followed" : String(cString: strerror(code))
    }
}
