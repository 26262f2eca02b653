import Backend
import Locking
import SyncAPI
import TestSupport
import Testing

/// A store that returns its tokens separately, as one with a program of the user does.
private final class SeparateStore: CredentialStore {
    private let whole: InMemoryCredentialStore
    private let state = Locked(State())

    private struct State {
        var reads = 0
        var isEmpty = false
        var isLocked = false
        var isErasable = true
    }

    private struct KeyringLocked: Error, CustomStringConvertible { let description = "the keyring is locked" }

    init(_ credentials: Credentials) { whole = InMemoryCredentialStore(credentials) }

    /// The number of times that the tokens were read.
    var reads: Int { state.withLock(\.reads) }
    var saves: [Credentials?] { whole.saves }

    func empty() { state.withLock { $0.isEmpty = true } }
    func lock(erasable: Bool) { state.withLock { ($0.isLocked, $0.isErasable) = (true, erasable) } }

    func load() throws -> Credentials? {
        try whole.load().map { $0.tokens == nil ? $0 : Credentials(identity: $0.identity, state: .separate) }
    }

    func tokens(of identity: SessionIdentity) throws -> Tokens? {
        state.withLock { $0.reads += 1 }
        if state.withLock(\.isLocked) { throw KeyringLocked() }
        return try state.withLock(\.isEmpty) ? nil : whole.load()?.tokens
    }

    func save(_ credentials: Credentials?) throws {
        try whole.save(credentials)
        if !state.withLock(\.isErasable) { throw TokensLeft(reason: "the keyring is locked") }
    }

    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await whole.exclusively(body)
    }
}

@Suite("Tokens that a store returns separately", .timeLimit(.minutes(5)))
struct SeparateTokensTests {
    private let transport: MockTransport
    private let clock = ManualClock()
    private let store: SeparateStore

    init() {
        let renewed = Home.grant(2, now: clock.date)
        transport = MockTransport { request throws(TransportError) in
            if request.path.hasSuffix("/sessions/refresh") { return renewed }
            return request.bearerToken == "access-2" ? Home.accountStatus : Home.tokenExpired
        }
        store = SeparateStore(Home.credentials(1, clock: clock))
    }

    private func process() -> BackendClient {
        BackendClient(transport: transport, credentials: store) { [clock] in clock.date }
    }

    @Test("They aren't read for the status, and once for several requests")
    func readLate() async throws {
        let client = process()
        #expect(try await client.session.status() == .active(Home.identity))
        #expect(store.reads == 0)
        _ = try await client.account()
        let reads = store.reads
        _ = try await client.account()
        #expect(store.reads == reads)
    }

    @Test("One of several processes renews them, and the new pair is stored before it is used")
    func renewed() async throws {
        let processes = [process(), process()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in processes { group.addTask { _ = try await client.account() } }
            try await group.waitForAll()
        }
        #expect(transport.requests.count { $0.path.hasSuffix("/sessions/refresh") } == 1)
        #expect(store.saves.map { $0?.tokens?.access } == ["access-1", "access-2"])
    }

    @Test("Without them the session is over here, and the check reports it")
    func missing() async throws {
        store.empty()
        let client = process()
        #expect(try await client.session.check() == .ended(Home.identity, .tokensMissing))
        await #expect(throws: BackendError.signedOut(.tokensMissing)) { try await client.account() }
        #expect(transport.requests.isEmpty && store.saves.isEmpty)
    }

    @Test("A log-out without them ends the session on this device alone", arguments: [true, false])
    func logOutWithoutTokens(isLocked: Bool) async throws {
        if isLocked { store.lock(erasable: true) } else { store.empty() }
        let client = process()
        let reason: BackendError = isLocked ? .credentialStore("the keyring is locked") : .signedOut(.tokensMissing)
        #expect(try await client.logOut() == .hereOnly(reason))
        #expect(try await client.session.status() == .ended(Home.identity, .loggedOut))
        #expect(transport.requests.isEmpty)
    }

    @Test("A log-out that can neither read nor remove them reports both")
    func logOutWithTokensLeft() async throws {
        store.lock(erasable: false)
        let client = process()
        let reason = "the keyring is locked. The server wasn't notified: revoke this device from another one."
        await #expect(throws: BackendError.tokensLeft(reason)) { try await client.logOut() }
        #expect(try await client.session.status() == .ended(Home.identity, .loggedOut))
    }
}
