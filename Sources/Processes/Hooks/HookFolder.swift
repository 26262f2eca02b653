import Foundation

/// The folder with the programs that a person wants run after events: `on-add`, `on-edit-notify`, ….
///
/// A program is run only if no user other than its owner (or root) can have written it, as with ssh and cron:
/// otherwise another user could run anything in the owner's name.
public struct HookFolder: Sendable, Equatable {
    /// The folder's path.
    public let path: String

    /// Names a folder, which needn't be there.
    public init(path: String) { self.path = path }

    /// What the folder has for an event.
    public struct Listing: Sendable, Equatable {
        /// The programs that can be run, by their names' order.
        public internal(set) var programs: [String] = []
        /// Those that can't, and why.
        public internal(set) var refused: [Refusal] = []
    }

    /// A file that isn't run.
    public struct Refusal: Sendable, Equatable {
        /// Its path.
        public let path: String
        /// Why, and what to do, as a clause.
        public let reason: String
    }

    /// Whether the folder is there.
    public var exists: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The programs of an event: `on-EVENT`, and names that begin with `on-EVENT-`. Nothing else is looked at.
    public func listing(of event: String) -> Listing {
        let prefix = "on-" + event
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .filter { $0 == prefix || $0.hasPrefix(prefix + "-") }.sorted()
        var listing = Listing()
        guard !names.isEmpty else { return listing }
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

    private static func fault(at path: String, isFolder: Bool) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return "can't be read: \(String(cString: strerror(errno)))" }
        let kind = status.st_mode & S_IFMT
        guard kind == (isFolder ? S_IFDIR : S_IFREG) else { return isFolder ? "is not a folder" : "is not a file" }
        if status.st_uid != getuid(), status.st_uid != 0 { return "belongs to another user (chown it)" }
        if status.st_mode & 0o022 != 0 { return "can be written by others (chmod go-w)" }
        if !isFolder, access(path, X_OK) != 0 { return "is not executable (chmod u+x)" }
        return nil
    }
}
