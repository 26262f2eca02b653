internal import Foundation

extension Home {
    /// A file that others than its owner may read or write.
    public struct Exposed: Sendable, Equatable {
        /// Its path.
        public let path: String
        /// Its mode now, and the one that it should have.
        public let mode: Int, wanted: Int
    }

    /// The home and its files that other users may read or write, including files that were moved away.
    public func exposedFiles() -> [Exposed] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let files = names.sorted().map { directory.appending(path: $0).path }
        return ([directory.path] + files).compactMap { path in
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
            let (mode, isDirectory) = (Int(status.st_mode) & 0o777, status.st_mode & S_IFMT == S_IFDIR)
            guard mode & 0o077 != 0 else { return nil }
            return Exposed(path: path, mode: mode, wanted: isDirectory ? 0o700 : 0o600)
        }
    }

    /// Removes the permissions of other users.
    ///
    /// - Throws: `LocalStoreError.unusable`.
    public func protect(_ files: [Exposed]) throws(LocalStoreError) {
        for file in files where chmod(file.path, mode_t(file.wanted)) != 0 {
            throw .unusable(path: file.path, reason: String(cString: strerror(errno)))
        }
    }

    /// The damaged caches that were put aside, and copies made before a repair; the oldest first.
    public func filesPutAside() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let prefix = cache.lastPathComponent + ".damaged-"
        return names.filter { $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
            .map { directory.appending(path: $0).path }
    }
}
