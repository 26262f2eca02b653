/// Who one is on a server.
public struct Account: Codable, Sendable, Equatable {
    public var id: String
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
    public var name: String
    public var id: String?

    public init(name: String, id: String? = nil) {
        self.name = name
        self.id = id
    }
}

/// Body of `POST /v1/accounts`.
public struct RegisterRequest: Codable, Sendable {
    public var username: String
    public var password: String
    public var device: DeviceClaim
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
    public var username: String
    public var password: String
    public var device: DeviceClaim

    public init(username: String, password: String, device: DeviceClaim) {
        self.username = username
        self.password = password
        self.device = device
    }
}

/// Body of `POST /v1/sessions/refresh`.
public struct RefreshRequest: Codable, Sendable {
    public var refreshToken: String
    public init(refreshToken: String) { self.refreshToken = refreshToken }
}

/// Body of `PUT /v1/account/password`.
public struct PasswordChangeRequest: Codable, Sendable {
    public var currentPassword: String
    public var newPassword: String

    public init(currentPassword: String, newPassword: String) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
    }
}

/// Body of `POST /v1/account/deletion`.
public struct AccountDeletionRequest: Codable, Sendable {
    public var password: String
    public init(password: String) { self.password = password }
}

/// What a log-in, a registration and a refresh answer. Times are RFC 3339 in UTC with milliseconds.
public struct SessionGrant: Codable, Sendable, Equatable {
    public var account: Account
    public var device: Device
    public var accessToken: String
    public var accessTokenExpiresAt: String
    public var refreshToken: String
    public var refreshTokenExpiresAt: String

    /// The device that the session belongs to.
    public struct Device: Codable, Sendable, Equatable {
        public var id: String
        public var name: String
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    public init(
        account: Account, device: Device, accessToken: String, accessTokenExpiresAt: String, refreshToken: String,
        refreshTokenExpiresAt: String
    ) {
        self.account = account
        self.device = device
        self.accessToken = accessToken
        self.accessTokenExpiresAt = accessTokenExpiresAt
        self.refreshToken = refreshToken
        self.refreshTokenExpiresAt = refreshTokenExpiresAt
    }
}

/// Answer of `GET /v1/account`.
public struct AccountStatus: Codable, Sendable, Equatable {
    public var account: Account
    public var usage: Usage
    /// The bytes of live fields that the account may hold; nil: no limit.
    public var quotaBytes: Int64?

    /// What the account holds.
    public struct Usage: Codable, Sendable, Equatable {
        public var records: Int64
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
    public var devices: [Entry]

    /// A signed-in device.
    public struct Entry: Codable, Sendable, Equatable {
        public var id: String
        public var name: String
        public var createdAt: String
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
    public var name: String
    public var protocols: [Int]
    public var capabilities: [String]
    public var registration: Registration
    public var limits: Limits

    /// Who may register.
    public enum Registration: String, Codable, Sendable, CaseIterable {
        case open, invite, closed
    }

    /// What this server takes, in bytes and counts.
    public struct Limits: Codable, Sendable, Equatable {
        public var bodyBytes: Int
        public var fieldsBytes: Int
        public var mutations: Int
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
