import Backend
import LocalStore
import Records
import SyncAPI
import Testing

@testable import SyncEngine

@Suite("What a home remembers of its syncs")
struct SyncNoteTests {
    private func moment(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

    @Test("Offline is remembered since its first failure, and over with the next answer, good or bad")
    func offline() {
        var note = SyncNote()
        note.succeeded(at: moment(1))
        note.failed(.init(.unreachable, "No."), at: moment(2))
        note.failed(.init(.unreachable, "No."), at: moment(3))
        #expect((note.offlineSince, note.attemptedAt) == (moment(2).description, moment(3).description))
        #expect(note.syncedAt == moment(1).description)
        var refused = note
        refused.failed(.init(.refused, "Never."), at: moment(4))
        #expect((refused.offlineSince, refused.problem) == (nil, .init(.refused, "Never.")))
        note.succeeded(at: moment(5))
        #expect((note.offlineSince, note.problem, note.syncedAt) == (nil, nil, moment(5).description))
    }

    @Test("It comes back from the cache as it was, and one of an older version is understood")
    func json() {
        var note = SyncNote()
        note.failed(.init(.unreachable, "No."), at: moment(2))
        note.retryAt = moment(9).description
        #expect(SyncNote(note.json) == note)
        let old = SyncNote(.object(["syncedAt": "2026-11-21T05:20:00Z", "problem": "No."]))
        #expect((old.syncedAt, old.problem) == ("2026-11-21T05:20:00Z", .init(.failed, "No.")))
        #expect(SyncNote(.null) == SyncNote())
    }

    @Test("What nobody was told yet outlives later syncs and a restart, adds up, and is told once")
    func news() async throws {
        var report = SyncReport()
        (report.conflicts, report.revived) = (1, 2)
        report.fullReads = [.first, .restored(shared: 7)]
        var note = SyncNote()
        note.news.add(SyncNews(report))
        note.news.add(SyncNews(report))
        note.succeeded(at: moment(1))
        note.failed(.init(.unreachable, "No."), at: moment(2))
        #expect((note.news.conflicts, note.news.revived) == (2, 4))
        #expect(note.news.fullReads == [.restored(shared: 7)])
        #expect(SyncNote(note.json) == note)
        let (bench, kept) = (try Bench(), note)
        try await bench.store.write { try $0.updateNote { $0 = kept } }
        #expect(try await bench.store.write { try $0.takeNews() } == note.news)
        #expect(try await bench.store.write { try $0.takeNews() }.isEmpty)
    }

    private static func problem(_ status: Int, _ code: Problem.Code, _ wait: Duration? = nil) -> BackendError {
        .problem(Problem(status: status, code: code, title: ""), retryAfter: wait)
    }

    @Test(
        "An error says whether to try again",
        arguments: [
            (SyncFailure.noAccount, SyncOutcome.signedOut), (SyncFailure.busyElsewhere(nil), .busy),
            (SyncFailure.digestMismatch, .refused), (SyncFailure.noProgress, .failed(retryAfter: nil)),
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
        ] as [(any Error, SyncOutcome)])
    func outcome(error: any Error, outcome: SyncOutcome) {
        #expect(SyncOutcome(error) == outcome)
    }

    @Test("The pause before a stream of events is opened again")
    func eventPause() {
        var pause = EventPause(timing: .init())
        #expect(pause.next(after: .failed(retryAfter: nil), random: 0.5) == .seconds(0.5))
        #expect(
            pause.next(after: .stood(.seconds(2)), random: 0.5) == .seconds(1), "one that falls at once is no good one")
        #expect(pause.next(after: .failed(retryAfter: .seconds(20)), random: 0.5) == .seconds(20))
        #expect(pause.next(after: .stood(.seconds(31)), random: 0.5) == .seconds(0.5))
        pause.asked = .seconds(3)
        #expect(pause.next(after: .stood(.seconds(31)), random: 0.5) == .seconds(3))
        #expect(pause.next(after: .unknown, random: 0.5) == EventPause.unknownPause)
        #expect(EventPause.Ending(Self.problem(404, .notFound)) == .unknown)
        #expect(EventPause.Ending(Self.problem(503, .unavailable, .seconds(4))) == .failed(retryAfter: .seconds(4)))
    }
}
