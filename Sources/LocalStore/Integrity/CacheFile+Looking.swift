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

    /// Without a log next to it, the file is complete, and SQLite, which would create a log to read it, is opened with
    /// `immutable` (sqlite.org/uri.html). If another process writes at that moment, the result may be wrong: it is
    /// only good for a quick look.
    private static func address(of file: URL) -> String {
        FileManager.default.fileExists(atPath: file.path + "-wal") ? file.path : file.absoluteString + "?immutable=1"
    }
}
