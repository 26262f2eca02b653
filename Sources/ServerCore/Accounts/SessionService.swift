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
    /// Number of replaced generations whose tokens are stored. The refresh tokens of older ones are recognised by their
    /// claims (`RefreshClaim`), so a thief can't hide by refreshing often; their access tokens are not accepted any
    /// more.
    static let storedGenerations: Int64 = 20
    /// Number of stored generations of tokens with which a session can't be refreshed any more. Only a session that an
    /// earlier version of the server opened may have as many: its tokens have no claims, so they are kept until they
    /// expire. A client that refreshes 30 seconds before the access token expires, every 14.5 minutes, has at most
    /// 8,940 of them.
    static let maximumGenerations: Int64 = 10_000
    /// Number of tokens that a session may have beyond two of each generation, by refreshes that were repeated since
    /// their answers were lost. Access tokens are removed a day after their expiry, which makes room for others.
    static let surplusTokens: Int64 = 200
    /// Number of transactions in which a log-in removes what is left of ended sessions.
    private static let removals = 50
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
            try tx.willReadCaller(token: hash, space: space)
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

    /// A new session.
    struct OpenedSession: Sendable {
        let grant: SessionGrant
        /// The ids of the devices that it has signed out, since the account had too many.
        let displaced: [String]
    }

    /// Signs a device in, within a transaction. An earlier session of the same device ends, and those unused for the
    /// longest time if the account has too many.
    func open(_ account: StoredAccount, device: DeviceClaim, _ tx: any StoreWriting) throws -> OpenedSession {
        let deviceID = device.id ?? environment.uuid()
        if let earlier = try tx.session(account: account.id, device: deviceID) {
            try tx.deleteSession(id: earlier.id)
        }
        let now = environment.now()
        let others = try counted(of: account, now: now, tx)
        // Not an app password, whose owner isn't there to create another one.
        let devices = others.filter { $0.appPassword == nil }.sorted { $0.lastSeenAt < $1.lastSeenAt }
        let surplus = others.count + 1 - Int(clamping: quota.with(account.quota).devices)
        let displaced = devices.prefix(max(0, surplus))
        for unused in displaced { try tx.deleteSession(id: unused.id) }
        let session = StoredSession(
            id: environment.uuid(), account: account.id, device: deviceID, deviceName: device.name, createdAt: now,
            lastSeenAt: now)
        try tx.put(session)
        var grant = try grant(session, of: account, pair: 0, since: 0, tx)
        let proof = OpaqueToken.make(environment)
        try tx.putDeviceProof(
            OpaqueToken.hash(proof.text), account: account.id, device: deviceID, now: now, limit: Self.proofs)
        grant.deviceProof = proof.text
        return OpenedSession(grant: grant, displaced: displaced.map(\.device))
    }

    /// Removes what is left of ended sessions of an account, in small transactions. A log-in removes a part of it in its
    /// own, which is all unless a session was refreshed very often. The number of transactions is limited, so that a
    /// log-in doesn't take long; the next one and maintenance remove the rest.
    func deleteEndedSessions(of account: String) async throws {
        for _ in 0..<Self.removals {
            guard try await store.lookUp({ tx in try tx.hasEndedSessions(account: account) }) else { return }
            try await store.write(using: .reserve) { tx in
                var limit = RemovalLimit()
                try tx.deleteEndedSessions(account: account, limit: &limit)
            }
        }
    }

    /// Returns whether a device has proved an earlier session of the account. The proof outlives the session.
    static func proves(_ proof: String?, device: String?, of account: StoredAccount?, _ tx: any StoreReading) throws
        -> Bool
    {
        guard let proof, let device, let account else { return false }
        return try tx.deviceProof(account: account.id, device: device) == OpaqueToken.hash(proof)
    }

    private func grant(
        _ session: StoredSession, of account: StoredAccount, pair number: Int64, since: Int64, _ tx: any StoreWriting
    ) throws -> SessionGrant {
        let pair = TokenPair.make(for: session, since: since, rules: rules, environment)
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
        let claim = RefreshClaim(of: token)
        let now = environment.now()
        // Only unknown tokens are throttled: guesses from an address don't delay the sessions behind it.
        let isKnown = try await store.lookUp { tx in
            if try tx.token(hash: hash) != nil { return true }
            return try Self.session(replacing: claim, tx) != nil
        }
        guard isKnown else { throw try await refusalOfUnknownToken(from: address, now: now) }
        let outcome: Refreshed = try await store.write(using: .reserve) { tx in
            guard let token = try tx.token(hash: hash), let session = try tx.session(id: token.session),
                let account = try tx.account(id: session.account)
            else { return try Self.refuse(claim, tx) }
            // Before anything is decided: the tokens work again once the account is enabled.
            if account.disabledAt != nil { return .refused(.accountDisabled) }
            // A pair is an access token and a refresh token of one generation.
            let pairs = try tx.tokenCount(session: session.id, generation: session.generation) / 2
            let oldest = try tx.oldestGeneration(session: session.id) ?? session.generation
            let generations = session.generation - oldest + 1
            // After a token without a claim, only the tokens of later generations are known to have one.
            let since = claim?.since ?? session.generation + 1
            switch RefreshDecision.decide(token, of: session, pairs: pairs, now: now) {
            case .rotate where generations >= Self.maximumGenerations: return .refused(.sessionFull)
            case .rotate:
                try Self.withdrawPairs(besides: token, tx)
                return .granted(try rotate(session, of: account, since: since, now: now, tx))
            case .addSuccessor:
                // Counted here alone: an ordinary refresh costs the same however many tokens are stored.
                let tokens = Int64(try tx.tokenCount(session: session.id))
                guard tokens < 2 * generations + Self.surplusTokens else { return .refused(.sessionFull) }
                // The former successors stay valid until one is used: the repeated refresh may have overtaken the
                // first, whose answer then arrives later.
                return .granted(try grant(session, of: account, pair: Int64(pairs), since: since, tx))
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

    /// Returns the session of a token that was replaced so long ago that its hash isn't stored any more; nil: the token
    /// is unknown.
    private static func session(replacing claim: RefreshClaim?, _ tx: any StoreReading) throws -> StoredSession? {
        guard let claim, let session = try tx.session(id: claim.session), claim.isReplaced(in: session) else {
            return nil
        }
        return session
    }

    /// Refuses a refresh token whose hash isn't stored, and ends its session if the token was replaced.
    private static func refuse(_ claim: RefreshClaim?, _ tx: any StoreWriting) throws -> Refreshed {
        guard let session = try Self.session(replacing: claim, tx) else {
            return .refused(.tokenUnknown(epoch: try tx.epoch()))
        }
        if try tx.account(id: session.account)?.disabledAt != nil { return .refused(.accountDisabled) }
        return .stolen(try endStolen(session, tx))
    }

    /// Counts an unknown refresh token for its address.
    ///
    /// - Returns: `Problem` 401, with the epoch.
    /// - Throws: `Problem` 429.
    private func refusalOfUnknownToken(from address: ClientAddress, now: Int64) async throws -> Problem {
        let subjects = ThrottleSubject.counting(address) { .refreshes(address: $0) }
        let epoch = try await store.read { tx in
            try Throttle.admit(subjects, now: now, tx)
            return try tx.epoch()
        }
        try await store.write(using: .reserve) { tx in try Throttle.count(subjects, now: now, tx) }
        return .tokenUnknown(epoch: epoch)
    }

    /// The result of a refresh. The transaction commits in each case, so that a stolen session stays ended.
    private enum Refreshed: Sendable {
        case granted(SessionGrant)
        case refused(Problem)
        case stolen(StolenSession)
    }

    private func rotate(
        _ session: StoredSession, of account: StoredAccount, since: Int64, now: Int64, _ tx: any StoreWriting
    ) throws -> SessionGrant {
        // Before the session is stored: until the first maintenance, the clock is compared with the latest use of one.
        let trustsClock = try tx.trustsClock(at: now)
        var session = session
        session.generation += 1
        session.generationUsed = false
        session.lastSeenAt = now
        try tx.put(session)
        // A refresh adds two tokens, so the limit suffices even if very many have expired.
        var limit = RemovalLimit()
        let recent = max(since, session.generation - Self.storedGenerations)
        try tx.deleteTokens(session: session.id, generations: since..<recent, limit: &limit)
        // Tokens without claims are kept until they would have expired, so that reuse is recognised.
        if trustsClock {
            try tx.deleteTokens(
                session: session.id, kind: .access, expiredBefore: now - Self.expiredKept, limit: &limit)
            try tx.deleteTokens(session: session.id, kind: .refresh, expiredBefore: now, limit: &limit)
        }
        return try grant(session, of: account, pair: 0, since: since, tx)
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
}

extension StoredAccount {
    /// The account in its form on the wire.
    var wire: Account { Account(id: id, username: username, personalSpace: personalSpace) }
}
