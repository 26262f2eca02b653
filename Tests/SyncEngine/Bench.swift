import Backend
import Foundation
import LocalStore
import PrivateFiles
import Records
import struct Records.Record
import SyncAPI
@testable import SyncEngine
import Testing
import TestSupport

/// A cache and an engine, with a scripted server.
final class Bench: Sendable {
    let store: LocalStore
    let transport = MockTransport()
    let engine: SyncEngine

    static let pull = AuthenticatedRoute.pullChanges(space: "space")
    static let push = AuthenticatedRoute.pushChanges(space: "space")

    /// - Parameter store: nil for one in memory, signed in, that has seen an empty space up to cursor `c0`.
    init(
        _ store: LocalStore? = nil, gate: SyncGate = .open, clock: SyncClock = .system,
        largestRecord: Int = Limits.largestReceivedRecord, collections: CollectionSet = .all
    ) throws {
        self.store = try store ?? .seen()
        let credentials = Credentials(
            identity: SessionIdentity(
                server: try ServerAddress("https://example.org"),
                account: Account(id: "a", username: "anna", personalSpace: "space"),
                device: SessionGrant.Device(id: "here", name: "here")),
            state: .active(tokens: Tokens(access: "t", accessExpiresAt: nil, refresh: "r")))
        engine = SyncEngine(
            store: self.store,
            backend: BackendClient(transport: transport, credentials: InMemoryCredentialStore(credentials)), gate: gate,
            collections: collections, clock: clock, largestRecord: largestRecord,
            executor: BlockingExecutor(label: "test"))
    }

    /// Edits a record as the user does.
    func edit(_ patch: JSONObject, of key: RecordKey = key) throws {
        try store.writeNow { _ = try $0.edit(key, patch) }
    }

    func cached(_ key: RecordKey = key) throws -> CachedRecord? { try store.readNow { try $0.cached(key) } }

    func sync(sourceLocation: SourceLocation = #_sourceLocation) async throws -> SyncResult {
        let report = try await engine.sync()
        transport.verify(sourceLocation: sourceLocation)
        return report
    }

    /// Expects the request with the former cursor that follows the first page of a full read.
    ///
    /// - Parameter shared: The last version before the restore that the answer reports; nil: the cursor is valid.
    func expectFormerCursor(restored shared: Int64? = nil) {
        transport.expect(
            Bench.pull, answer: shared.map { .refusal(410, .epochChanged, shared: $0) } ?? .changes())
    }

    /// The mutations of a sent request.
    func mutations(of request: Int) throws -> [Mutation] {
        let body = try JSONValue(parsing: transport.requests[request].bodyText).object?["mutations"]?.array
        return try #require(body).compactMap(Mutation.init(json:))
    }
}

extension LocalStore {
    /// A cache that has seen an empty space up to cursor `c0`.
    static func seen(_ store: LocalStore? = nil) throws -> LocalStore {
        let store = try store ?? LocalStore(inMemoryWithWall: { 1_000 })
        try store.writeNow { cache in
            try cache.account.bind(remote: "space", username: "anna")
            try cache.replica.setCursor("c0", reading: nil)
        }
        return store
    }

    /// Lets the cache hold these as the server has them.
    func hold(_ records: Record...) throws {
        try writeNow { cache in for record in records { try cache.store(.clean(record), for: record.key) } }
    }
}

extension HTTPResponse {
    /// An answer of `…/changes`.
    ///
    /// - Parameter holding: all live records of the space, for the digest; nil: no digest.
    static func changes(
        _ records: [Record] = [], cursor: String = "c1", more: Bool = false, results: [MutationResult]? = nil,
        holding: [Record]? = nil
    ) -> HTTPResponse {
        var page = ChangesPage(records: RecordList(), cursor: cursor, more: more)
        for record in records { page.records.append(RawRecord(record)) }
        if let holding {
            var digest = SpaceDigest()
            for record in holding where !record.deleted {
                digest.add(collection: record.key.collection, id: record.key.id, version: record.version)
            }
            page.digest = digest
        }
        guard let results else { return .json(String(decoding: page.body(), as: UTF8.self)) }
        return .pushed(results, .page(page))
    }

    /// An answer to a push.
    static func pushed(_ results: [MutationResult], _ changes: PushAnswer.Changes) -> HTTPResponse {
        var list = MutationResultList()
        for result in results { list.append(.init(result)) }
        return .json(String(decoding: PushAnswer.body(results: list, changes: changes), as: UTF8.self))
    }

    /// The server is still processing the batch of this key.
    static func inFlight(retryAfter: Int? = nil) -> HTTPResponse {
        refusal(409, .idempotencyKeyInUse, retryAfter: retryAfter)
    }

    static func refusal(
        _ status: Int, _ code: Problem.Code, shared: Int64? = nil, retryAfter: Int? = nil
    ) -> HTTPResponse {
        var problem = Problem(status: status, code: code, title: "Refused")
        problem.extensions["shared"] = shared.map(JSONValue.integer)
        let wait = retryAfter.map { [("Retry-After", "\($0)")] } ?? []
        return HTTPResponse(
            status: status, headers: [("Content-Type", Problem.mediaType)] + wait, body: Array(problem.json.text.utf8))
    }
}

/// The clocks of an applied mutation.
let taken = FieldClocks(all: moment(1))
