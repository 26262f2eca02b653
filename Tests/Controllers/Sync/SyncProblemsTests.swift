import Backend
import ControllerKit
import LocalStore
import Records
import SyncAPI
import SyncEngine
import TestSupport
import Testing

@testable import Controllers

@MainActor
@Suite("Why something isn't synced", .timeLimit(.minutes(5)))
struct SyncProblemsTests {
    private let pull = AuthenticatedRoute.pullChanges(space: "space-ada")
    private let push = AuthenticatedRoute.pushChanges(space: "space-ada")

    @Test("Without automatic sync, edits wait for `sync`; the status says when it is switched off")
    func off() async throws {
        let home = try Home(signedInAs: "ada")
        try home.put(["a": ["title": "Mine"]])
        let sync = home.sync()
        try await sync.send(.status())
        #expect((sync.state.why, sync.state.isAutomatic, sync.state.isInBackground) == (.manual, true, true))
        try await sync.send(.set(automatic: .off, background: nil))
        #expect(sync.state.notice == "Automatic sync is off; `sync` still syncs.")
        #expect((sync.state.why, sync.state.isAutomatic) == (.off, false))
        let later = home.sync()
        try await later.send(.status())
        #expect(!later.state.isAutomatic, "The home remembers it.")
        try await later.send(.set(automatic: .on, background: .off))
        #expect((later.state.isAutomatic, later.state.isInBackground) == (true, false))
        #expect(home.transport.requests.isEmpty)
    }

    @Test("An unreachable server is reported with the time since when, and the time of the next try")
    func offline() async throws {
        let home = try Home(signedInAs: "ada")
        try home.put(["a": ["title": "Mine"]])
        let sync = home.sync()
        home.transport.expect(pull, failing: .refused)
        _ = await failure { try await sync.send(.sync) }
        home.clock.advance(by: .seconds(60))
        home.transport.expect(pull, failing: .refused)
        _ = await failure { try await sync.send(.sync) }
        #expect((sync.state.why, sync.state.offlineSince) == (.offline, moment("2026-11-21T05:20:00Z")))
        #expect(sync.state.lastAttemptAt == moment("2026-11-21T05:21:00Z"))
        let next = Timestamp(moment("2026-11-21T05:22:00Z"))
        try home.services.store.writeNow { try SyncStatus.update(in: $0) { $0.retryAt = next } }
        try await sync.send(.status())
        #expect(sync.state.retryAt == moment("2026-11-21T05:22:00Z"))
        home.clock.advance(by: .seconds(60))
        try await sync.send(.status())
        #expect(sync.state.retryAt == nil, "A time that has passed is not shown.")
    }

