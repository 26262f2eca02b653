internal import Records
internal import SyncAPI

/// The session of a home: it returns the access token, and renews it once for all callers that wait.
///
/// The credential store is the truth that the processes of a home share. The actor holds a copy, which it reads again
/// under the store's lock before it renews anything. A new pair of tokens is stored durably before it is used: once it
/// was used, the server takes the use of the replaced pair, which another process would find in the store, for theft. A
/// refresh whose answer was lost is sent again later with the same token; the server distinguishes that from theft a
/// limited number of times (SyncAPI.docc/Protocol.md, "Accounts, sessions, devices"). So the store must show that it can
/// save before the server is asked, and a pair that couldn't be saved is kept for another try.
public actor Session {
    private let storage: SessionStorage
    private let wire: Wire
    private let executor: (any TaskExecutor)?
    private var copy: Copy = .unread
    private var unsaved: Unsaved?
    private var isRefreshing = false
    private var waiters: [(id: Int, continuation: CheckedContinuation<Result<Access, BackendError>, Never>)] = []
    private var observers: [Int: AsyncStream<SessionStatus>.Continuation] = [:]
    private var lastID = 0
    /// The number of times that `copy` was set.
    private var changes = 0

    /// The contents of the store, as far as the actor knows them.
    private enum Copy {
        case unread
        case read(Credentials?)
    }

    /// A renewed session that couldn't be saved.
    private struct Unsaved {
        /// The refresh token that it replaces. If the store has another one, another process has renewed the session.
        var replaced: String
        var renewed: Credentials
    }

    /// The server and the token of a request.
    struct Access: Sendable, Equatable {
        var server: Destination
        var token: String
        /// Whether the token is renewed when the server refuses it; false: it is an app password.
        var isRenewable: Bool
    }

    init(store: any CredentialStore, wire: Wire, executor: (any TaskExecutor)?) {
        storage = SessionStorage(store: store)
        self.wire = wire
        self.executor = executor
    }
}

// MARK: - What it is

extension Session {
    /// Returns the session's present status; reads the store if that hasn't happened yet.
    ///
    /// - Throws: `BackendError.credentialStore`.
    public func status() async throws(BackendError) -> SessionStatus {
        SessionStatus(try await credentials())
    }

    /// Returns the present status and each later one; a slow reader receives only the newest. The stream ends with the
    /// reading task.
    ///
    /// - Throws: `BackendError.credentialStore`.
    public func statuses() async throws(BackendError) -> AsyncStream<SessionStatus> {
        let present = SessionStatus(try await credentials())
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id = newID()
        observers[id] = continuation
        continuation.yield(present)
        continuation.onTermination = { [weak self, executor] _ in
            Task(executorPreference: executor) { await self?.removeObserver(id) }
        }
        return stream
    }

    /// Reads the store again, since another process may have signed in or out, and notifies the observers.
    ///
    /// - Throws: `BackendError.credentialStore`.
    public func reload() async throws(BackendError) {
        _ = try await look()
    }

    /// Reads the store again with the session's tokens, which may need a program of the user, and returns the status.
    ///
    /// - Throws: `BackendError.credentialStore`.
    public func check() async throws(BackendError) -> SessionStatus {
        SessionStatus(try await storage.complete(try await look()))
    }

    private func credentials() async throws(BackendError) -> Credentials? {
        if case .read(let credentials?) = copy, credentials.end == nil { return credentials }
        // Not read yet, or signed out: another process may have signed in meanwhile.
        return try await look()
    }

    /// Reads the store and adopts its contents, unless this process has changed them meanwhile.
    private func look() async throws(BackendError) -> Credentials? {
        let before = changes
        let stored = try await storage.load()
        // Another task adopted newer credentials during the read, which may have returned the older ones.
        if before != changes, case .read(let newer) = copy { return newer }
        adopt(stored)
        return stored
    }

    private func adopt(_ credentials: Credentials?) {
        changes += 1
        // New tokens alone don't change the status, so observers aren't notified.
        if case .read(let former) = copy, SessionStatus(former) == SessionStatus(credentials) {
            copy = .read(credentials)
            return
        }
        copy = .read(credentials)
        for observer in observers.values { observer.yield(SessionStatus(credentials)) }
    }

    private func removeObserver(_ id: Int) { observers[id] = nil }

