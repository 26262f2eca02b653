public import SyncAPI

/// An account as it is stored. Moments are in milliseconds since 1970.
public struct StoredAccount: Sendable, Equatable {
    /// A UUID.
    public var id: String
    /// The name in lower case, see `Username` (SyncAPI).
    public var username: String
    /// The hash in the PHC string format, with salt and parameters; `noPassword`: no password is right.
    public var passwordHash: String
    /// The id of the space that the account has from the start.
    public var personalSpace: String
    /// The moment of registration.
    public var createdAt: Int64
    /// The moment at which the server's owner disabled the account; nil: it is enabled.
    public var disabledAt: Int64?
    /// The account's own limits.
    public var quota: AccountQuota

    /// Creates an account of these parts.
    public init(
        id: String, username: String, passwordHash: String, personalSpace: String, createdAt: Int64,
        disabledAt: Int64? = nil, quota: AccountQuota = AccountQuota()
    ) {
        self.id = id
        self.username = username
        self.passwordHash = passwordHash
        self.personalSpace = personalSpace
        self.createdAt = createdAt
        self.disabledAt = disabledAt
        self.quota = quota
    }
}

extension StoredAccount {
    /// The hash of an account whose password isn't set yet.
    public static let noPassword = ""
}

/// A one-time code with which a person sets a new password. Only its SHA-256 is stored.
public struct StoredReset: Sendable, Equatable {
    /// The account's id. An account has one code at most.
    public var account: String
    /// SHA-256 of the code.
    public var codeHash: [UInt8]
    /// The moment at which the code stops to work, in milliseconds since 1970.
    public var expiresAt: Int64

    /// Creates a reset of these parts.
    public init(account: String, codeHash: [UInt8], expiresAt: Int64) {
        self.account = account
        self.codeHash = codeHash
        self.expiresAt = expiresAt
    }
}

/// The numbers of everything that is stored.
public struct StoredTotals: Sendable, Equatable {
    /// Number of accounts.
    public var accounts: Int64
    /// Number of disabled accounts among them.
    public var disabledAccounts: Int64
    /// Number of signed-in devices.
    public var devices: Int64
    /// Number of app passwords.
    public var appPasswords: Int64
    /// Number of spaces.
    public var spaces: Int64
    /// Number of live records.
    public var records: Int64
    /// Bytes of the fields and clocks of all records and revisions, and of the results of the last requests.
    public var bytes: Int64

    /// Creates totals of these parts.
    public init(
        accounts: Int64 = 0, disabledAccounts: Int64 = 0, devices: Int64 = 0, appPasswords: Int64 = 0,
        spaces: Int64 = 0, records: Int64 = 0, bytes: Int64 = 0
    ) {
        self.accounts = accounts
        self.disabledAccounts = disabledAccounts
        self.devices = devices
        self.appPasswords = appPasswords
        self.spaces = spaces
        self.records = records
        self.bytes = bytes
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
    /// The properties of an app password, which has one access token and no refresh token; nil for a signed-in device.
    public var appPassword: AppPassword?

    /// The properties of an app password.
    public struct AppPassword: Sendable, Equatable {
        /// What it may do.
        public var scope: AccessScope
        /// The moment at which it stops to work, in milliseconds since 1970.
        public var expiresAt: Int64

        /// Creates an app password of these parts.
        public init(scope: AccessScope, expiresAt: Int64) {
            self.scope = scope
            self.expiresAt = expiresAt
        }
    }

    /// Creates a session of these parts.
    public init(
        id: String, account: String, device: String, deviceName: String, createdAt: Int64, lastSeenAt: Int64,
        generation: Int64 = 0, generationUsed: Bool = false, appPassword: AppPassword? = nil
    ) {
        self.id = id
        self.account = account
        self.device = device
        self.deviceName = deviceName
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.generation = generation
        self.generationUsed = generationUsed
        self.appPassword = appPassword
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
