import Backend
import LocalStore
import Locking
import Records
import SyncAPI
import Testing
import TestSupport

@testable import SyncEngine

/// A lock in memory, which reports what happens when it is released.
private final class TestLock: Sendable {
    private let isTaken = Locked(false)
    private let released: @Sendable () throws -> Void

    init(released: @escaping @Sendable () throws -> Void = {}) { self.released = released }

    func take() throws -> (@Sendable () -> Void)? {
        let isFree = isTaken.withLock { taken in
            defer { taken = true }
            return !taken
        }
        guard isFree else { return nil }
        return { [self] in
            // Another command ends while the lock is still held: its edits are left to the holder.
            do { try released() } catch { Issue.record(error) }
            isTaken.withLock { $0 = false }
        }
    }
}

@Suite("Sending a command's edits in the background", .timeLimit(.minutes(5)))
struct BackgroundSyncTests {
    private let clock = ManualClock()

    private func background(_ bench: Bench, _ lock: TestLock = TestLock()) -> BackgroundSync {
        let service = SyncService(
            bench.engine, store: bench.store, now: { Timestamp(seconds: 0) },
            failure: { SyncStatus.Failure(.unreachable, "\($0)") })
        return BackgroundSync(service, lock: { try lock.take() }, clock: SyncClock(clock), random: { 0.5 })
    }

    private func expectPush(_ bench: Bench, cursor: String) {
        bench.transport.expect(Bench.push) { request throws(TransportError) in
            .changes(cursor: cursor, results: [.applied(version: 1, modifiedAt: "", clock: taken)])
        }
    }

    @Test("It sends what is unsent, and ends")
    func sends() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Mine"])
        expectPush(bench, cursor: "c1")
        try await background(bench).run()
        #expect(try bench.store.readNow { try $0.outbox.unsent().records } == 0)
        bench.transport.verify()
    }

    @Test("It leaves the work to another process that holds the lock")
    func leftToAnother() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Mine"])
        let lock = TestLock()
        let held = try lock.take()
        try await background(bench, lock).run()
        #expect(bench.transport.requests.isEmpty)
        held?()
    }

    @Test("An edit between the holder's last check and its end is not left unsent")
    func stranded() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Mine"])
        expectPush(bench, cursor: "c1")
        let late = Locked(false)
        let lock = TestLock {
            guard
                late.withLock({ isDone in
                    defer { isDone = true }
                    return !isDone
                })
            else { return }
            try bench.edit(["title": "Late"])
            expectPush(bench, cursor: "c2")
        }
        try await background(bench, lock).run()
        #expect(try bench.store.readNow { try $0.outbox.unsent().records } == 0)
        bench.transport.verify()
    }

    @Test("It retries after failures, and ends at its time limit")
    func patience() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Mine"])
        for _ in 0..<8 { bench.transport.expect(Bench.push, failing: .refused) }
        async let ended: Void = background(bench).run()
        for pause in [0.5, 1, 2, 4, 8, 16, 32] {
            try await eventually("it waits") { clock.sleeping == 1 }
            clock.advance(by: .seconds(pause))
        }
        // The next pause of 64 s would be longer than what is left of its 120 s.
        try await ended
        #expect(bench.transport.requests.count == 8)
        bench.transport.verify()
        #expect(try bench.store.readNow { try SyncStatus.stored(in: $0).failure?.kind } == .unreachable)
    }

    @Test("After it is switched off, nothing is sent")
    func off() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Mine"])
        try bench.store.writeNow { try $0.settings.setSyncSettings(SyncSettings(isInBackground: false)) }
        try await background(bench).run()
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(
        "While it waits after a failure, the time of the next try is known; after it has ended, there is none")
    func retry() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Mine"])
        bench.transport.expect(Bench.push, failing: .refused)
        expectPush(bench, cursor: "c1")
        async let ended: Void = background(bench).run()
        try await eventually("it waits") { clock.sleeping == 1 }
        #expect(try bench.store.readNow { try SyncStatus.stored(in: $0).retryAt } == Timestamp(seconds: 1))
        clock.advance(by: .seconds(0.5))
        try await ended
        #expect(try bench.store.readNow { try SyncStatus.stored(in: $0).retryAt } == nil)
        bench.transport.verify()
    }

    @Test("An interruption while waiting removes the time of the next try")
    func interrupted() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Mine"])
        bench.transport.expect(Bench.push, failing: .refused)
        let work = Task { try await background(bench).run() }
        try await eventually("it waits") { clock.sleeping == 1 }
        work.cancel()
        _ = await work.result
        #expect(try bench.store.readNow { try SyncStatus.stored(in: $0).retryAt } == nil)
        bench.transport.verify()
    }

    @Test("Without edits it receives the changes of others, with one try")
    func fetches() async throws {
        let bench = try Bench()
        bench.transport.expect(Bench.pull, answer: .changes([theirs(1)], holding: [theirs(1)]))
        try await background(bench).run()
        #expect(try bench.cached()?.record == theirs(1))
        bench.transport.expect(Bench.pull, failing: .refused)
        try await background(bench).run()
        #expect(clock.sleeping == 0)
        bench.transport.verify()
    }
}

@Suite("When a command leaves work to a background process")
struct BackgroundSyncDueTests {
    private static let now = Timestamp(seconds: 1_000)

    /// A note of a time this many seconds ago.
    private static func note(tried: Int64?, succeeded: Int64?) -> SyncStatus {
        var note = SyncStatus()
        note.attemptedAt = tried.map { Timestamp(seconds: now.seconds - $0) }
        note.syncedAt = succeeded.map { Timestamp(seconds: now.seconds - $0) }
        return note
    }

    @Test(
        "After an edit and, if there was no try for a minute, for older edits or old records",
        arguments: [
            (nil, "a", 0, 0, true), ("a", "b", 0, 0, true), ("a", "a", 60, 60, false), ("a", "a", 61, 61, true),
            (nil, nil, 61, 300, false), (nil, nil, 61, 301, true), (nil, nil, 60, 301, false),
            (nil, nil, nil, nil, true),
            ("a", nil, 61, 61, false), (nil, nil, -5, -5, true),
        ] as [(String?, String?, Int64?, Int64?, Bool)])
    func due(before: String?, after: String?, tried: Int64?, succeeded: Int64?, isDue: Bool) {
        let note = Self.note(tried: tried, succeeded: succeeded)
        func decide(_ settings: SyncSettings) -> Bool {
            BackgroundSync.isDue(before: before, after: after, settings: settings, status: note, now: Self.now)
        }
        #expect(decide(SyncSettings()) == isDue)
        #expect(!decide(SyncSettings(isAutomatic: false)) && !decide(SyncSettings(isInBackground: false)))
    }

    @Test("After signing in, older edits are due, however short ago the last attempt was")
    func signedIn() throws {
        let store = try LocalStore(inMemoryWithWall: { 0 }, types: .standard)
        func isDue() throws -> Bool {
            let status = try store.readNow { try SyncStatus.stored(in: $0) }
            return BackgroundSync.isDue(
                before: "a", after: "a", settings: SyncSettings(), status: status, now: Self.now)
        }
        try store.writeNow { cache in
            try SyncStatus.update(in: cache) { $0.attemptedAt = Timestamp(seconds: Self.now.seconds - 1) }
        }
        #expect(try !isDue())
        try store.writeNow { try SyncStatus.forgetFailure(in: $0) }
        #expect(try isDue())
    }
}
