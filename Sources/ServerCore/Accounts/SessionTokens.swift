internal import Crypto
internal import Records

/// An opaque random string of 256 bits. The server stores only its SHA-256.
struct OpaqueToken: Sendable {
    let text: String

    static func make(_ environment: ServerEnvironment, prefix: String = "") -> OpaqueToken {
        OpaqueToken(text: prefix + Base64URL.encode(environment.randomBytes(32)))
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
