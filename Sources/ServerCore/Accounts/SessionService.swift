internal import Crypto
internal import Records
internal import SyncAPI

/// Operations on sessions: opening, recognising, refreshing and ending them.
struct SessionService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let rules: SessionRules
    /// The limits of accounts that have none of their own.
    let quota: QuotaRules
    /// Notified when a session has ended, since its streams end with it.
    let events: EventHub
    let audit: AuditLog

    /// Precision of `lastSeenAt`, in milliseconds, so that not every request writes.
    private static let seenStep: Int64 = 60_000
    /// Number of devices of an account whose proofs are stored; the newest are kept.
    private static let proofs = 100
    /// Time for which the hash of an access token is kept after its expiry, in milliseconds, so that the answer can say
    /// that it has expired.
    private static let expiredKept: Int64 = 86_400_000

    // MARK: Recognising

    /// An authenticated caller.
    struct Authentication: Sendable {
        let caller: Caller
        /// The caller's role in the requested space; nil if it isn't a member or no space was requested.
        let role: Role?
    }

    /// Returns the owner of an access token and its role in a space, read in one transaction. Using a withdrawn token
    /// ends its session.
    ///
    /// - Throws: `Problem`: 401; 403 if the account is disabled.
    func authenticate(
        _ text: String?, for space: String? = nil, from origin: RequestOrigin
    ) async throws -> Authentication {
        guard let text else { throw Problem.tokenMissing }
        let hash = OpaqueToken.hash(text)
        let now = environment.now()
        let (access, role) = try await store.lookUp { tx in
            let access = try Self.access(hash, tx)
            try Access.checkEnabled(access.session.account, tx)
            return (access, try space.flatMap { try tx.role(of: access.session.account, in: $0) })
        }
        let (session, token) = access
        // A withdrawn token shows, even if it has expired, that another party has a token of this session.
        guard token.expiresAt > now || token.isWithdrawn else {
            throw session.appPassword == nil ? Problem.tokenExpired : Problem.appPasswordExpired
        }
        // The first use of a generation shows that the refresh's answer arrived, so the replaced token counts as stolen
        // from now on. The first generation has no replaced token.
        let arrived = token.generation == session.generation && token.generation > 0 && !session.generationUsed
        if token.isWithdrawn || arrived {
            try await note(hash, now: now, from: origin)
        } else if now - session.lastSeenAt >= Self.seenStep {
            // If the database can't be written now, a later request stores the time. A request that only reads is still
            // answered.
            do { try await note(hash, now: now, from: origin) } catch is StoreFailure {}
        }
        return Authentication(
            caller: Caller(
                account: session.account, session: session.id, device: session.device, scope: session.appPassword?.scope
            ),
            role: role)
    }

    private static func access(
        _ hash: [UInt8], _ tx: any StoreReading
    ) throws -> (session: StoredSession, token: StoredToken) {
        guard let token = try tx.token(hash: hash), token.kind == .access,
            let session = try tx.session(id: token.session)
        else { throw Problem.tokenInvalid }
        return (session, token)
    }

    /// Stores that the device was seen and that its present tokens arrived, or ends the session if the token has been
    /// withdrawn since it was read.
    private func note(_ hash: [UInt8], now: Int64, from origin: RequestOrigin) async throws {
        let stolen: StolenSession? = try await store.write(using: .reserve) { tx in
            var (session, token) = try Self.access(hash, tx)
            // Returned, not thrown: an error would roll back the end of the session.
            if token.isWithdrawn { return try Self.endStolen(session, tx) }
            // Another request, or a clock that was set back, may come with an earlier time.
            session.lastSeenAt = max(session.lastSeenAt, now)
            if token.generation == session.generation, !session.generationUsed {
                session.generationUsed = true
                try Self.withdrawPairs(besides: token, tx)
            }
            try tx.put(session)
            return nil
        }
        guard let stolen else { return }
        report(stolen, from: origin)
        throw Problem.tokenInvalid
    }

    // MARK: Opening

    /// Signs a device in, within a transaction. An earlier session of the same device ends, and those unused for the
    /// longest time if the account has too many.
    func open(_ account: StoredAccount, device: DeviceClaim, _ tx: any StoreWriting) throws -> SessionGrant {
        let deviceID = device.id ?? environment.uuid()
        if let earlier = try tx.session(account: account.id, device: deviceID) {
            try tx.deleteSession(id: earlier.id)
        }
        let others = try tx.sessions(account: account.id)
        // Not an app password, whose owner isn't there to create another one.
        let devices = others.filter { $0.appPassword == nil }.sorted { $0.lastSeenAt < $1.lastSeenAt }
        let surplus = others.count + 1 - Int(clamping: quota.with(account.quota).devices)
        for unused in devices.prefix(max(0, surplus)) { try tx.deleteSession(id: unused.id) }
        let now = environment.now()
        let session = StoredSession(
            id: environment.uuid(), account: account.id, device: deviceID, deviceName: device.name, createdAt: now,
            lastSeenAt: now)
        try tx.put(session)
        var grant = try grant(session, of: account, pair: 0, tx)
        let proof = OpaqueToken.make(environment)
        try tx.putDeviceProof(
            OpaqueToken.hash(proof.text), account: account.id, device: deviceID, now: now, limit: Self.proofs)
        grant.deviceProof = proof.text
        return grant
    }

    /// Returns whether a device has proved an earlier session of the account. The proof outlives the session.
    static func proves(_ proof: String?, device: String?, of account: StoredAccount?, _ tx: any StoreReading) throws
        -> Bool
    {
        guard let proof, let device, let account else { return false }
        return try tx.deviceProof(account: account.id, device: device) == OpaqueToken.hash(proof)
    }

    private func grant(
        _ session: StoredSession, of account: StoredAccount, pair number: Int64, _ tx: any StoreWriting
    ) throws -> SessionGrant {
        let pair = TokenPair.make(for: session, rules: rules, environment)
        for token in pair.stored(in: session, number: number) { try tx.insert(token) }
        return SessionGrant(
            account: account.wire, device: .init(id: session.device, name: session.deviceName),
            accessToken: pair.access.text, accessTokenExpiresAt: WireMoment(milliseconds: pair.accessExpiresAt),
            refreshToken: pair.refresh.text, refreshTokenExpiresAt: WireMoment(milliseconds: pair.refreshExpiresAt),
            epoch: try tx.epoch())
    }

    // MARK: Refreshing

    /// Replaces both tokens of a session.
    ///
    /// - Throws: `Problem` 401, 429; if the token was stolen, the session has ended.
    func refresh(_ token: String, from origin: RequestOrigin, at address: ClientAddress) async throws -> SessionGrant {
        let hash = OpaqueToken.hash(token)
        let now = environment.now()
        // Only unknown tokens are throttled: guesses from an address don't delay the sessions behind it.
        guard try await store.lookUp({ tx in try tx.token(hash: hash) != nil }) else {
            throw try await refusalOfUnknownToken(from: address, now: now)
        }
        let outcome: Refreshed = try await store.write(using: .reserve) { tx in
            guard let token = try tx.token(hash: hash), let session = try tx.session(id: token.session),
                let account = try tx.account(id: session.account)
            else { return .refused(.tokenUnknown(epoch: try tx.epoch())) }
            // Before anything is decided: the tokens work again once the account is enabled.
            if account.disabledAt != nil { return .refused(.accountDisabled) }
            // A pair is an access token and a refresh token of one generation.
            let pairs = try tx.tokenCount(session: session.id, generation: session.generation) / 2
            switch RefreshDecision.decide(token, of: session, pairs: pairs, now: now) {
            case .rotate:
                try Self.withdrawPairs(besides: token, tx)
                return .granted(try rotate(session, of: account, now: now, tx))
            case .addSuccessor:
                // The former successors stay valid until one is used: the repeated refresh may have overtaken the
                // first, whose answer then arrives later.
                return .granted(try grant(session, of: account, pair: Int64(pairs), tx))
            case .stolen: return .stolen(try Self.endStolen(session, tx))
            case .expired: return .refused(.sessionExpired)
            case .invalid: return .refused(.tokenInvalid)
            }
        }
        switch outcome {
        case .granted(let grant): return grant
        case .refused(let problem): throw problem
        case .stolen(let stolen):
            report(stolen, from: origin)
            throw Problem.tokenInvalid
        }
    }

    /// Counts an unknown refresh token for its address.
    ///
    /// - Returns: `Problem` 401, with the epoch.
    /// - Throws: `Problem` 429.
    private func refusalOfUnknownToken(from address: ClientAddress, now: Int64) async throws -> Problem {
        let subjects = address.counted.map { [ThrottleSubject.refreshes(address: $0)] } ?? []
        let epoch = try await store.read { tx in
            try Throttle.admit(subjects, now: now, tx)
            return try tx.epoch()
        }
        if !subjects.isEmpty {
            try await store.write(using: .reserve) { tx in try Throttle.count(subjects, now: now, tx) }
        }
        return .tokenUnknown(epoch: epoch)
    }

    /// The result of a refresh. The transaction commits in each case, so that a stolen session stays ended.
    private enum Refreshed: Sendable {
        case granted(SessionGrant)
        case refused(Problem)
        case stolen(StolenSession)
    }

    private func rotate(
        _ session: StoredSession, of account: StoredAccount, now: Int64, _ tx: any StoreWriting
    ) throws -> SessionGrant {
        var session = session
        session.generation += 1
        session.generationUsed = false
        session.lastSeenAt = now
        try tx.put(session)
        // Replaced refresh tokens are kept until they would have expired, so that reuse is recognised. A refresh adds
        // two tokens, so the limit suffices even if very many have expired.
        var limit = RemovalLimit()
        try tx.deleteTokens(
            session: session.id, kind: .access, expiredBefore: now - Self.expiredKept, limit: &limit)
        try tx.deleteTokens(session: session.id, kind: .refresh, expiredBefore: now, limit: &limit)
        return try grant(session, of: account, pair: 0, tx)
    }

    // MARK: Theft

    /// Withdraws the other pairs of a token's generation, since one party has only one of them. They aren't deleted,
    /// since their use must be recognised as theft.
    private static func withdrawPairs(besides token: StoredToken, _ tx: any StoreWriting) throws {
        try tx.withdrawTokens(session: token.session, generation: token.generation, except: token.pair)
    }

    /// A session that has ended because a replaced token of it was used again.
    private struct StolenSession: Sendable {
        let session: StoredSession
        let username: String?
    }

    private static func endStolen(_ session: StoredSession, _ tx: any StoreWriting) throws -> StolenSession {
        let username = try tx.account(id: session.account)?.username
        try tx.deleteSession(id: session.id)
        // The thief may have the proof as well.
        try tx.deleteDeviceProof(account: session.account, device: session.device)
        return StolenSession(session: session, username: username)
    }

    private func report(_ stolen: StolenSession, from origin: RequestOrigin) {
        events.recheck(account: stolen.session.account)
        let session = stolen.session
        audit.record(
            .tokenReuse(AuditSubject(account: session.account, user: stolen.username, device: session.device)),
            from: origin)
    }

    // MARK: Ending

    /// Ends the caller's own session.
    func end(_ caller: Caller) async throws {
        try await store.write(as: caller, using: .reserve) { tx in try tx.deleteSession(id: caller.session) }
        events.recheck(account: caller.account)
    }

    /// Returns the devices of the caller's account with a valid session.
    func devices(_ caller: Caller) async throws -> DeviceList {
        let now = environment.now()
        let sessions = try await store.read { tx in try tx.sessions(account: caller.account) }
        return DeviceList(
            devices: sessions.filter { lives($0, now: now) }.map { session in
                .init(
                    id: session.device, name: session.deviceName,
                    createdAt: WireMoment(milliseconds: session.createdAt),
                    lastSeenAt: WireMoment(milliseconds: session.lastSeenAt), current: session.id == caller.session,
                    appPassword: session.appPassword?.wire)
            })
    }

    /// Returns whether a device may still refresh its session, or whether an app password hasn't expired.
    func lives(_ session: StoredSession, now: Int64) -> Bool {
        if let appPassword = session.appPassword { return now < appPassword.expiresAt }
        return now < session.createdAt + rules.session && now < session.lastSeenAt + rules.refresh
    }

    /// Ends the session of a device of the caller's account at once. The outcomes of its requests are kept for a while,
    /// since it may sign in again and repeat its last request (`MaintenanceService`).
    ///
    /// - Returns: The session that has ended.
    /// - Throws: `Problem` 404 if there is no such session.
    func revoke(device: String, _ caller: Caller) async throws -> StoredSession {
        let revoked = try await store.write(as: caller, using: .reserve) { tx in
            let session = try Access.found(try tx.session(account: caller.account, device: device))
            try tx.deleteSession(id: session.id)
            try tx.deleteDeviceProof(account: caller.account, device: device)
            return session
        }
        events.recheck(account: caller.account)
        return revoked
    }

    /// Ends the sessions of all devices of the caller's account, app passwords included.
    ///
    /// - Parameter includingThis: Whether the caller's own session ends, too.
    /// - Returns: The number of sessions that have ended.
    func endAll(_ caller: Caller, includingThis: Bool) async throws -> Int {
        let count = try await store.write(as: caller, using: .reserve) { tx in
            let sessions = try tx.sessions(account: caller.account).filter { includingThis || $0.id != caller.session }
            for session in sessions { try tx.deleteSession(id: session.id) }
            try tx.deleteDeviceProofs(account: caller.account, except: includingThis ? nil : caller.device)
            return sessions.count
        }
        events.recheck(account: caller.account)
        return count
    }

    // MARK: Names and app passwords

    /// Gives a device of the caller's account another name.
    ///
    /// - Throws: `Problem` 404 if there is no such device.
    func rename(device: String, to name: String, _ caller: Caller) async throws {
        try await store.write(as: caller, using: .reserve) { tx in
            var session = try Access.found(try tx.session(account: caller.account, device: device))
            session.deviceName = name
            try tx.put(session)
        }
    }

    /// Creates an app password: a session with one access token, which isn't refreshed.
    ///
    /// - Throws: `Problem` 403 if the account has as many devices as it may have.
    func createAppPassword(_ request: AppPasswordRequest, _ caller: Caller) async throws -> AppPasswordGrant {
        let seconds = request.expiresIn ?? Self.appPasswordSeconds
        let now = environment.now()
        let token = OpaqueToken.make(environment)
        let session = StoredSession(
            id: environment.uuid(), account: caller.account, device: environment.uuid(), deviceName: request.name,
            createdAt: now, lastSeenAt: now,
            appPassword: .init(scope: request.scope, expiresAt: now + seconds * 1_000))
        let stored = StoredToken(
            hash: OpaqueToken.hash(token.text), session: session.id, kind: .access, generation: 0, pair: 0,
            expiresAt: now + seconds * 1_000)
        try await store.write(as: caller) { [quota] tx in
            let account = try Access.found(try tx.account(id: caller.account))
            let limit = quota.with(account.quota).devices
            guard Int64(try tx.sessions(account: account.id).count) < limit else {
                throw Problem.tooManyDevices(limit: limit)
            }
            try tx.put(session)
            try tx.insert(stored)
        }
        return AppPasswordGrant(
            device: .init(id: session.device, name: session.deviceName),
            appPassword: AppPassword(
                scope: request.scope, expiresAt: WireMoment(milliseconds: now + seconds * 1_000)), secret: token.text)
    }

    /// Lifetime of an app password without another one, in seconds: a year.
    private static let appPasswordSeconds: Int64 = 365 * 86_400
}

