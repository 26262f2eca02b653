import Backend
import Foundation
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

/// A session with automatic sync, with a scripted server and a manual clock.
private struct Session {
    let bench: Bench
    let clock = ManualClock()
    let automatic: AutoSync
    let credentials: InMemoryCredentialStore

    init(signedIn: Bool = true) throws {
        bench = try Bench()
        credentials = InMemoryCredentialStore(signedIn ? try .testing() : nil)
        let service = SyncService(
            bench.engine, store: bench.store,
            now: { [clock] in Timestamp(seconds: Int64(clock.date.timeIntervalSince1970)) },
            failure: { SyncStatus.Failure(.unreachable, "\($0)") })
        automatic = AutoSync(
            service, backend: BackendClient(transport: bench.transport, credentials: credentials),
            clock: SyncClock(clock), random: { 0.5 })
    }

    /// Expects a stream of events, which the server accepts.
    func expectEvents() -> MockBody {
        let body = MockBody()
        let head = HTTPHead(status: 200, headers: [("Content-Type", "text/event-stream")])
        bench.transport.expectStream("GET", "/v1/events", head: head, body: body)
        return body
    }

    func expectPull(_ cursor: String = "c0") {
        bench.transport.expect(Bench.pull, answer: .changes([], cursor: cursor))
    }

    /// Runs the session during `body`; it must have ended, without anything pending, when this returns.
    func run(_ body: () async throws -> Void) async throws {
        let life = Task { await automatic.run() }
        do { try await body() } catch {
            life.cancel()
            throw error
        }
        life.cancel()
        await life.value
        #expect(clock.sleeping == 0, "no task waits any more")
        bench.transport.verify()
    }

    func state(_ condition: @Sendable (AutoSync.Activity) -> Bool) async {
        for await state in await automatic.activities() where condition(state) { return }
    }

    func status() throws -> SyncStatus { try bench.store.readNow { try SyncStatus.stored(in: $0) } }
}

@Suite("Stored results of automatic syncs", .timeLimit(.minutes(5)))
struct UnreportedSyncTests {
    private func sync(_ step: (SyncService) async throws -> Void) async throws -> SyncStatus.News {
        let bench = try Bench()
        bench.transport.expect(Bench.pull, answer: .changes([], cursor: "c1"))
        _ = try await bench.sync()
        bench.transport.expect(Bench.pull, answer: .refusal(410, .cursorExpired))
        bench.transport.expect(Bench.pull, answer: .changes([], cursor: "c2"))
        bench.expectFormerCursor()
        try await step(
            SyncService(
                bench.engine, store: bench.store, now: { Timestamp(seconds: 1) },
                failure: { SyncStatus.Failure(.failed, "\($0)") }))
        bench.transport.verify()
        return try bench.store.readNow { try SyncStatus.stored(in: $0).news ?? SyncStatus.News() }
    }

    @Test("A full read is stored for the user")
    func unreported() async throws {
        let news = try await sync { service in
            #expect(await service.attempt() == .done(cursor: "c2"))
        }
        #expect(news.fullReads == [.resync(.cursorExpired)])
    }

    @Test("The report of a requested sync is not repeated")
    func requested() async throws {
        let news = try await sync { service in
            let report = try await service.sync(waiting: false)
            #expect(report.fullReads == [.resync(.cursorExpired)])
        }
        #expect(news.isEmpty)
    }
}

@Suite("Automatic sync in an open session", .timeLimit(.minutes(5)))
struct AutoSyncTests {
    private let push = Bench.push

    @Test("It syncs when the event stream is open, then on events, then on edits made here")
    func live() async throws {
        let session = try Session()
        let (transport, store) = (session.bench.transport, session.bench.store)
        let events = session.expectEvents()
        session.expectPull()
        try await session.run {
            try await transport.receive(2)
            await session.state { $0.isLive && !$0.isSyncing }
            session.expectPull("c1")
            events.send("event: changes\nid: 1\ndata: {\"space\": \"space\", \"cursor\": \"c1\"}\n\n".utf8)
            try await transport.receive(3)
            await session.state { !$0.isSyncing }
            events.send("event: changes\nid: 2\ndata: {\"space\": \"another\", \"cursor\": \"x\"}\n\n".utf8)

            transport.expect(push) { request throws(TransportError) in
                .changes(cursor: "c2", results: [.applied(version: 2, modifiedAt: "", clock: taken)])
            }
            try session.bench.edit(["title": "Mine"])
            // The wait after an edit; the other sleepers watch for another process's sign-in and its edits.
            try await eventually("the schedule waits") { session.clock.sleeping == 3 }
            #expect(transport.requests.count == 3)
            session.clock.advance(by: .seconds(1))
            try await transport.receive(4)
            try await eventually("it is noted") {
                try session.status().attemptedAt == Timestamp("2026-11-21T05:20:01Z")
            }
            #expect(try store.readNow { try $0.outbox.unsent().records } == 0)
        }
    }

    @Test("A home that may only read receives each announced change at once, and knows why its edit is unsent")
    func readOnly() async throws {
        let session = try Session()
        let transport = session.bench.transport
        try session.bench.edit(["title": "Mine"])
        let events = session.expectEvents()
        transport.expect(push, answer: .problem(403, .forbidden))
        session.expectPull()
        try await session.run {
            await session.state { $0.isLive && !$0.isSyncing }
            try await transport.receive(3)
            transport.expect(push, answer: .problem(403, .forbidden))
            session.expectPull("c1")
            events.send("event: changes\nid: 1\ndata: {\"space\": \"space\", \"cursor\": \"c1\"}\n\n".utf8)
            try await transport.receive(5)
            await session.state { !$0.isSyncing }
            let status = try session.status()
            #expect(status.syncedAt != nil && status.failure != nil)
        }
        #expect(try session.bench.store.readNow { try $0.outbox.unsent().records } == 1)
    }

