import Foundation
import Records
import ServerCore
import SyncAPI
import TestSupport
import Testing

@testable import PostgreSQLServerStore

/// Databases of former schemas, each as the SQL of a small database in `Schemas`, as for `SQLiteServerStore`.
///
/// A database of schema n has the tables of the first n migrations. The files are written once, by hand, and never changed,
/// so that a change of an old migration is noticed. A new migration gets a file of its own (`SchemaFileTests`).
@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct SchemaTests {
    private static let count = PostgreSQLSchema.migrations.count
    private static let clock = #"{"*":"000000000005-0000-d"}"#

    /// Runs `body` with a database of a former schema and, once it was opened, its store.
    private func withStore(
        of schema: Int, _ body: (TestDatabase, PostgreSQLServerStore) async throws -> Void
    ) async throws {
        let sql = try String(contentsOf: SchemaFileTests.file(schema), encoding: .utf8)
        try await TestDatabase.with { database in
            try await database.run(sql)
            let store = try await PostgreSQLServerStore.open(database.address, connections: 2)
            let result: Result<Void, any Error>
            do { result = .success(try await body(database, store)) } catch { result = .failure(error) }
            await store.shutDown()
            try result.get()
        }
    }

    @Test(arguments: 1...count)
    func aDatabaseOfAFormerSchemaHasTheTablesOfANewOne(schema: Int) async throws {
        let new = try await TestDatabase.with { database in
            try await PostgreSQLServerStore.open(database.address).shutDown()
            return try await database.run(Self.tables)
        }
        try await withStore(of: schema) { database, _ in
            let migrated = try await database.run(Self.tables)
            #expect(migrated == new)
            let migrations = try await database.run("SELECT name FROM migrations").flatMap { $0 }
            #expect(Set(migrations) == Set(PostgreSQLSchema.migrations.map(\.name)))
        }
    }

    @Test(arguments: 1...count)
    func aDatabaseOfAFormerSchemaIsOpenedWithAllThatItHas(schema: Int) async throws {
        try await withStore(of: schema) { _, store in
            let rows = try await store.read { try FormerRows($0) }
            let further = try await store.read { try FurtherRows($0) }
            #expect(rows.ada?.passwordHash == "hash" && rows.ada?.personalSpace == "space")
            #expect(rows.ada?.disabledAt == nil && further.ben?.disabledAt == 2)
            #expect(rows.session?.deviceName == "Ada's laptop" && rows.session?.appPassword == nil)
            #expect(further.report?.appPassword?.scope == .readOnly)
            #expect(rows.token?.session == "session" && rows.token?.isWithdrawn == false)
            #expect(further.epoch == "epoch" && further.shared == 1)
            #expect(
                rows.outcome?.results == [
                    .applied(version: 1, clock: Self.clock), .conflict, .rejected(problem: "{}"),
                ])
            #expect(rows.invites == ["the choir"] && rows.proof == [3])
            #expect(rows.resetHash == [4] && further.attempts == 5)
            let audits = try await store.write { try $0.removeOldestAudits(limit: 9) }
            #expect(audits == [StoredAudit(event: "restored", at: 1, fields: ["by": "owner"])])
        }
    }

    @Test(arguments: 1...count)
    func aDatabaseOfAFormerSchemaHasItsRecordsAndTheirEarlierStates(schema: Int) async throws {
        try await withStore(of: schema) { _, store in
            let content = try await store.read { try FormerSpace($0) }
            #expect(content.live == [#"{"title":"Bread"}"#, #"{"title":"Milk"}"#])
            #expect(content.earlier == [#"{"title":"Gone"}"#])
            let space = content.space
            #expect(space?.version == 3 && space?.records == 2 && space?.bytes == 134 && content.members == 1)
            var digest = SpaceDigest()
            digest.add(collection: "tasks", id: "milk", version: 1)
            digest.add(collection: "tasks", id: "bread", version: 3)
            #expect(space?.digest == digest)
            let faults = try await store.faults()
            #expect(faults == [])
        }
    }

    @Test(arguments: 1...count)
    func theDatabasesOfFormerSchemasHaveRowsInEachTable(schema: Int) async throws {
        try await withStore(of: schema) { _, store in
            let empty = try await store.read { tx in
                try StoreTable.all.filter { try tx.rows(of: $0, after: nil, limit: 1).isEmpty }.map(\.name)
            }
            #expect(empty == [])
        }
    }

    /// Returns a line for each column, index, constraint, trigger, function and option of a table.
    private static let tables = #"""
        SELECT line FROM (
          SELECT concat_ws(' ', 'column', table_name, column_name, data_type, collation_name, is_nullable, column_default,
            is_identity) AS line FROM information_schema.columns WHERE table_schema = 'public'
          UNION ALL SELECT concat_ws(' ', 'index', indexdef) FROM pg_indexes WHERE schemaname = 'public'
          UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
            FROM pg_constraint WHERE connamespace = 'public'::regnamespace
          UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
          UNION ALL SELECT concat_ws(' ', 'function', proname, regexp_replace(prosrc, '\s+', ' ', 'g'))
            FROM pg_proc WHERE pronamespace = 'public'::regnamespace
          UNION ALL SELECT concat_ws(' ', 'options', relname, array_to_string(reloptions, ' '))
            FROM pg_class WHERE reloptions IS NOT NULL AND relnamespace = 'public'::regnamespace
        ) AS lines ORDER BY line
        """#
}

/// What a database of a former schema has besides `FormerRows`, of its accounts and of the server.
private struct FurtherRows: Sendable {
    let ben: StoredAccount?
    /// The session of an app password.
    let report: StoredSession?
    /// The number of attempts.
    let attempts: Int64?
    let epoch: String
    /// The last version that is shared with the epoch `before`.
    let shared: Int64?

    init(_ tx: any StoreReading) throws {
        ben = try tx.account(username: "ben")
        report = try tx.session(id: "report")
        attempts = try tx.attempts(of: "attempt")?.count
        epoch = try tx.epoch()
        shared = try tx.shared(since: "before", in: "space")
    }
}

/// What a database of a former schema has of the space of `ada`.
private struct FormerSpace: Sendable {
    let space: SpaceRow?
    /// The number of spaces of which `ada` is a member.
    let members: Int
    /// The fields of the live tasks.
    let live: [String]
    /// The fields of the deleted task's earlier states.
    let earlier: [String]

    init(_ tx: any StoreReading) throws {
        space = try tx.space("space")
        members = try tx.memberships(of: "ada-id").count
        var live: [String] = []
        try tx.visitLive(collection: "tasks", in: "space", after: nil) { record in
            live.append(record.fields)
            return true
        }
        self.live = live
        var earlier: [String] = []
        try tx.visitRevisions(of: RecordKey(collection: "tasks", id: "gone"), in: "space", before: 2) { record in
            earlier.append(record.fields)
            return true
        }
        self.earlier = earlier
    }
}

/// The files, of which a missing one is noticed without PostgreSQL as well.
@Suite struct SchemaFileTests {
    fileprivate static func file(_ schema: Int) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Schemas/\(schema).sql")
    }

    @Test(arguments: 1...PostgreSQLSchema.migrations.count)
    func eachSchemaHasADatabaseAmongTheTests(schema: Int) throws {
        let file = Self.file(schema)
        try #require(
            FileManager.default.fileExists(atPath: file.path),
            "write it by hand: the file before it, with what the new migration changes, and its name")
        let sql = try String(contentsOf: file, encoding: .utf8)
        for (place, migration) in PostgreSQLSchema.migrations.enumerated() {
            let name = "'\(migration.name.replacing("'", with: "''"))'"
            #expect(sql.contains(name) == (place < schema), "\(migration.name)")
        }
    }
}
