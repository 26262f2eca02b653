internal import Foundation

/// The names of the files in a data directory.
public struct StoreFiles: Sendable, Equatable {
    /// The database.
    public let database: String
    /// The file that the process which uses the directory locks.
    public let lock: String
    /// The file with the space that deletions may use when the disk is full.
    public let reserve: String
    /// The file that commands of the owner lock together, and a restore alone.
    var commandLock: String { lock + ".commands" }

    /// Creates the names for a program; all its versions must use the same ones.
    public init(database: String = "server.sqlite", lock: String = "server.lock", reserve: String = "server.reserve") {
        (self.database, self.lock, self.reserve) = (database, lock, reserve)
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