    private func newID() -> Int {
        lastID += 1
        return lastID
    }
}

// MARK: - Beginning and ending

extension Session {
    /// Stores the result of a log-in or a registration; later requests use it. What was stored before isn't read, so a
    /// log-in replaces a damaged store.
    ///
    /// - Throws: `BackendError.credentialStore`, `.diskFull`; then nothing has changed.
    public func begin(_ credentials: Credentials) async throws(BackendError) {
        try await storage.exclusively { () async throws(BackendError) in try await self.save(credentials) }
    }

    /// Checks that the store can save, before a log-in, which ends the session that this device has: saves that again.
    ///
    /// - Throws: `BackendError.credentialStore`, `.diskFull`.
    public func checkSaving() async throws(BackendError) {
        try await storage.checkSaving()
        try await storage.exclusively { () async throws(BackendError) in
            // The log-in replaces what can't be read or isn't a session.
            guard let stored = try? await self.storage.load() else { return }
            do throws(BackendError) {
                guard let session = try await self.storage.complete(stored), session.tokens != nil else { return }
                try await self.save(session)
            } catch .damagedSession {}
        }
    }

    /// Ends the session on this device; account, server and device stay known.
    ///
    /// - Throws: `BackendError.tokensLeft`, although the session has ended; `.credentialStore`, `.diskFull`.
    func end(_ reason: SessionEnd) async throws(BackendError) {
        try await keep { stored in stored?.ended(reason) }
    }

    /// Returns the secret by which this device proves its last session, for a log-in to the same account on the same server;
    /// nil if there is none. It is sent to no other server.
    public func deviceProof(username: String, at server: ServerAddress) async -> String? {
        // A store that can't be read is no reason not to log in, which replaces it.
        guard let stored = try? await storage.load(), stored.identity.server == server,
            stored.identity.account.username == Username.folded(username)
        else { return nil }
        return stored.deviceProof
    }

    /// Removes the session altogether, since the account no longer exists.
    func forget() async throws(BackendError) {
        do throws(BackendError) { try await keep { _ in nil } } catch .tokensLeft {
            // They are of no use without the account.
        }
    }

    private func keep(_ change: @Sendable (Credentials?) -> Credentials?) async throws(BackendError) {
        try await storage.exclusively { () async throws(BackendError) in
            try await self.save(change(try await self.storage.load()))
        }
    }
}

// MARK: - Handing out the token

extension Session {
    /// Returns the server and a token that it should accept.
    ///
    /// - Parameter refused: The token that the server has just refused; another one is returned.
    /// - Throws: `.signedOut`; the error of the refresh; `.transport(.cancelled)` when the calling task is cancelled,
    ///   which leaves the refresh to the others.
    func access(insteadOf refused: String? = nil) async throws(BackendError) -> Access {
        let credentials = try await credentialsWithTokens()
        let access = try Self.access(of: credentials)
        guard let tokens = credentials?.tokens, tokens.access == refused || isNearExpiry(tokens) else { return access }
        return try await refreshed()
    }

    private func credentialsWithTokens() async throws(BackendError) -> Credentials? {
        let known = try await credentials()
        let before = changes
        let complete = try await storage.complete(known)
        guard complete != known else { return known }
        // Another task has adopted newer credentials meanwhile.
        if before != changes, case .read(let newer) = copy, newer?.state != .separate { return newer }
        adopt(complete)
        return complete
    }

    private func isNearExpiry(_ tokens: Tokens) -> Bool { tokens.isNearExpiry(at: wire.now()) }

    private static func access(of credentials: Credentials?) throws(BackendError) -> Access {
        guard let credentials else { throw .signedOut(nil) }
        guard credentials.end == nil, let tokens = credentials.tokens else { throw .signedOut(credentials.end) }
        return Access(
            server: try Destination(credentials.identity), token: tokens.access, isRenewable: !tokens.isAppPassword)
    }

    /// Waits for the refresh in flight, or starts one.
    private func refreshed() async throws(BackendError) -> Access {
        let id = newID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                waiters.append((id, waiter))
                startRefresh()
            }
        } onCancel: {
            // It runs on the actor after the waiter was stored, since nothing above suspends before that.
            Task(executorPreference: executor) { await self.cancelWaiter(id) }
        }
        return try result.get()
    }

    private func cancelWaiter(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).continuation.resume(returning: .failure(.transport(TransportError(.cancelled))))
    }
}