extension StoredSession.AppPassword {
    /// The app password in its form on the wire.
    var wire: SyncAPI.AppPassword { SyncAPI.AppPassword(scope: scope, expiresAt: WireMoment(milliseconds: expiresAt)) }
}

extension StoredAccount {
    /// The account in its form on the wire.
    var wire: Account { Account(id: id, username: username, personalSpace: personalSpace) }
}

/// An opaque random string of 256 bits. The server stores only its SHA-256.
struct OpaqueToken: Sendable {
    let text: String

    static func make(_ environment: ServerEnvironment) -> OpaqueToken {
        OpaqueToken(text: Base64URL.encode(environment.randomBytes(32)))
    }

    /// Returns the SHA-256 of the text. For 256 random bits, a fast hash without a salt suffices: they can't be
    /// guessed.
    static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}

/// The two tokens of a generation, with the moments at which they expire.
struct TokenPair: Sendable {
    let access: OpaqueToken
    let accessExpiresAt: Int64
    let refresh: OpaqueToken
    let refreshExpiresAt: Int64

    /// Returns a new pair for a session.
    static func make(for session: StoredSession, rules: SessionRules, _ environment: ServerEnvironment) -> TokenPair {
        let now = environment.now()
        let end = session.createdAt + rules.session
        return TokenPair(
            // No token outlives the session, whose length is counted from the log-in.
            access: .make(environment), accessExpiresAt: min(now + rules.access, end),
            refresh: .make(environment), refreshExpiresAt: min(now + rules.refresh, end))
    }

