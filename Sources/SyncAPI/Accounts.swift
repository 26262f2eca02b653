/// Who one is on a server.
public struct Account: Codable, Sendable, Equatable {
    /// Chosen by the server; never changes.
    public var id: String
    /// As it was registered; the same in any case of letters.
    public var username: String
    /// The id of the space that every account has from the start.
    public var personalSpace: String

    public init(id: String, username: String, personalSpace: String) {
        self.id = id
        self.username = username
        self.personalSpace = personalSpace
    }
}

/// The device of a request for a session: its name, and its id where it has one already (chosen by the device, the
/// same in its clocks).
public struct DeviceClaim: Codable, Sendable, Equatable {
    /// What the person reads in the list of devices.
    public var name: String
    /// The device's own id; nil: the server chooses one.
    public var id: String?

    public init(name: String, id: String? = nil) {
        self.name = name
        self.id = id
    }
}

/// Body of `POST /v1/accounts`.
public struct RegisterRequest: Codable, Sendable {
    /// The name of the account to make.
    public var username: String
    /// 8 to 1,024 bytes of UTF-8 (`Limits.passwordBytes`); never logged.
    public var password: String
    /// The device that is signed in at once.
    public var device: DeviceClaim
    /// The code that lets one register where the server wants one.
    public var invite: String?

    public init(username: String, password: String, device: DeviceClaim, invite: String? = nil) {
        self.username = username
        self.password = password
        self.device = device
        self.invite = invite
    }
}

/// Body of `POST /v1/sessions`.
public struct LogInRequest: Codable, Sendable {
    /// The account to sign in to.
    public var username: String
    /// Its password; never logged.
    public var password: String
    /// The device that signs in.
    public var device: DeviceClaim

    public init(username: String, password: String, device: DeviceClaim) {
        self.username = username
        self.password = password
        self.device = device
    }
}

/// Body of `POST /v1/sessions/refresh`.
public struct RefreshRequest: Codable, Sendable {
    /// The refresh token of the last grant; it is used up by this request.
    public var refreshToken: String
    /// Asks for a new pair of tokens in exchange for a refresh token.
    public init(refreshToken: String) { self.refreshToken = refreshToken }
}

/// Body of `PUT /v1/account/password`.
public struct PasswordChangeRequest: Codable, Sendable {
    /// The password until now; a token alone doesn't change it.
    public var currentPassword: String
    /// 8 to 1,024 bytes of UTF-8 (`Limits.passwordBytes`).
    public var newPassword: String

    public init(currentPassword: String, newPassword: String) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
    }
}

/// Body of `POST /v1/account/deletion`.
public struct AccountDeletionRequest: Codable, Sendable {
    /// The account's password; a token alone doesn't delete it.
    public var password: String
    public init(password: String) { self.password = password }
}

/// What a log-in, a registration and a refresh answer. Times are RFC 3339 in UTC with milliseconds.
public struct SessionGrant: Codable, Sendable, Equatable {
    /// Whose session it is.
    public var account: Account
    /// The device that it belongs to.
    public var device: Device
    /// An opaque string for `Authorization: Bearer`.
    public var accessToken: String
    /// When the access token ends.
    public var accessTokenExpiresAt: String
    /// An opaque string that buys the next grant, once.
    public var refreshToken: String
    /// When the refresh token ends, unless it is used before.
    public var refreshTokenExpiresAt: String
    /// The epoch of the server's data: a random id that changes when they are created or restored. A server of an earlier
    /// version sends none.
    public var epoch: String?

    /// The device that the session belongs to.
    public struct Device: Codable, Sendable, Equatable {
        /// The id that the device claimed, or that the server chose.
        public var id: String
        /// The name that it claimed.
        public var name: String
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    public init(
        account: Account, device: Device, accessToken: String, accessTokenExpiresAt: String, refreshToken: String,
        refreshTokenExpiresAt: String, epoch: String? = nil
    ) {
        self.account = account
        self.device = device
        self.accessToken = accessToken
        self.accessTokenExpiresAt = accessTokenExpiresAt
        self.refreshToken = refreshToken
        self.refreshTokenExpiresAt = refreshTokenExpiresAt
        self.epoch = epoch
    }
}

/// Answer of `GET /v1/account`.
public struct AccountStatus: Codable, Sendable, Equatable {
    /// The account of the token.
    public var account: Account
    /// What it holds now.
    public var usage: Usage
    /// The bytes that the account may hold; nil: no limit.
    public var quotaBytes: Int64?

    /// What the account holds.
    public struct Usage: Codable, Sendable, Equatable {
        /// Live records; tombstones don't count.
        public var records: Int64
        /// The bytes that the server stores for the account: fields and clocks of records, deleted ones included, and of their
        /// revisions, and the results of its last requests.
        public var bytes: Int64
        public init(records: Int64, bytes: Int64) {
            self.records = records
            self.bytes = bytes
        }
    }

    public init(account: Account, usage: Usage, quotaBytes: Int64?) {
        self.account = account
        self.usage = usage
        self.quotaBytes = quotaBytes
    }
}

/// Answer of `GET /v1/devices`.
public struct DeviceList: Codable, Sendable, Equatable {
    /// Every device with a living session.
    public var devices: [Entry]

    /// A signed-in device.
    public struct Entry: Codable, Sendable, Equatable {
        /// What revoking it takes.
        public var id: String
        /// The name that it signed in with.
        public var name: String
        /// When it signed in: RFC 3339 in UTC.
        public var createdAt: String
        /// When it asked for something the last time: RFC 3339 in UTC.
        public var lastSeenAt: String
        /// Whether it is the one that asks.
        public var current: Bool
        public init(id: String, name: String, createdAt: String, lastSeenAt: String, current: Bool) {
            self.id = id
            self.name = name
            self.createdAt = createdAt
            self.lastSeenAt = lastSeenAt
            self.current = current
        }
    }

    public init(devices: [Entry]) { self.devices = devices }
}

/// Answer of `GET /v1/`.
public struct Capabilities: Codable, Sendable, Equatable {
    /// The software's name.
    public var name: String
    /// The versions of the protocol that the server speaks.
    public var protocols: [Int]
    /// What it can do beyond the protocol's required parts, by name.
    public var capabilities: [String]
    /// Who may make an account here.
    public var registration: Registration
    /// What requests to this server may hold.
    public var limits: Limits

    /// Who may register.
    public enum Registration: String, Codable, Sendable, CaseIterable {
        /// Everybody; whoever has an invitation; nobody.
        case open, invite, closed
    }

    /// What this server takes, in bytes and counts.
    public struct Limits: Codable, Sendable, Equatable {
        /// A request's body.
        public var bodyBytes: Int
        /// A record's fields.
        public var fieldsBytes: Int
        /// Mutations in one request.
        public var mutations: Int
        /// Records on one page.
        public var pageRecords: Int
        public init(bodyBytes: Int, fieldsBytes: Int, mutations: Int, pageRecords: Int) {
            self.bodyBytes = bodyBytes
            self.fieldsBytes = fieldsBytes
            self.mutations = mutations
            self.pageRecords = pageRecords
        }
    }

    public init(
        name: String, protocols: [Int], capabilities: [String], registration: Registration, limits: Limits
    ) {
        self.name = name
        self.protocols = protocols
        self.capabilities = capabilities
        self.registration = registration
        self.limits = limits
    }
}
