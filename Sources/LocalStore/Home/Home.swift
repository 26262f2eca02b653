public import Foundation
package import PrivateFiles

/// The directory with all files of a client, such as the cache, the session and the locks. Mode 0700; its files 0600.
public struct Home: Sendable, Equatable {
    /// The directory itself.
    public let directory: URL

    /// The file name of the cache.
    private let cacheName: String

    /// The names that one program uses for its home.
    public struct Names: Sendable {
        /// The name of the directory in `XDG_DATA_HOME`.
        public let directory: String
        /// The environment variable that names another home.
        public let variable: String
        /// The file name of the cache.
        public let cache: String

        /// Creates the names of a program.
        public init(directory: String, variable: String, cache: String) {
            (self.directory, self.variable, self.cache) = (directory, variable, cache)
        }
    }

    /// Creates a reference to a home; `prepare` creates the directory.
    ///
    /// - Parameter cache: The file name of the cache.
    public init(directory: URL, cache: String = "cache.db") {
        self.directory = directory.standardizedFileURL
        cacheName = cache
    }

    /// Returns the home that a user means: `--home`, else the program's environment variable, else the program's
    /// directory in `XDG_DATA_HOME`, else in `~/.local/share` (XDG Base Directory Specification 0.8).
    public static func resolve(_ names: Names, option: String?, environment: [String: String]) -> Home {
        if let path = [option, environment[names.variable]].compactMap(\.self).first(where: { !$0.isEmpty }) {
            return Home(directory: URL(fileURLWithPath: path, isDirectory: true), cache: names.cache)
        }
        // The specification: a relative XDG path is invalid and ignored.
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let base = data ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
        return Home(
            directory: URL(fileURLWithPath: base + "/" + names.directory, isDirectory: true), cache: names.cache)
    }

    /// The cache: one SQLite file.
    public var cache: URL { directory.appending(path: cacheName) }
    /// The signed-in session.
    package var credentials: URL { place(.session) }
    /// The lines that were typed at the prompt.
    package var history: URL { place(.history) }
    /// The texts that are being edited in an editor, and edited texts that were not accepted.
    package var drafts: URL { place(.drafts) }
    /// The screens that were open at the prompt.
    package var promptMemory: URL { place(.promptMemory) }
    /// The address of the screen that was open on the page.
    package var pageMemory: URL { place(.pageMemory) }
    /// The files that open the browser.
    package var pageFiles: URL { place(.pageFiles) }
    /// The user's programs.
    package var hooks: URL { place(.hooks) }
    /// Held by the process that syncs.
    package var syncLock: FileLock { FileLock(path: place(.syncLock).path) }
    /// Held by the background process that sends the edits of single commands.
    package var backgroundLock: FileLock { FileLock(path: place(.backgroundLock).path) }
    /// Held by the process that refreshes the tokens.
    package var sessionLock: FileLock { FileLock(path: place(.sessionLock).path) }

    /// Shared by the processes that have the cache open; held exclusively by one that replaces the file.
    var cacheLock: FileLock { FileLock(path: place(.cacheLock).path) }

    /// The names of the files and folders in a home, except the cache.
    private enum Entry: String {
        case session = "session.json"
        case history
        case drafts
        case promptMemory = "prompt.json"
        case pageMemory = "page.txt"
        case pageFiles = "page"
        case hooks
        case syncLock = "sync.lock"
        case backgroundLock = "background.lock"
        case sessionLock = "session.lock"
        case cacheLock = "cache.lock"
    }

    private func place(_ entry: Entry) -> URL { directory.appending(path: entry.rawValue) }

    /// The files of the home, which no command replaces with a file that a person names.
    package var ownFiles: OwnFiles {
        OwnFiles(in: directory.path) { [cacheName] name in
            // With SQLite's files next to the cache, and the caches that were put aside or copied.
            name == cacheName || name.hasPrefix(cacheName + "-") || name.hasPrefix(cacheName + ".")
                || Entry(rawValue: name) != nil
        }
    }

