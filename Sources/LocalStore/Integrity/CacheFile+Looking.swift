internal import Foundation
internal import GRDB

extension CacheFile {
    /// Opens the file of a home for reading alone, as it is.
    static func look(at home: Home) throws -> Connection {
        var configuration = LocalStore.configuration
        configuration.readonly = true
        configuration.busyMode = .immediateError
        let queue = try DatabaseQueue(path: address(of: home.cache), configuration: configuration)
        if try queue.read(Schema.migrator.hasBeenSuperseded) { throw LocalStoreError.tooNew(path: home.cache.path) }
        guard try queue.read(Schema.migrator.hasCompletedMigrations) else {
            throw LocalStoreError.unusable(path: home.cache.path, reason: "its tables are those of an older version")
        }
        return Connection(queue: queue, refusal: .readOnly(path: home.cache.path, reason: "it was opened to be read"))
    }

    /// Without a log beside it the file is all there is; SQLite, which would make one to read it, is told so
    /// (sqlite.org/uri.html, `immutable`). Where another process writes at that very moment, what is read may be wrong: it
    /// is good for a look, not for more.
    private static func address(of file: URL) -> String {
        FileManager.default.fileExists(atPath: file.path + "-wal") ? file.path : file.absoluteString + "?immutable=1"
    }
}
