/// An account as it is stored. Moments are milliseconds since 1970.
public struct StoredAccount: Sendable, Equatable {
    /// A UUID.
    public var id: String
    /// In lower case, see `Username` (SyncAPI).
    public var username: String
    /// In the PHC string format, with salt and parameters.
    public var passwordHash: String
    /// The id of the space that the account has from the start.
    public var personalSpace: String
    /// When it was made.
    public var createdAt: Int64

    /// An account of these parts.
    public init(id: String, username: String, passwordHash: String, personalSpace: String, createdAt: Int64) {
        self.id = id
        self.username = username
        self.passwordHash = passwordHash
        self.personalSpace = personalSpace
        self.createdAt = createdAt
    }
}

/// A signed-in device: there is one session for each device of an account. Moments are milliseconds since 1970.
public struct StoredSession: Sendable, Equatable {
    /// A UUID.
    public var id: String
    /// The account's id.
    public var account: String
    /// The device's id, unique within the account only.
    public var device: String
    /// The device's name, for people.
    public var deviceName: String
    /// When the device signed in.
    public var createdAt: Int64
    /// When it last asked for anything, to the minute.
    public var lastSeenAt: Int64
    /// How often its tokens were replaced.
    public var generation: Int64
    /// Whether anything of the present generation was ever used; until then the answer that brought it may be lost.
    public var generationUsed: Bool

    /// A session of these parts.
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

/// A token as it is stored: never itself, only its SHA-256.
public struct StoredToken: Sendable, Equatable {
    /// SHA-256 of the token's text.
    public var hash: [UInt8]
    /// The session's id.
    public var session: String
    /// What it is good for.
    public var kind: Kind
    /// With which replacement of the session's tokens it was made.
    public var generation: Int64
    /// In milliseconds since 1970.
    public var expiresAt: Int64
    /// Whether its pair was replaced before any of its tokens was used, because the answer with it counted as lost. Its
    /// use indicates theft.
    public var isWithdrawn: Bool

    /// What a token is good for.
    public enum Kind: String, Sendable {
        /// For requests; for a new pair of tokens.
        case access, refresh
    }

    /// A token of these parts.
    public init(
        hash: [UInt8], session: String, kind: Kind, generation: Int64, expiresAt: Int64, isWithdrawn: Bool = false
    ) {
        self.hash = hash
        self.session = session
        self.kind = kind
        self.generation = generation
        self.expiresAt = expiresAt
        self.isWithdrawn = isWithdrawn
    }
}