    /// Creates the directory if it doesn't exist, and refuses one in which other users may write, since they could
    /// replace its files (as ssh(1) refuses such files).
    ///
    /// - Throws: `LocalStoreError.unusable`, `LocalStoreError.exposed`.
    package func prepare() throws(LocalStoreError) {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            if let file = fileInTheWay { throw .notADirectory(path: file) }
            if LocalStoreError.isDiskFull(directory.path) { throw .diskFull(path: directory.path) }
            throw .unusable(path: directory.path, reason: "the directory can't be made")
        }
        var status = stat()
        guard stat(directory.path, &status) == 0 else {
            throw .unusable(path: directory.path, reason: SystemError.last)
        }
        if status.st_mode & 0o022 != 0 { throw .exposed(path: directory.path, command: "chmod go-w") }
        // Root may use the home of another user.
        if status.st_uid != geteuid(), status.st_uid != 0, geteuid() != 0 {
            throw .unusable(path: directory.path, reason: "it belongs to another user")
        }
    }

    /// The file at the path of the home or of a directory above it; nil: there is none.
    private var fileInTheWay: String? {
        var place = directory
        while place.path != "/" {
            var status = stat()
            if stat(place.path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR ? nil : place.path }
            place.deleteLastPathComponent()
        }
        return nil
    }

    /// Removes other users' permissions on the session file.
    ///
    /// - Returns: A message to the user; nil if the permissions were already correct.
    func protectSession() -> String? {
        let file = PrivateFile(path: credentials.path)
        guard let permissions = file.permissionsOfOthers, permissions != 0 else { return nil }
        // If that fails, `FileCredentialStore.load` refuses the file and says what to do.
        do { try file.protect() } catch { return nil }
        return
            "Other users could read or write the session in \(credentials.path). Its mode is 600 now. If they may have read "
            + "it: `logout`, then `login`, makes its tokens invalid."
    }
}

extension Home {
    /// A file that users other than its owner may read or write.
    public struct ExposedFile: Sendable, Equatable {
        /// Its path.
        public let path: String
        /// Its mode now: the permission bits.
        public let mode: Int
        /// The mode that it should have.
        public let requiredMode: Int
    }

    /// Returns the home and its files that other users may read or write, including files that were put aside.
    public func exposedFiles() -> [ExposedFile] {
        // If the directory can't be listed, it is at least checked itself.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let files = names.sorted().map { directory.appending(path: $0).path }
        return ([directory.path] + files).compactMap { path in
            var status = stat()
            // The mode of a symbolic link has no meaning, and `protect` would change the mode of its target.
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
            let (mode, isDirectory) = (Int(status.st_mode) & 0o777, status.st_mode & S_IFMT == S_IFDIR)
            guard mode & 0o077 != 0 else { return nil }
            return ExposedFile(path: path, mode: mode, requiredMode: isDirectory ? 0o700 : 0o600)
        }
    }

    /// Removes the permissions of other users.
    ///
    /// - Throws: `LocalStoreError.unusable`.
    public func protect(_ files: [ExposedFile]) throws(LocalStoreError) {
        for file in files where chmod(file.path, mode_t(file.requiredMode)) != 0 {
            throw .unusable(path: file.path, reason: SystemError.last)
        }
    }

    /// Returns the damaged caches that were put aside and the copies that were made before a repair, oldest first.
    public func filesPutAside() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let prefix = cache.lastPathComponent + ".damaged-"
        // The names contain the time, so they sort by age.
        return names.filter { $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
            .map { directory.appending(path: $0).path }
    }
}

/// The path of an open file, which shows whether it still leads to that file. What is written to a file that was
/// unlinked is lost when the process ends.
struct OpenPath: Sendable {
    private let path: String
    private let identity: FileIdentity

    /// Identifies the file to which the path leads now.
    ///
    /// - Throws: `LocalStoreError.replaced` if there is none.
    init(_ path: String) throws(LocalStoreError) {
        guard let identity = FileIdentity(path) else { throw .replaced(path: path) }
        (self.path, self.identity) = (path, identity)
    }

    /// Checks that the path leads to the same file as before.
    ///
    /// - Throws: `LocalStoreError.replaced`.
    func check() throws(LocalStoreError) {
        guard FileIdentity(path) == identity else { throw .replaced(path: path) }
    }
}
