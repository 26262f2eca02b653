import Controllers
import LocalStore
import Notebook
import Records
import SyncEngine
import TestSupport
import Testing

extension RecordType {
    /// A developer's own type.
    fileprivate static let book = RecordType(
        collection: "books", names: ["book", "books"],
        fields: [Field(.title, kind: .title, place: .form), Field(FieldKey<String>("shelf"))])
}

@MainActor
@Suite("The public API for controllers of other programs, with a record type of their own", .timeLimit(.minutes(5)))
struct OwnTypesTests {
    private let server: InProcessServer

    init() throws { server = try InProcessServer() }

    private func device() async throws -> Services {
        try await Services.testing(on: server, types: .standard.adding(.book))
    }

    private func status(of key: RecordKey, in services: Services) async throws -> RecordSyncStatus? {
        try await services.notebook.read { records in
            let conflicts = try records.openConflictCount(of: key)
            return try records.localRecord(key).map {
                RecordSyncStatus($0, conflicts: conflicts, why: UnsentReason(UnsentFacts()))
            }
        }
    }

    @Test("The status of a record says whether and why it is unsent")
    func status() async throws {
        let services = try await device()
        let key = try await services.notebook.add(["Dune"], to: .book).key
        let unsent = try #require(try await status(of: key, in: services))
        #expect(unsent.why == .soon)
        #expect(unsent.version == nil)
        _ = try await services.engine.sync()
        let synced = try #require(try await status(of: key, in: services))
        #expect(synced.why == nil)
        #expect(synced.version != nil)
    }

    @Test("The report of a sync says what it did, and includes messages that were not shown before, once")
    func report() async throws {
        let services = try await device()
        _ = try await services.notebook.add(["Dune"], to: .book)
        let result = try await services.engine.sync()
        try await services.store.write { cache in
            var news = SyncStatus.News()
            news.revived = 1
            try SyncStatus.update(in: cache) { $0.news = news }
        }
        let report = try await services.sync.report(on: result)
        #expect(report.isComplete)
        #expect(report.message.hasPrefix("Synced: sent 1"))
        #expect(report.message.hasSuffix("Restored 1 record that you deleted: another device edited it."))
        let later = try await services.sync.report(on: SyncResult())
        #expect(later.message == "Everything is in sync.")
    }

    @Test("A sync is reported as incomplete while a record is refused")
    func incomplete() async throws {
        let services = try await device()
        let key = try await services.notebook.add(["Dune"], to: .book).key
        try await services.store.write {
            try $0.outbox.refuse(key, Rejection(code: "refused", reason: "Too many books."))
        }
        let report = try await services.sync.report(on: SyncResult())
        #expect(!report.isComplete)
        #expect(report.message == "Everything else is in sync. The server refused 1 record: see `status`.")
    }

    @Test("A record that the cache lacks is found by digest and comparison, and the next sync receives it")
    func checks() async throws {
        let services = try await device()
        let key = try await services.notebook.add(["Dune"], to: .book).key
        _ = try await services.engine.sync()
        #expect(try await services.store.faults() == [])
        #expect(try await services.engine.checkDigest().agreement == .equal)
        #expect(try await services.engine.compare()?.differences == [])

        try await services.store.write { try $0.store(nil, for: key) }
        #expect(try await services.engine.checkDigest().agreement == .different)
        #expect(try await services.engine.compare()?.differences == [.init(key, .missingHere)])
        #expect(try await services.engine.requestFullRead())
        _ = try await services.engine.sync()
        #expect(try await services.notebook.list(["book"]).rows.map(\.record.key) == [key])
    }

    @Test("The device id is the one in the list of conflicts")
    func deviceID() async throws {
        let services = try await device()
        let id = try await services.account.deviceID()
        #expect(try await services.notebook.conflicts().device == id)
    }
}
