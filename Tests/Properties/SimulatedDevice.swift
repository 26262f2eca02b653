import Backend
import FoundationEssentials
import Records
import SyncEngine
import SyncAPI
import TestSupport

@testable import LocalStore

/// A client without a screen: the real cache in memory and the real engine, on a line that a simulation can break.
struct SimulatedDevice: Sendable {
    let name: String
    let store: LocalStore
    let engine: SyncEngine
    let line: Line

    /// All engines' jobs run on one thread; a simulation takes one step at a time.
    private static let executor = BlockingExecutor(label: "simulation")

    /// - Parameters:
    ///   - wall: the device's clock.
    ///   - newKey: makes idempotency keys.
    init(
        name: String, space: String, credentials: Credentials, server: any HTTPTransport,
        wall: @escaping @Sendable () -> UInt64, newKey: @escaping @Sendable () -> String
    ) throws {
        self.name = name
        line = Line(to: server)
        store = try LocalStore(inMemoryWithWall: wall)
        try store.writeNow { cache in
            try cache.setMeta("device", name)
            try cache.bind(remote: space, username: "anna")
        }
        let backend = BackendClient(transport: line, credentials: InMemoryCredentialStore(credentials))
        engine = SyncEngine(store: store, backend: backend, gate: .open, makeKey: newKey, executor: Self.executor)
    }

    /// What the person sees of each record, tombstones left out, in canonical form.
    func live() throws -> [RecordKey: String] {
        try store.readNow { cache in
            Dictionary(uniqueKeysWithValues: try cache.records().map { ($0.key, $0.json.canonical) })
        }
    }
}

/// A line to a server that loses requests and answers, and lets other things happen meanwhile.
final class Line: HTTPTransport {
    /// What becomes of one request.
    struct Fate: Sendable {
        var losesRequest = false
        var losesAnswer = false
        /// Happens while the request is under way, before the server acts.
        var before: @Sendable () async throws -> Void = {}
        /// Happens after the server has acted, before its answer comes.
        var after: @Sendable () async throws -> Void = {}
    }

    private let server: any HTTPTransport
    private let fates = Locked<@Sendable () -> Fate>({ Fate() })

    init(to server: any HTTPTransport) { self.server = server }

    /// Asks `fates` about each request from now on.
    func decide(_ fates: @escaping @Sendable () -> Fate) { self.fates.withLock { $0 = fates } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let fate = fates.withLock { $0 }()
        try await happen(fate.before)
        if fate.losesRequest { throw TransportError(.timedOut, detail: "the request was lost") }
        let response = try await server.send(request)
        try await happen(fate.after)
        if fate.losesAnswer { throw TransportError(.timedOut, detail: "the answer was lost") }
        return response
    }

    func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream { try await server.stream(request) }

    private func happen(_ event: @Sendable () async throws -> Void) async throws(TransportError) {
        do { try await event() } catch { throw TransportError(.protocolViolation, detail: "\(error)") }
    }
}
