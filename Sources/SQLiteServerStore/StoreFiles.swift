internal import Foundation
internal import PrivateFiles

/// The names of the files in a data directory.
public struct StoreFiles: Sendable, Equatable {
    /// The database.
    public let database: String
    /// The file that the process which uses the directory locks.
    public let lock: String
    /// The file with the space that deletions may use when the disk is full.
    public let reserve: String
    /// Further files of the program.
    let others: [String]
    /// The file that commands of the owner lock together, and a restore alone.
    var commandLock: String { lock + ".commands" }

    /// The suffixes of the files that SQLite keeps next to a database.
    static let companions = ["-journal", "-wal", "-shm"]
    /// The suffix of a database that isn't complete yet.
    static let partial = ".partial"
    /// The suffix of the database that a restore has replaced; a time follows.
    static let beforeRestore = ".before-restore-"
    /// The suffix of the copy that was made before an upgrade; the number of its schema follows.
    static let beforeUpgrade = ".before-upgrade-"

    /// Creates the names for a program; all its versions must use the same ones.
    public init(
        database: String = "server.sqlite", lock: String = "server.lock", reserve: String = "server.reserve",
        others: [String] = []
    ) {
        (self.database, self.lock, self.reserve, self.others) = (database, lock, reserve, others)
    }

    /// Returns the database's place in a data directory.
    func database(in directory: URL) -> URL { directory.appending(path: database) }

    /// Gives what root has created to the owner of the directory: the database with SQLite's files next to it, and the
    /// reserve. The locks are given when they are taken.
    func giveToOwner(of directory: URL) {
        for name in [database, database + "-wal", database + "-shm", reserve] {
            DirectoryOwner.give(directory.appending(path: name))
        }
    }
}

// MARK: - Files that no backup may replace

extension StoreFiles {
    /// Refuses a path that leads to a file which a server keeps in a data directory: in `directory`, or in another
    /// folder that looks like a data directory. A server that has the database open would continue with a file that no
    /// name leads to, and everything that it acknowledges would be lost.
    ///
    /// - Throws: `BackupError.ownFile`.
    func refuseOwnFile(_ file: URL, of directory: URL) throws(BackupError) {
        let places = FilePlace.all(of: file.path).filter { isInDataDirectory($0) }
        for folder in [directory.path] + places.map(\.folder) {
            let files = OwnFiles(in: folder) { isOwn($0) }
            if files.contains(file.path) { throw .ownFile(file: file.path, directory: folder) }
        }
    }

    /// Whether a file of this name in a data directory is the program's.
    private func isOwn(_ name: String) -> Bool {
        if ([database, lock, commandLock, reserve] + others).contains(name) { return true }
        guard name.hasPrefix(database) else { return false }
        let suffix = name.dropFirst(database.count)
        return Self.companions.contains { suffix == $0 }
            || [Self.partial, Self.beforeRestore, Self.beforeUpgrade].contains { suffix.hasPrefix($0) }
    }

    /// Whether there is a lock, or another file of a server, next to a place. A database alone may be a backup, which
    /// the next one replaces.
    private func isInDataDirectory(_ place: FilePlace) -> Bool {
        let marks = [database, commandLock, reserve] + Self.companions.map { database + $0 }
        return ([lock] + marks.filter { $0 != place.name }).contains { name in
            FileSystem.exists(URL(filePath: place.folder).appending(path: name))
        }
    }
}