    @Test(
        "An unreachable server is retried after a pause, which the home can report; then everything is synced")
    func offline() async throws {
        let session = try Session()
        let transport = session.bench.transport
        transport.expect(AuthenticatedRoute.events, failing: .refused)
        transport.expect(Bench.pull, failing: .refused)
        try await session.run {
            try await transport.receive(1)
            try await eventually("the start and the stream wait") { session.clock.sleeping == 4 }
            session.clock.advance(by: .milliseconds(499))
            // The stream's pause of half a second and the first sync's grace end together.
            transport.expect(AuthenticatedRoute.events, failing: .refused)
            session.clock.advance(by: .milliseconds(1))
            try await transport.receive(3)
            try await eventually("it is noted") { try session.status().retryAt != nil }
            let note = try session.status()
            #expect(note.offlineSince == Timestamp("2026-11-21T05:20:00Z"))
            #expect(note.failure?.kind == .unreachable)
            session.expectPull()
            let events = session.expectEvents()
            session.expectPull()
            try await eventually("both wait") { session.clock.sleeping == 4 }
            // The sync's pause is the shorter one; its success ends that of the stream.
            session.clock.advance(by: .milliseconds(500))
            await session.state { $0.isLive }
            try await eventually("it is over") { try session.status().failure == nil }
            try await transport.receive(6)
            await session.state { !$0.isSyncing }
            _ = events
        }
        #expect(try session.status().retryAt == nil)
    }

    @Test("After a disconnection the stream resumes from the last event, and missed changes are fetched")
    func reconnect() async throws {
        let session = try Session()
        let transport = session.bench.transport
        let first = session.expectEvents()
        session.expectPull()
        try await session.run {
            await session.state { $0.isLive && !$0.isSyncing }
            try await transport.receive(2)
            first.send("event: changes\nid: 41\ndata: {\"space\": \"space\", \"cursor\": \"c0\"}\n\n".utf8)
            first.fail(.timedOut)
            await session.state { !$0.isLive }
            let second = session.expectEvents()
            session.expectPull("c5")
            try await eventually("it waits to open it again") { session.clock.sleeping >= 3 }
            session.clock.advance(by: .seconds(1))
            try await transport.receive(4)
            #expect(transport.requests.filter { $0.path == "/v1/events" }.last?.header("Last-Event-ID") == "41")
            await session.state { $0.isLive && !$0.isSyncing }
            _ = second
        }
    }

    @Test("A server without events is asked every minute")
    func polling() async throws {
        let session = try Session()
        let transport = session.bench.transport
        transport.expect(AuthenticatedRoute.events, answer: .refusal(404, .notFound))
        session.expectPull()
        try await session.run {
            try await eventually("it waits") { session.clock.sleeping == 4 }
            session.clock.advance(by: .milliseconds(500))
            try await transport.receive(2)
            try await eventually("it is noted") { try session.status().syncedAt != nil }
            await session.state { !$0.isSyncing }
            session.expectPull()
            try await eventually("it waits for its minute") { session.clock.sleeping == 4 }
            session.clock.advance(by: .seconds(60))
            try await transport.receive(3)
            try await eventually("it is noted") { try session.status().syncedAt == Timestamp("2026-11-21T05:21:00Z") }
        }
    }

    @Test("Switched off it does nothing and has no stream; switched on it continues")
    func off() async throws {
        let session = try Session()
        let (transport, store) = (session.bench.transport, session.bench.store)
        try store.writeNow { try $0.settings.setSyncSettings(SyncSettings(isAutomatic: false)) }
        try await session.run {
            try session.bench.edit(["title": "Mine"])
            await session.state { !$0.isLive && !$0.isSyncing }
            session.clock.advance(by: .seconds(600))
            #expect(transport.requests.isEmpty)
            let events = session.expectEvents()
            transport.expect(push) { request throws(TransportError) in
                .changes(cursor: "c1", results: [.applied(version: 1, modifiedAt: "", clock: taken)])
            }
            try store.writeNow { try $0.settings.setSyncSettings(SyncSettings()) }
            try await eventually("all is sent") { try store.readNow { try $0.outbox.unsent().records } == 0 }
            await session.state { $0.isLive }
            _ = events
        }
    }

    @Test("Switched off, it still detects that another process of the home has found the session ended")
    func endedWhileOff() async throws {
        let session = try Session()
        let events = session.expectEvents()
        session.expectPull()
        try await session.run {
            try await eventually("it is noted") { try session.status().syncedAt != nil }
            await session.state { $0.isLive && !$0.isSyncing }
            try session.bench.store.writeNow { try $0.settings.setSyncSettings(SyncSettings(isAutomatic: false)) }
            await session.state { !$0.isLive }
            let identity = try Credentials.testing().identity
            try session.credentials.save(Credentials(identity: identity, state: .ended(reason: .revoked)))
            try await eventually("it is noted") {
                session.clock.advance(by: .seconds(5))
                return try session.status().failure != nil
            }
        }
        #expect(session.bench.transport.requests.count == 2)
        _ = events
    }

    @Test("Without a session it waits for a sign-in, and sends nothing")
    func signedOut() async throws {
        let session = try Session(signedIn: false)
        try await session.run {
            try session.bench.edit(["title": "Mine"])
            await session.state { !$0.isSyncing }
            session.clock.advance(by: .seconds(60))
            #expect(session.bench.transport.requests.isEmpty)
        }
    }
}
