import Foundation
import GRDB
import Records
import SyncAPI
import TestSupport
import Testing

@testable import LocalStore

/// Caches of all schemas that clients have had, each as the SQL of a small cache in `Schemas`.
///
/// A cache of schema n has the tables of the first n migrations. The files are written once and never changed, so that a
/// change of an old migration is noticed. After a migration was added, its file is written by
///
///     SATCHEL_WRITE_SCHEMAS=1 swift test --filter SchemaTests
@Suite struct SchemaTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Schemas")
    private static let count = Schema.migrator.migrations.count

    private static func file(_ schema: Int) -> URL { folder.appending(path: "\(schema).sql") }

    private let temporary = TemporaryHome()
    private var home: Home { temporary.home }

    @Test func `each schema has a cache among the tests`() async throws {
        if ProcessInfo.processInfo.environment["SATCHEL_WRITE_SCHEMAS"] != nil {
            for schema in 1...Self.count where !FileManager.default.fileExists(atPath: Self.file(schema).path) {
                try await Self.write(schema)
            }
        }
        for schema in 1...Self.count {
            #expect(
                FileManager.default.fileExists(atPath: Self.file(schema).path),
                "write it by SATCHEL_WRITE_SCHEMAS=1 swift test --filter SchemaTests")
        }
    }

    @Test(arguments: 1...count)
    func `a cache of a former schema is opened with its unsent edits, of which a copy is kept`(schema: Int) async throws
    {
        try home.prepare()
        try await SQLiteShell.load(Self.file(schema), into: home.cache)
        let store = try await LocalStore.open(home)
        let rows = try await store.queue.read { db in
            try String.fetchAll(
                db,
                sql:
                    "SELECT id || ' ' || fields || ' ' || coalesce(edits, 0) FROM records LEFT JOIN outbox ON record = number ORDER BY number"
            )
        }
        #expect(rows == [#"milk {"title":"Milk"} 1"#, #"bread {"title":"Bread"} 0"#])
        #expect(try Self.tables(store.queue) == Self.newTables)
        let copy = URL(filePath: "\(home.cache.path).before-upgrade-\(schema)")
        #expect(FileManager.default.fileExists(atPath: copy.path) == (schema < Self.count))
        guard schema < Self.count else { return }
        #expect(try temporary.mode(copy.lastPathComponent) == 0o600)
        let former = try Self.content(copy)
        #expect(former.schema == schema)
        #expect(former.unsent == 1)
    }

    @Test func `without unsent edits no copy is made`() async throws {
        try home.prepare()
        try await SQLiteShell.load(Self.file(1), into: home.cache)
        let queue = try DatabaseQueue(path: home.cache.path)
        try await queue.write { db in try db.execute(sql: "DELETE FROM outbox") }
        try queue.close()
        _ = try await LocalStore.open(home)
        let names = try FileManager.default.contentsOfDirectory(atPath: home.directory.path)
        #expect(!names.contains { $0.contains("before-upgrade") })
    }

    // MARK: The caches

    /// The rows of the caches, stored with schema 1: one record with an unsent edit, and one that the server has.
    private static var rows: String {
        var digest = SpaceDigest()
        digest.add(collection: "tasks", id: "bread", version: 3)
        let clock = #"{"*":"000000000005-0000-here"}"#
        return """
            UPDATE spaces SET digest = '\(digest.description)';
            INSERT INTO records
              (number, space, collection, id, version, deleted, modified_at, modified_by, fields, clock) VALUES
              (1, 1, 'tasks', 'milk', 0, 0, '2025-11-21T05:22:00.123Z', 'here', '{"title":"Milk"}', '\(clock)'),
              (2, 1, 'tasks', 'bread', 3, 0, '2025-11-21T05:22:00.123Z', 'there', '{"title":"Bread"}', '\(clock)');
            INSERT INTO outbox (record, at, edits) VALUES (1, '000000000005-0000-here', 1);
            """
    }

    private static func write(_ schema: Int) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let queue = try DatabaseQueue(path: file.path)
        let migrator = Schema.migrator
        try migrator.migrate(queue, upTo: migrator.migrations[0])
        try await queue.write { db in try db.execute(sql: rows) }
        try migrator.migrate(queue, upTo: migrator.migrations[schema - 1])
        try queue.close()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await SQLiteShell.dump(file).write(to: Self.file(schema))
    }

    /// The schema of a cache, and the number of its unsent edits.
    private static func content(_ file: URL) throws -> (schema: Int, unsent: Int?) {
        let queue = try DatabaseQueue(path: file.path)
        defer { try? queue.close() }
        return try queue.read { db in
            (
                try Schema.migrator.appliedIdentifiers(db).count,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM outbox")
            )
        }
    }

    private static var newTables: [String] {
        get throws {
            let queue = try DatabaseQueue()
            try Schema.migrator.migrate(queue)
            return try tables(queue)
        }
    }

    /// The SQL of all tables, indexes and triggers.
    private static func tables(_ database: any DatabaseReader) throws -> [String] {
        try database.read { db in
            try String.fetchAll(
                db, sql: "SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1")
        }
    }
}