    @Test("Records that are too large to be received are listed by `status`, and `sync` reports them and fails")
    func oversized() async throws {
        let home = try Home(signedInAs: "ada")
        let large = OversizedRecord(
            key: RecordKey(collection: "tasks", id: "a"), version: 7, deleted: false,
            modifiedAt: "2026-11-21T05:00:00.000Z", modifiedBy: "desktop", bytes: 20 << 20)
        try home.services.store.writeNow { cache in
            try cache.replica.setCursor("c0", reading: nil)
            try cache.replica.noteOversized(large, marking: false)
        }
        let sync = home.sync()
        try await sync.send(.status())
        #expect(sync.state.oversized == [.init(collection: "tasks", id: "a", title: "", bytes: 20 << 20)])
        home.transport.expect(pull, answer: Answer.page())
        let error = await failure { try await sync.send(.sync) }
        #expect(error.category == .rejected)
        #expect(
            sync.state.notice == "Everything else is in sync. 1 record was too large to be received: see `status`.")
        #expect(error.message == sync.state.notice)
    }

    @Test("A home that may only read is in sync except for its edits: `sync` and `status` say why they are unsent")
    func readOnly() async throws {
        let home = try Home(signedInAs: "ada")
        try home.services.store.writeNow { try $0.replica.setCursor("c0", reading: nil) }
        try home.put(["a": ["title": "Mine"]])
        let sync = home.sync()
        home.transport.expect(push, answer: .problem(403, .forbidden))
        home.transport.expect(pull, answer: Answer.page([Answer.record("b", #"{"title": "Theirs"}"#, version: 7)]))
        let error = await failure { try await sync.send(.sync) }
        #expect(error.category == .rejected)
        #expect(sync.state.notice?.hasPrefix("Synced: received 1. The server refused:") == true)
        #expect(error.message == sync.state.notice)
        #expect((sync.state.unsent, sync.state.why) == (1, .refused))
        #expect(sync.state.lastSyncedAt == sync.state.lastAttemptAt && sync.state.lastProblem != nil)
        home.transport.verify()
    }

    @Test("A record shows whether the server has it, in which version, and why not")
    func record() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        home.transport.expect(pull, answer: Answer.page([Answer.record("a", #"{"title": "Base"}"#, version: 7)]))
        try await sync.send(.sync)
        try await sync.send(.status(record: "a"))
        let clean = try #require(sync.state.record)
        #expect((clean.title, clean.version, clean.isUnsent, clean.why) == ("Base", 7, false, nil))
        try await home.detail().send(.edit("a", title: "Mine", body: nil, words: []))
        try await sync.send(.status(record: "a"))
        let edited = try #require(sync.state.record)
        #expect((edited.isUnsent, edited.isInFlight, edited.version) == (true, false, 7))
        #expect((edited.why, edited.editedAt) == (.manual, moment("2026-11-21T05:20:00Z")))

        home.transport.expect(push, failing: .timedOut)
        _ = await failure { try await sync.send(.sync) }
        #expect((sync.state.record?.isInFlight, sync.state.record?.why) == (true, .offline))
        home.transport.expect(push, answer: Answer.rejecting("Too large."))
        _ = await failure { try await sync.send(.sync) }
        #expect((sync.state.record?.why, sync.state.record?.rejection) == (.rejected, "Too large."))
        try await sync.send(.status())
        #expect((sync.state.record, sync.state.why) == (nil, .rejected))
        let error = await failure { try await sync.send(.status(record: "nothing")) }
        #expect(error.category == .notFound)
    }

    @Test("A session with automatic sync shows live that it is connected to the server, and that it syncs")
    func live() async throws {
        let home = try Home(signedInAs: "ada")
        let automatic = AutoSync(
            home.services.syncService, backend: home.services.backend, clock: SyncClock(home.clock))
        let services = home.services.syncing(.live(automatic))
        let sync = Presentation(SyncController(services.notebook, services.sync)) { Issue.record($0) }
        let view = ScriptedView<SyncScreen>()
        sync.attach(view)
        let body = MockBody()
        let gate = Gate()
        home.transport.expectStream(
            "GET", "/v1/events", head: HTTPHead(status: 200, headers: [("Content-Type", "text/event-stream")]),
            body: body)
        home.transport.expect(pull, behind: gate, answer: Answer.page())
        let life = Task { await automatic.run() }
        await view.next { $0.isLive && $0.isSyncing }
        gate.open()
        await view.next { $0.isLive && !$0.isSyncing && $0.lastSyncedAt != nil }
        life.cancel()
        await life.value
        home.transport.verify()
    }

    /// How another device of the account ends this one's session.
    enum Ending: CaseIterable { case revocation, passwordChange }

    @Test(
        "A session that the server has ended is reported once, and again only after another sign-in",
        arguments: Ending.allCases)
    func sessionEnd(ending: Ending) async throws {
        let server = try InProcessServer()
        let laptop = try await Services.testing(on: server)
        let phone = try await Services.testing(on: server)
        var password = "correct horse battery"
        func end() async throws {
            switch ending {
            case .revocation:
                let device = try #require(try await laptop.backend.session.status().identity?.device)
                try await phone.backend.revokeDevice(id: device.id)
            case .passwordChange:
                try await phone.backend.changePassword(
                    PasswordChangeRequest(currentPassword: password, newPassword: password + "!"))
                password += "!"
            }
        }
        func syncInBackground() async throws { try await BackgroundSync(laptop.syncService, lock: { {} }).run() }

        for _ in 0..<2 {
            try await end()
            #expect(try await laptop.sync.newsToShow() == nil, "The server has not been asked yet.")
            try await syncInBackground()
            let news = try await laptop.sync.newsToShow()
            #expect(news?.contains("`login`") == true)
            #expect(news?.contains("unsent") == true)
            try await syncInBackground()
            #expect(try await laptop.sync.newsToShow() == nil)
            let login = Presentation(LoginController(laptop.account)) { Issue.record($0) }
            try await login.send(.logIn(username: "ada", password: password, server: nil))
            #expect(try await laptop.sync.newsToShow() == nil)
        }
    }

    @Test("If the sync itself failed because the session has ended, that isn't reported again")
    func sessionEndHeard() async throws {
        let server = try InProcessServer()
        let laptop = try await Services.testing(on: server)
        let phone = try await Services.testing(on: server)
        let device = try #require(try await laptop.backend.session.status().identity?.device)
        try await phone.backend.revokeDevice(id: device.id)
        let sync = Presentation(SyncController(laptop.notebook, laptop.sync)) { Issue.record($0) }
        let error = await failure { try await sync.send(.sync) }
        #expect(error.category == .signedOut)
        #expect(try await laptop.sync.newsToShow() == nil)
    }

    @Test("A sync of another process is reported with that process and its start, and is no sync of this one")
    func elsewhere() async throws {
        let another = LockHolder(process: 4_711, since: Timestamp(seconds: 0))
        let home = try Home(signedInAs: "ada", gate: SyncGate(holder: { another }) { nil })
        let services = home.services
        try home.put(["a": ["title": "Mine"]])
        let sync = Presentation(SyncController(services.notebook, services.sync)) { Issue.record($0) }
        try await sync.send(.status())
        #expect((sync.state.isSyncing, sync.state.isSyncingElsewhere) == (false, true))
        #expect((sync.state.syncingProcess, sync.state.syncingSince) == (4_711, moment("1970-01-01T00:00:00Z")))
        #expect(sync.state.why == .syncingElsewhere)
    }

    @Test(
        "A server that asks to wait doesn't count as refusing, and one that refuses isn't waited for",
        arguments: [
            (408, "request-timeout", .waiting), (409, "idempotency-key-in-use", .waiting),
            (429, "rate-limited", .waiting),
            (403, "quota-exceeded", .quotaExceeded), (403, "account-disabled", .refused),
            (503, "unavailable", .unreachable), (401, "token-invalid", .signedOut),
        ] as [(Int, Problem.Code, SyncStatus.Kind)])
    func patience(status: Int, code: Problem.Code, kind: SyncStatus.Kind) {
        let problem = Problem(status: status, code: code, title: "Refused")
        #expect(SyncStatus.Failure(BackendError.problem(problem, retryAfter: nil)).kind == kind)
    }

    @Test(
        "Problems that a user can solve are listed first",
        arguments: [
            (UnsentFacts(hasAccount: false, isSignedIn: false), UnsentReason.noAccount),
            (UnsentFacts(isSignedIn: false, isAutomatic: false), .signedOut),
            (UnsentFacts(isSyncing: true, isAutomatic: false), .syncing),
            (UnsentFacts(isSyncingElsewhere: true, problem: .unreachable), .syncingElsewhere),
            (UnsentFacts(isAutomatic: false, problem: .unreachable), .off),
            (UnsentFacts(problem: .unreachable), .offline), (UnsentFacts(problem: .refused), .refused),
            (UnsentFacts(problem: .quotaExceeded), .quotaExceeded),
            (UnsentFacts(problem: .waiting), .waiting),
            (UnsentFacts(problem: .failed), .failed), (UnsentFacts(problem: .signedOut), .signedOut),
            (UnsentFacts(), .soon), (UnsentFacts(hasRunningSync: false), .manual),
        ])
    func reasons(facts: UnsentFacts, reason: UnsentReason) {
        #expect(UnsentReason(facts) == reason)
    }
}
