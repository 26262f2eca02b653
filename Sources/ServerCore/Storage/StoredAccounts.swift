/// An account as it is stored. Moments are in milliseconds since 1970.
public struct StoredAccount: Sendable, Equatable {
    /// A UUID.
    public var id: String
    /// The name in lower case, see `Username` (SyncAPI).
    public var username: String
    /// The hash in the PHC string format, with salt and parameters.
    public var passwordHash: String
    /// The id of the space that the account has from the start.
    public var personalSpace: String
    /// The moment of registration.
    public var createdAt: Int64

    /// Creates an account of these parts.
    public init(id: String, username: String, passwordHash: String, personalSpace: String, createdAt: Int64) {
        self.id = id
        self.username = username
        self.passwordHash = passwordHash
        self.personalSpace = personalSpace
        self.createdAt = createdAt
    }
}

/// A signed-in device: each device of an account has one session. Moments are in milliseconds since 1970.
public struct StoredSession: Sendable, Equatable {
    /// A UUID.
    public var id: String
    /// The account's id.
    public var account: String
    /// The device's id, unique within the account only.
    public var device: String
    /// The device's name, for people.
    public var deviceName: String
    /// The moment at which the device signed in.
    public var createdAt: Int64
    /// The moment of the last request, to the minute.
    public var lastSeenAt: Int64
    /// Number of times that the tokens were replaced.
    public var generation: Int64
    /// Whether a token of the present generation was ever used. Until then, the answer with these tokens may be lost.
    public var generationUsed: Bool

    /// Creates a session of these parts.
    public init(
        id: String, account: String, device: String, deviceName: String, createdAt: Int64, lastSeenAt: Int64,
        generation: Int64 = 0, generationUsed: Bool = false
    ) {
        self.id = id
        self.account = account
        self.device = device
        self.deviceName = deviceName
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.generation = generation
        self.generationUsed = generationUsed
    }
}

/// A token as it is stored: only its SHA-256, never its text.
public struct StoredToken: Sendable, Equatable {
    /// SHA-256 of the token's text.
    public var hash: [UInt8]
    /// The session's id.
    public var session: String
    /// The use of the token.
    public var kind: Kind
    /// The number of the replacement of the session's tokens that made it.
    public var generation: Int64
    /// The number of its pair within the generation. A refresh that is sent again adds a pair to the generation.
    public var pair: Int64
    /// The moment in milliseconds since 1970.
    public var expiresAt: Int64
    /// Whether another pair of its generation was used first. Use of a withdrawn token indicates theft.
    public var isWithdrawn: Bool

    /// The use of a token.
    public enum Kind: String, Sendable {
        /// Authenticates requests; obtains a new pair of tokens.
        case access, refresh
    }

    /// Creates a token of these parts.
    public init(
        hash: [UInt8], session: String, kind: Kind, generation: Int64, pair: Int64, expiresAt: Int64,
        isWithdrawn: Bool = false
    ) {
        self.hash = hash
        self.session = session
        self.kind = kind
        self.generation = generation
        self.pair = pair
        self.expiresAt = expiresAt
        self.isWithdrawn = isWithdrawn
    }
}
