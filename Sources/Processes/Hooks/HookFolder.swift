import Foundation
import PrivateFiles

/// The folder of the user's programs that run at events: `on-add`, `after-edit-notify` and so on.
///
/// A program runs only if no user other than its owner and root can write it, as with ssh and cron: otherwise, another
/// user could run any program with the owner's rights.
public struct HookFolder: Sendable, Equatable {
    /// The folder's path.
    public let path: String

    /// Creates a folder, which needn't exist.
    public init(path: String) { self.path = path }

    /// The programs of one name.
    public struct Listing: Sendable, Equatable {
        /// The programs that can be run, in the order of their names.
        public internal(set) var programs: [String] = []
        /// The files that are refused.
        public internal(set) var refused: [Refusal] = []
    }

    /// A file that isn't run.
    public struct Refusal: Sendable, Equatable {
        /// Its path.
        public let path: String
        /// The reason and the remedy, as a clause.
        public let reason: String
    }

    /// Whether the folder exists.
    public var exists: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the programs with a name such as `on-add`, and with names that begin with `on-add-`. Other files are
    /// ignored.
    public func listing(of name: String) -> Listing {
        // A folder that can't be listed has no programs.
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .filter { $0 == name || $0.hasPrefix(name + "-") }.sorted()
        var listing = Listing()
        guard !names.isEmpty else { return listing }
        // In a folder that others can write, they could replace a program whatever its own mode.
        if let reason = Self.fault(at: path, isFolder: true) {
            listing.refused = [Refusal(path: path, reason: reason)]
            return listing
        }
        for name in names.map({ path + "/" + $0 }) {
            if let reason = Self.fault(at: name, isFolder: false) {
                listing.refused.append(Refusal(path: name, reason: reason))
            } else {
                listing.programs.append(name)
            }
        }
        return listing
    }

    /// Returns the executable files with names that begin as those of hooks do, `on-` or `after-`, but are no hook's: such
    /// as Taskwarrior's `on-modify`.
    ///
    /// - Parameter names: The names of all hooks, without suffixes.
    public func strangers(among names: [String]) -> [String] {
        // A folder that can't be listed has no programs.
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { file in
            // An editor's copy ends with `~`.
            (file.hasPrefix("on-") || file.hasPrefix("after-")) && !file.hasSuffix("~")
                && access(path + "/" + file, X_OK) == 0
                && !names.contains { file == $0 || file.hasPrefix($0 + "-") }
        }
        .sorted()
    }

    private static func fault(at path: String, isFolder: Bool) -> String? {
        var status = stat()
        // Follows a symbolic link, since the file that it names is run.
        guard stat(path, &status) == 0 else { return "can't be read: \(SystemError.last)" }
        let kind = status.st_mode & S_IFMT
        guard kind == (isFolder ? S_IFDIR : S_IFREG) else { return isFolder ? "is not a folder" : "is not a file" }
        if status.st_uid != getuid(), status.st_uid != 0 { return "belongs to another user (chown it)" }
        if status.st_mode & 0o022 != 0 { return "can be written by others (chmod go-w)" }
        if !isFolder, access(path, X_OK) != 0 { return "is not executable (chmod u+x)" }
        return nil
    }
}
