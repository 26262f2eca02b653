internal import Crypto

/// An opaque random string of 256 bits. The server stores only its SHA-256.
struct OpaqueToken: Sendable {
    let text: String

    static func make(_ environment: ServerEnvironment) -> OpaqueToken {
        OpaqueToken(text: Base64URL.encode(environment.randomBytes(32)))
    }

    /// SHA-256 of the text. Of 256 random bits, a plain hash is enough.
    static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}

/// The two tokens of a generation, with the moments at which they expire.
struct TokenPair: Sendable {
    let access: OpaqueToken
    let accessExpiresAt: Int64
    let refresh: OpaqueToken
    let refreshExpiresAt: Int64

    /// A fresh pair for a session.
    static func make(for session: StoredSession, rules: SessionRules, _ environment: ServerEnvironment) -> TokenPair {
        let now = environment.now()
        let end = session.createdAt + rules.session
        return TokenPair(
            access: .make(environment), accessExpiresAt: min(now + rules.access, end),
            refresh: .make(environment), refreshExpiresAt: min(now + rules.refresh, end))
    }

    /// The pair as it is stored.
    func stored(in session: StoredSession) -> [StoredToken] {
        [
            StoredToken(
                hash: OpaqueToken.hash(access.text), session: session.id, kind: .access, generation: session.generation,
                expiresAt: accessExpiresAt),
            StoredToken(
                hash: OpaqueToken.hash(refresh.text), session: session.id, kind: .refresh,
                generation: session.generation,
                expiresAt: refreshExpiresAt),
        ]
    }
}

/// What becomes of a session when a refresh token is presented (RFC 9700 section 4.14.2; SyncAPI.docc/Protocol.md, "Accounts, sessions,
/// devices").
enum RefreshDecision: Equatable {
    /// It is the present one: the next generation replaces it.
    case rotate
    /// It was replaced, but no token of its successor was ever used, so the answer counts as lost: the successor is
    /// withdrawn and replaced by a new pair.
    case replaceSuccessor
    /// It was replaced and its successor was used or replaced too often, or it was withdrawn: two parties hold tokens
    /// of this session, and one of them is a thief. The session ends.
    case stolen
    /// It is too old, or no refresh token.
    case expired, invalid

    /// How often the successor of a token is replaced at most. A network doesn't lose that many answers in a row. Without
    /// a bound, one refresh token could fill the store with withdrawn tokens, and removing those would hide a theft.
    static let replacements = 16

    /// - Parameter pairs: how many pairs of tokens the session's generation has, withdrawn ones included.
    static func decide(
        _ token: StoredToken, of session: StoredSession, pairs: Int, now: Int64
    ) -> RefreshDecision {
        guard token.kind == .refresh else { return .invalid }
        if token.isWithdrawn { return .stolen }
        if token.generation == session.generation { return token.expiresAt > now ? .rotate : .expired }
        if token.generation == session.generation - 1, !session.generationUsed {
            guard token.expiresAt > now else { return .expired }
            return pairs <= replacements ? .replaceSuccessor : .stolen
        }
        return .stolen
    }
}
