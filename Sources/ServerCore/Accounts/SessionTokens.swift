internal import Crypto
internal import Records

/// An opaque random string of 256 bits. The server stores only its SHA-256.
struct OpaqueToken: Sendable {
    let text: String

    static func make(_ environment: ServerEnvironment, prefix: String = "", suffix: String = "") -> OpaqueToken {
        OpaqueToken(text: prefix + Base64URL.encode(environment.randomBytes(32)) + suffix)
    }

    /// Returns the SHA-256 of the text. For 256 random bits, a fast hash without a salt suffices: they can't be
    /// guessed.
    static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}

/// Where a refresh token belongs. It follows the token's random bits, so that a token that was replaced long ago is
/// recognised although nothing of it is stored any more.
///
/// It gives no access: a token is accepted by its hash alone. A claim that was made up can only end its session, whose
/// id is random and known to those alone who have a refresh token of it.
struct RefreshClaim: Equatable, Sendable {
    /// The id of the session.
    let session: String
    /// The token's generation.
    let generation: Int64
    /// The generation from which on all refresh tokens of the session have a claim. Those of earlier versions of the
    /// server have none.
    let since: Int64

    init(session: StoredSession, since: Int64) {
        self.session = session.id
        generation = session.generation
        self.since = since
    }

    /// Parses the claim of a token; nil if it has none.
    init?(of token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, RecordKey.isIdentifier(parts[1]), let generation = Int64(parts[2]),
            let since = Int64(parts[3]), since >= 0, since <= generation
        else { return nil }
        session = String(parts[1])
        self.generation = generation
        self.since = since
    }

    /// The end of the token's text.
    var suffix: String { ".\(session).\(generation).\(since)" }

    /// Returns whether the token was replaced, if its hash isn't stored. A backup that was restored lacks tokens, too:
    /// those of later generations.
    func isReplaced(in session: StoredSession) -> Bool {
        session.id == self.session && session.appPassword == nil && generation < session.generation
    }
}

/// The two tokens of a generation, with the moments at which they expire.
struct TokenPair: Sendable {
    let access: OpaqueToken
    let accessExpiresAt: Int64
    let refresh: OpaqueToken
    let refreshExpiresAt: Int64

    /// Returns a new pair for a session.
    ///
    /// - Parameter since: The generation from which on all refresh tokens of the session have a claim.
    static func make(
        for session: StoredSession, since: Int64, rules: SessionRules, _ environment: ServerEnvironment
    ) -> TokenPair {
        let now = environment.now()
        let end = session.createdAt + rules.session
        return TokenPair(
            // No token outlives the session, whose length is counted from the log-in.
            access: .make(environment), accessExpiresAt: min(now + rules.access, end),
            refresh: .make(environment, suffix: RefreshClaim(session: session, since: since).suffix),
            refreshExpiresAt: min(now + rules.refresh, end))
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