    /// Returns the pair as it is stored.
    ///
    /// - Parameter number: The number of the pair within the session's generation.
    func stored(in session: StoredSession, number: Int64) -> [StoredToken] {
        [
            StoredToken(
                hash: OpaqueToken.hash(access.text), session: session.id, kind: .access, generation: session.generation,
                pair: number, expiresAt: accessExpiresAt),
            StoredToken(
                hash: OpaqueToken.hash(refresh.text), session: session.id, kind: .refresh,
                generation: session.generation, pair: number, expiresAt: refreshExpiresAt),
        ]
    }
}

/// The effect of a presented refresh token on its session (RFC 9700 section 4.14.2; SyncAPI.docc/Protocol.md,
/// "Accounts, sessions, devices").
enum RefreshDecision: Equatable {
    /// The token is the present one: the next generation replaces it.
    case rotate
    /// The token was replaced, but no token of its successor was ever used, so the answer may be lost. The generation
    /// gets another pair. The first pair that is used is kept, and the others are withdrawn.
    case addSuccessor
    /// The token was replaced and its successor was used or asked for too often, or the token was withdrawn: two
    /// parties hold tokens of this session, and one of them is a thief. The session ends.
    case stolen
    /// The token is too old, or isn't a refresh token.
    case expired, invalid

    /// Number of times that another successor of a token may be asked for. A network doesn't lose that many answers in
    /// a row. Without a bound, one refresh token could fill the store with tokens, and removing those would hide a
    /// theft.
    static let repetitions = 16

    /// - Parameter pairs: The number of pairs of tokens of the session's generation, withdrawn ones included.
    static func decide(
        _ token: StoredToken, of session: StoredSession, pairs: Int, now: Int64
    ) -> RefreshDecision {
        guard token.kind == .refresh else { return .invalid }
        // Before expiry is checked: also an expired withdrawn token shows a theft.
        if token.isWithdrawn { return .stolen }
        if token.generation == session.generation { return token.expiresAt > now ? .rotate : .expired }
        if token.generation == session.generation - 1, !session.generationUsed {
            guard token.expiresAt > now else { return .expired }
            return pairs <= repetitions ? .addSuccessor : .stolen
        }
        return .stolen
    }
}