// MARK: - Refreshing

extension Session {
    /// Starts the refresh in a task that is independent of the waiting callers; it ends within the timeout of its one
    /// request.
    private func startRefresh() {
        guard !isRefreshing else { return }
        isRefreshing = true
        Task(executorPreference: executor) { await self.refreshForAll() }
    }

    private func refreshForAll() async {
        let result = await refresh()
        isRefreshing = false
        // No `await` between these lines: a waiter of the next refresh can't be among these.
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.continuation.resume(returning: result) }
    }

    private func refresh() async -> Result<Access, BackendError> {
        // If the store then has another token, another process has renewed the session.
        var stale: String?
        if case .read(let credentials) = copy { stale = credentials?.tokens?.access }
        do throws(BackendError) {
            return .success(
                try await storage.exclusively { [stale] () async throws(BackendError) in
                    try await self.refreshExclusively(stale)
                })
        } catch {
            return .failure(error)
        }
    }

    /// Adopts what another process has stored since, or else asks the server; the caller holds the store's lock.
    private func refreshExclusively(_ stale: String?) async throws(BackendError) -> Access {
        let stored = try await storage.complete(try await storage.load())
        guard let stored, let tokens = stored.tokens, tokens.access == stale || isNearExpiry(tokens) else {
            adopt(stored)
            return try Self.access(of: stored)
        }
        if tokens.isAppPassword { throw try await endAppPassword(stored) }
        let renewed: Credentials
        if let unsaved, unsaved.replaced == tokens.refresh {
            renewed = unsaved.renewed
        } else {
            // Saved again first: each answer that can't be saved is a lost one, of which the server allows a few.
            try await save(stored)
            renewed = try await renew(stored, with: tokens.refresh)
            unsaved = Unsaved(replaced: tokens.refresh, renewed: renewed)
        }
        // A crash before this loses the answer, but the old refresh token can then be sent again.
        do throws(BackendError) { try await save(renewed) } catch .tokensLeft {
            // The server has ended the session, so they are of no use.
        }
        unsaved = nil
        return try Self.access(of: renewed)
    }

    /// Ends a session whose app password the server has refused: there is nothing with which it could be renewed.
    private func endAppPassword(_ stored: Credentials) async throws(BackendError) -> BackendError {
        do throws(BackendError) { try await save(stored.ended(.appPasswordRefused)) } catch .tokensLeft {
            // The server doesn't accept it any more, so it is of no use.
        }
        return .signedOut(.appPasswordRefused)
    }

    /// Saves a renewed session that couldn't be saved before, unless another process has renewed it since. It is called
    /// when the process ends; before, each request tries it.
    public func saveUnsaved() async {
        guard let stale = unsaved?.replaced else { return }
        // An error is ignored: the request whose refresh failed has reported it, and the next process sends it again.
        try? await storage.exclusively { () async throws(BackendError) in
            let tokens = try await self.storage.complete(try await self.storage.load())?.tokens
            if let tokens, tokens.refresh == stale { _ = try await self.refreshExclusively(tokens.access) }
        }
    }

    /// Returns the session with new tokens, or as ended if the server refuses.
    private func renew(_ stored: Credentials, with token: String) async throws(BackendError) -> Credentials {
        do {
            var renewed = try await wire.refresh(token, at: Destination(stored.identity))
            renewed.deviceProof = renewed.deviceProof ?? stored.deviceProof
            return renewed
        } catch .problem(let problem, _) where problem.endsSession {
            // With another epoch, the data of the server were replaced, so this device was not revoked.
            let reason: SessionEnd =
                if problem.code == .tokenExpired {
                    problem.extensions["refreshedTooOften"]?.bool == true ? .refreshedTooOften : .expired
                } else if let known = stored.identity.epoch, let epoch = problem.extensions["epoch"]?.string,
                    epoch != known
                {
                    .unknownToServer
                } else {
                    .revoked
                }
            return stored.ended(reason)
        }
    }
}

// MARK: - Saving

extension Session {
    private func save(_ credentials: Credentials?) async throws(BackendError) {
        do throws(BackendError) { try await storage.save(credentials) } catch .tokensLeft(let why) {
            adopt(credentials)
            throw .tokensLeft(why)
        }
        adopt(credentials)
    }
}
