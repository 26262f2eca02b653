import Backend
import LocalStore
import Records
import SyncAPI
import Testing

@testable import SyncEngine

@Suite("The stored status of a home's syncs")
struct SyncStatusTests {
    private func moment(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

    @Test("Offline is stored since its first failure, and ends with the next answer, good or bad")
    func offline() {
        var status = SyncStatus()
        status.succeeded(at: moment(1))
        status.failed(.init(.unreachable, "No."), at: moment(2))
        status.failed(.init(.unreachable, "No."), at: moment(3))
        #expect((status.offlineSince, status.attemptedAt) == (moment(2), moment(3)))
        #expect(status.syncedAt == moment(1))
        var refused = status
        refused.failed(.init(.refused, "Never."), at: moment(4))
        #expect((refused.offlineSince, refused.failure) == (nil, .init(.refused, "Never.")))
        status.succeeded(at: moment(5))
        #expect((status.offlineSince, status.failure, status.syncedAt) == (nil, nil, moment(5)))
    }

    @Test("It survives a round trip through the cache, and one of an older version is understood")
    func json() async throws {
        var status = SyncStatus()
        status.failed(.init(.unreachable, "No."), at: moment(2))
        status.retryAt = moment(9)
        let (bench, kept) = (try Bench(), status)
        try await bench.store.write { try SyncStatus.update(in: $0) { $0 = kept } }
        #expect(try await bench.store.read { try SyncStatus.stored(in: $0) } == kept)
        let old: JSONValue = [
            "syncedAt": "2026-11-21T05:20:00Z", "problem": "No.", "kind": "failed",
            "news": [
                "conflicts": 2, "revived": 0, "refused": 1, "fullReads": [["mode": "epoch-changed", "shared": 7]],
            ],
        ]
        try await bench.store.write { try $0.settings.setSyncNote(old) }
        let read = try await bench.store.read { try SyncStatus.stored(in: $0) }
        #expect(read.syncedAt == Timestamp("2026-11-21T05:20:00Z"))
        #expect(read.news?.conflicts == 2)
        #expect(read.news?.fullReads == [.restored(shared: 7)])
        try await bench.store.write { try $0.settings.setSyncNote("else") }
        #expect(try await bench.store.read { try SyncStatus.stored(in: $0) } == SyncStatus())
    }

    @Test("Times are stored as text, and one that can't be read doesn't affect the rest")
    func moments() async throws {
        let bench = try Bench()
        let epoch = Timestamp(seconds: 0)
        try await bench.store.write { try SyncStatus.update(in: $0) { $0.succeeded(at: epoch) } }
        let stored = try await bench.store.read { try $0.settings.syncNote() }
        #expect(stored == ["attemptedAt": "1970-01-01T00:00:00Z", "syncedAt": "1970-01-01T00:00:00Z"])
        let damaged: JSONValue = [
            "attemptedAt": "soon", "syncedAt": "1970-01-01T00:00:00Z",
            "failure": ["kind": "failed", "message": "No."],
        ]
        try await bench.store.write { try $0.settings.setSyncNote(damaged) }
        let read = try await bench.store.read { try SyncStatus.stored(in: $0) }
        #expect(read.attemptedAt == nil)
        #expect(read.syncedAt == epoch)
        #expect(read.failure == .init(.failed, "No."))
    }

    @Test("Unreported results survive later syncs and a restart, are added up, and are reported once")
    func news() async throws {
        var report = SyncResult()
        (report.conflicts, report.revived, report.lostByServer) = (1, 2, 1)
        report.fullReads = [.first, .restored(shared: 7)]
        var status = SyncStatus()
        status.addNews(of: report)
        status.addNews(of: report)
        status.succeeded(at: moment(1))
        status.failed(.init(.unreachable, "No."), at: moment(2))
        #expect(status.news?.conflicts == 2)
        #expect(status.news?.revived == 4)
        #expect(status.news?.fullReads == [.restored(shared: 7)])
        let (bench, kept) = (try Bench(), status)
        try await bench.store.write { try SyncStatus.update(in: $0) { $0 = kept } }
        #expect(try await bench.store.write { try SyncStatus.removeNews(in: $0) } == status.news)
        #expect(try await bench.store.write { try SyncStatus.removeNews(in: $0) }.isEmpty)
    }

    @Test("On a full disk, a sync doesn't say that nothing was changed: it has several transactions")
    func fullDisk() {
        let meaning = SyncService.meaning(of: LocalStoreError.diskFull(path: "/home/cache")) as? SyncFailure
        #expect(meaning == .diskFull(path: "/home/cache"))
        #expect(meaning?.message.contains("/home/cache can't be written. What was synced until then is stored") == true)
        #expect(meaning?.message.contains("Nothing was changed") == false)
        #expect(SyncService.meaning(of: SyncFailure.noProgress) as? SyncFailure == .noProgress)
        // While renewed tokens were saved.
        let session = SyncService.meaning(of: BackendError.diskFull(path: "/home/session")) as? SyncFailure
        #expect(session == .diskFull(path: "/home/session"))
    }

    @Test("Each error of a full disk names the file in the same words")
    func fullDiskWords() {
        let messages = [
            BackendError.diskFull(path: "/home/cache").message, LocalStoreError.diskFull(path: "/home/cache").message,
            SyncFailure.diskFull(path: "/home/cache").message,
        ]
        for message in messages {
            #expect(message.hasPrefix(BackendError.fullDiskMessage("/home/cache", "")))
        }
    }

    private static func problem(_ status: Int, _ code: Problem.Code, _ wait: Duration? = nil) -> BackendError {
        .problem(Problem(status: status, code: code, title: ""), retryAfter: wait)
    }

    @Test(
        "An error says whether to retry",
        arguments: [
            (SyncFailure.noAccount, SyncSchedule.Outcome.signedOut), (SyncFailure.busyElsewhere(nil), .busy),
            (SyncFailure.digestMismatch, .refused), (SyncFailure.noProgress, .failed(retryAfter: nil)),
            (SyncFailure.diskFull(path: ""), .failed(retryAfter: nil)),
            (BackendError.signedOut(.revoked), .signedOut),
            (BackendError.transport(TransportError(.refused)), .failed(retryAfter: nil)),
            (BackendError.transport(TransportError(.tls)), .failed(retryAfter: nil)),
            (BackendError.malformedAnswer(""), .failed(retryAfter: nil)),
            (problem(429, .rateLimited, .seconds(7)), .failed(retryAfter: .seconds(7))),
            (problem(503, .unavailable, .seconds(2)), .failed(retryAfter: .seconds(2))),
            (problem(401, .tokenInvalid), .failed(retryAfter: nil)),
            (problem(403, .quotaExceeded), .refused), (problem(404, .notFound), .refused),
            (LocalStoreError.diskFull(path: ""), .failed(retryAfter: nil)),
            (LocalStoreError.tooNew(path: ""), .refused), (CancellationError(), .failed(retryAfter: nil)),
        ] as [(any Error, SyncSchedule.Outcome)])
    func outcome(error: any Error, outcome: SyncSchedule.Outcome) {
        #expect(SyncSchedule.Outcome(error) == outcome)
    }

    @Test("The pause before a stream of events is opened again")
    func eventPause() throws {
        var pause = EventPause(timing: .init())
        #expect(pause.next(after: .failed(retryAfter: nil), random: 0.5) == .seconds(0.5))
        #expect(
            pause.next(after: .lasted(.seconds(2)), random: 0.5) == .seconds(1), "it ended at once, like a failure")
        #expect(pause.next(after: .failed(retryAfter: .seconds(20)), random: 0.5) == .seconds(20))
        #expect(pause.next(after: .lasted(.seconds(31)), random: 0.5) == .seconds(0.5))
        pause.asked = .seconds(3)
        #expect(pause.next(after: .lasted(.seconds(31)), random: 0.5) == .seconds(3))
        #expect(pause.next(after: .unknown, random: 0.5) == EventPause.unknownPause)
        #expect(EventPause.Ending(Self.problem(404, .notFound)) == .unknown)
        let server = try ServerAddress("https://example.org")
        #expect(EventPause.Ending(.unsupported(server, .events)) == .unknown)
        #expect(EventPause.Ending(Self.problem(503, .unavailable, .seconds(4))) == .failed(retryAfter: .seconds(4)))
    }

    @Test("A stream beyond the account's quota is tried again after 20 seconds, and then ever more rarely")
    func pauseOfRefusedStreams() {
        let ending = EventPause.Ending(Self.problem(403, .quotaExceeded))
        #expect(ending == .failed(retryAfter: .seconds(20)))
        var pause = EventPause(timing: .init())
        let pauses = (1...10).map { _ in pause.next(after: ending, random: 0.99) }
        #expect(pauses.first == .seconds(20))
        #expect(pauses == pauses.sorted())
        #expect(pauses.last == .seconds(300) * 0.99)
    }
}
