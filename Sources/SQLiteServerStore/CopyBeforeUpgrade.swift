internal import Foundation
internal import GRDB

extension SQLiteServerStore {
    /// Writes a copy of a database whose tables this version is about to change, next to it: `satchel.sqlite` becomes
    /// `satchel.sqlite.before-upgrade-9` if it has the tables of schema 9. With the copy, the former version of the server
    /// can be used again. A copy of the same schema that an earlier upgrade made is replaced.
    ///
    /// Blocking. The copy is complete and synced to the disk when this returns.
    ///
    /// - Returns: The copy; nil if nothing is to be changed, or the database is new.
    /// - Throws: `BackupError`, in particular if the disk has no room for the copy; SQLite's error.
    static func copyBeforeUpgrade(of database: any DatabaseReader, at place: URL) throws -> URL? {
        let migrator = ServerSchema.migrator(epoch: "")
        let (schema, isPending) = try database.read { db in
            let applied = try migrator.appliedIdentifiers(db)
            let isPending = try !migrator.hasCompletedMigrations(db) && !migrator.hasBeenSuperseded(db)
            return (applied.count, isPending)
        }
        guard schema > 0, isPending else { return nil }
        let copy = URL(filePath: "\(place.path)\(StoreFiles.beforeUpgrade)\(schema)")
        _ = try NewDatabaseFile.copy(of: database, to: copy, replacing: true)
        DirectoryOwner.give(copy)
        return copy
    }
}
