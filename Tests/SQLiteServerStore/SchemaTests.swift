import Foundation
import GRDB
import Records
import ServerCore
import SyncAPI
import TestSupport
import Testing

@testable import SQLiteServerStore

/// Databases of all schemas that servers have had, each as the SQL of a small database in `Schemas`.
///
/// A database of schema n has the tables of the first n migrations. The files are written once and never changed, so
/// that a change of an old migration is noticed. After a migration was added, its file is written by
///
///     SATCHEL_WRITE_SCHEMAS=1 swift test --filter SchemaTests
@Suite struct SchemaTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Schemas")
    private static let count = ServerSchema.migrator(epoch: "").migrations.count

    private static func file(_ schema: Int) -> URL { folder.appending(path: "\(schema).sql") }

    @Test func `each schema has a database among the tests`() async throws {
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
    func `a database of a former schema is opened with all that it has`(schema: Int) async throws {
        try await withTemporaryDirectory { directory in
            try await Self.load(schema, into: StoreFiles().database(in: directory))
            let store = try SQLiteServerStore(directory: directory)
            let rows = try await store.read { try FormerRows($0) }
            #expect(rows.ada?.passwordHash == "hash" && rows.ada?.personalSpace == "space")
            #expect(rows.session?.deviceName == "Ada's laptop")
            #expect(rows.token?.session == "session" && rows.token?.isWithdrawn == false)
            #expect(rows.outcome?.results == [.applied(version: 1, clock: Self.clock)])
            let (titles, space) = try await store.read { tx in
                var titles: [String] = []
                try tx.visitLive(collection: "tasks", in: "space", after: nil) { record in
                    titles.append(record.fields)
                    return true
                }
                return (titles, try tx.space("space"))
            }
            #expect(titles == [#"{"title":"Bread"}"#, #"{"title":"Milk"}"#])
            #expect(space?.version == 3 && space?.records == 2)
            #expect(space?.digest == Self.digest)
            #expect(rows.invites == (schema >= 10 ? ["the choir"] : []))
            #expect(rows.proof == (schema >= 11 ? [3] : nil))
            #expect(rows.resetHash == (schema >= 12 ? [4] : nil))
            #expect(try Self.tables(store.database) == Self.newTables)
            #expect(try store.pragma("integrity_check") == "ok")
            try store.close()
        }
    }

    @Test(arguments: 13...count)
    func `app passwords, disabled accounts, attempts and the owner's events stay`(schema: Int) async throws {
        try await withTemporaryDirectory { directory in
            try await Self.load(schema, into: StoreFiles().database(in: directory))
            let store = try SQLiteServerStore(directory: directory)
            let later = try await store.read { try LaterRows($0) }
            #expect(
                later.script?.appPassword
                    == StoredSession.AppPassword(scope: .readOnly, expiresAt: 4_102_444_800_000))
            #expect(later.token?.session == "script")
            #expect(later.ben?.disabledAt == 5 && later.ben?.quota.records == 10)
            #expect(later.attempts?.importance == .delayedAddress)
            let events = try await store.write { tx in try tx.removeOldestAudits(limit: 10) }
            let event = StoredAudit(event: "user-disabled", at: 5, fields: ["by": "root", "user": "ben"])
            #expect(events == (schema >= 14 ? [event] : []))
            try store.close()
        }
    }

    @Test(arguments: 1..<count)
    func `a copy is kept before the tables are changed, and can be restored`(schema: Int) async throws {
        try await withTemporaryDirectory { directory in
            let place = StoreFiles().database(in: directory)
            try await Self.load(schema, into: place)
            let store = try SQLiteServerStore(directory: directory)
            let copy = URL(filePath: "\(place.path).before-upgrade-\(schema)")
            #expect(store.copyBeforeUpgrade == copy)
            try store.close()
            let attributes = try FileManager.default.attributesOfItem(atPath: copy.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try Self.schema(of: copy) == schema)
            let report = try SQLiteServerStore.restore(copy, to: directory, now: 1_795_262_400_000)
            #expect(report.restored.records == 2)
            // The app password is one.
            #expect(report.access.signedInDevices == (schema >= 13 ? 2 : 1))
        }
    }

    @Test func `without a change of the tables no copy is made`() async throws {
        try await withTemporaryDirectory { directory in
            for _ in 1...2 {
                let store = try SQLiteServerStore(directory: directory)
                #expect(store.copyBeforeUpgrade == nil)
                try store.close()
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(!names.contains { $0.contains("before-upgrade") })
        }
    }

    // MARK: The databases

    private static let clock = #"{"*":"000000000005-0000-d"}"#

    private static var digest: SpaceDigest {
        var digest = SpaceDigest()
        digest.add(collection: "tasks", id: "milk", version: 1)
        digest.add(collection: "tasks", id: "bread", version: 3)
        return digest
    }

    /// The rows that the databases have, by the schema with which they were stored.
    private static let rows: [Int: String] = [
        1: """
        INSERT INTO accounts (id, username, password_hash, personal_space, created_at)
          VALUES ('ada-id', 'ada', 'hash', 'space', 1);
        INSERT INTO sessions (id, account, device, device_name, created_at, last_seen_at, generation, generation_used)
          VALUES ('session', 'ada-id', 'laptop', 'Ada''s laptop', 1, 2, 0, 1);
        INSERT INTO tokens (hash, session, kind, generation, expires_at)
          VALUES (x'\(String(repeating: "AB", count: 32))', 'session', 'access', 0, 4102444800000);
        INSERT INTO spaces (number, id, version, tombstone_floor, digest, records, bytes)
          VALUES (1, 'space', 3, 0, '\(digest.description)', 2, 34);
        INSERT INTO members (account, space, role) VALUES ('ada-id', 1, 'owner');
        INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, clock, fields) VALUES
          (1, 'tasks', 'milk', 1, 0, '2025-11-21T05:22:00.123Z', 'laptop', '\(clock)', '{"title":"Milk"}'),
          (1, 'tasks', 'gone', 2, 1, '2025-11-21T05:22:01.123Z', 'laptop', '\(clock)', '{}'),
          (1, 'tasks', 'bread', 3, 0, '2025-11-21T05:22:02.123Z', 'laptop', '\(clock)', '{"title":"Bread"}');
        INSERT INTO outcomes (account, device, key, request_hash, results, first_version, last_version) VALUES
          ('ada-id', 'laptop', 'key', x'01',
           '{"clock":\(clock),"modifiedAt":"2025-11-21T05:22:00.123Z","status":"applied","version":1}', 1, 1);
        """,
        2: """
        INSERT INTO restores (epoch, restored_at) VALUES ('before', 1);
        INSERT INTO marks (space, restore, version) VALUES (1, 1, 1);
        """,
        3: """
        INSERT INTO revisions (space, collection, id, version, deleted, modified_at, modified_by, clock, fields)
          VALUES (1, 'tasks', 'gone', 1, 0, '2025-11-21T05:22:00.123Z', 'laptop', '{}', '{"title":"Gone"}');
        """,
        10: """
        INSERT INTO invites (id, code_hash, note, uses, used, created_at, expires_at)
          VALUES ('invite', x'02', 'the choir', 3, 1, 1, 4102444800000);
        """,
        11: """
        INSERT INTO attempts (name, count, last_at, blocked_until) VALUES ('attempt', 5, 1, 2);
        INSERT INTO device_proofs (account, device, hash, made_at) VALUES ('ada-id', 'laptop', x'03', 1);
        """,
        12: """
        INSERT INTO resets (account, code_hash, expires_at) VALUES ('ada-id', x'04', 4102444800000);
        """,
        13: """
        INSERT INTO spaces (number, id, version, tombstone_floor, digest, records, bytes)
          VALUES (2, 'space-of-ben', 0, 0, '\(SpaceDigest().description)', 0, 0);
        INSERT INTO accounts (id, username, password_hash, personal_space, created_at, disabled_at, quota_records)
          VALUES ('ben-id', 'ben', 'hash', 'space-of-ben', 1, 5, 10);
        INSERT INTO members (account, space, role) VALUES ('ben-id', 2, 'owner');
        INSERT INTO sessions (id, account, device, device_name, created_at, last_seen_at, generation,
            generation_used, scope, expires_at)
          VALUES ('script', 'ada-id', 'script-id', 'a script', 1, 2, 0, 1, 'read-only', 4102444800000);
        INSERT INTO tokens (hash, session, kind, generation, expires_at)
          VALUES (x'\(String(repeating: "CD", count: 32))', 'script', 'access', 0, 4102444800000);
        INSERT INTO attempts (name, count, last_at, blocked_until, importance) VALUES ('delayed', 21, 1, 2, 1);
        """,
        14: """
        INSERT INTO audits (at, event, fields) VALUES (5, 'user-disabled', '{"by":"root","user":"ben"}');
        """,
    ]

    private static func write(_ schema: Int) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let database = try DatabaseQueue(path: file.path)
        let migrator = ServerSchema.migrator(epoch: "epoch")
        for step in 1...schema {
            try migrator.migrate(database, upTo: migrator.migrations[step - 1])
            if let sql = rows[step] { try await database.write { db in try db.execute(sql: sql) } }
        }
        try database.close()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await SQLiteShell.dump(file).write(to: Self.file(schema))
    }

    private static func load(_ schema: Int, into place: URL) async throws {
        try await SQLiteShell.load(file(schema), into: place)
    }

    private static func schema(of file: URL) throws -> Int {
        let database = try DatabaseQueue(path: file.path)
        defer { try? database.close() }
        return try database.read(ServerSchema.migrator(epoch: "").appliedIdentifiers).count
    }

    private static var newTables: [String] {
        get throws {
            let database = try DatabaseQueue()
            try ServerSchema.migrator(epoch: "").migrate(database)
            return try tables(database)
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

/// The rows of columns that schema 13 has added.
private struct LaterRows: Sendable {
    /// The session of an app password, and its token.
    let script: StoredSession?
    let token: StoredToken?
    let ben: StoredAccount?
    let attempts: StoredAttempts?

    init(_ tx: any StoreReading) throws {
        script = try tx.session(id: "script")
        token = try tx.token(hash: Array(repeating: 0xCD, count: 32))
        ben = try tx.account(username: "ben")
        attempts = try tx.attempts(of: "delayed")
    }
}
