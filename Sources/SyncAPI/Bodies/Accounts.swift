/// An account on a server.
public struct Account: WireBody, Equatable {
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

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("id", .identifier), .required("username", .username), .required("personalSpace", .identifier),
    ]).named("Account")
}

/// Body of `POST /v1/accounts`.
public struct RegisterRequest: WireBody {
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

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("username", .username), .required("password", .newPassword), .required("device", DeviceClaim.schema),
        .optional("invite", .string),
    ])
}

/// Answer of `GET /v1/account`.
public struct AccountStatus: WireBody, Equatable {
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

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("account", Account.schema),
        .required("usage", .object([.required("records", .count), .required("bytes", .count)])),
        .optional("quotaBytes", .count),
    ])
}

/// Body of `PUT /v1/account/password`.
public struct PasswordChangeRequest: WireBody {
    /// The password until now; a token alone doesn't change it.
    public var currentPassword: String
    /// 8 to 1,024 bytes of UTF-8 (`Limits.passwordBytes`).
    public var newPassword: String

    public init(currentPassword: String, newPassword: String) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("currentPassword", .string), .required("newPassword", .newPassword),
    ])
}

/// Body of `POST /v1/account/deletion`.
public struct AccountDeletionRequest: WireBody {
    /// The account's password; a token alone doesn't delete it.
    public var password: String
    public init(password: String) { self.password = password }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([.required("password", .string)])
}

/// Answer of `GET /v1/spaces`.
public struct SpaceList: WireBody, Equatable {
    /// The spaces of which the account is a member, in order of id.
    public var spaces: [Entry]

    /// A space of which the account is a member.
    public struct Entry: Codable, Sendable, Equatable {
        /// The space's id.
        public var id: String
        /// What the account may do in it.
        public var role: Role
        /// Whether it is the account's personal space.
        public var personal: Bool

        /// A membership of these parts.
        public init(id: String, role: Role, personal: Bool) {
            self.id = id
            self.role = role
            self.personal = personal
        }
    }

    /// A list of spaces.
    public init(spaces: [Entry]) { self.spaces = spaces }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required(
            "spaces",
            .array(
                of: .object([.required("id", .identifier), .required("role", .role), .required("personal", .boolean)])))
    ])
}

/// Answer of `GET /v1/devices`.
public struct DeviceList: WireBody, Equatable {
    /// Every device with a living session.
    public var devices: [Entry]

    /// A signed-in device.
    public struct Entry: Codable, Sendable, Equatable {
        /// The id for revoking it.
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

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required(
            "devices",
            .array(
                of: .object([
                    .required("id", .identifier), .required("name", .deviceName), .required("createdAt", .moment),
                    .required("lastSeenAt", .moment), .required("current", .boolean),
                ])))
    ])
}
