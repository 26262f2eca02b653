/// An account on a server.
public struct Account: WireBody, Equatable {
    /// The id, chosen by the server; it never changes.
    public var id: String
    /// The name as registered; case is ignored.
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

/// The body of `POST /v1/accounts`.
public struct RegisterRequest: WireBody {
    /// The name of the account to create.
    public var username: String
    /// The password: 8 to 1,024 bytes of UTF-8 (`Limits.passwordBytes`); never logged.
    public var password: String
    /// The device, which is signed in at once.
    public var device: DeviceClaim
    /// The invitation code, which is needed if the server's registration is by invitation.
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

/// The answer of `GET /v1/account`.
public struct AccountStatus: WireBody, Equatable {
    /// The account of the token.
    public var account: Account
    /// The usage of the account.
    public var usage: Usage
    /// The number of bytes that the account may use; nil: no limit.
    public var quotaBytes: Int64?

    /// The usage of an account.
    public struct Usage: Codable, Sendable, Equatable {
        /// The number of live records, without tombstones.
        public var records: Int64
        /// The bytes that the server stores for the account: fields and clocks of records, deleted ones included, and
        /// of their revisions, and the results of its last requests.
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

/// The body of `PUT /v1/account/password`.
public struct PasswordChangeRequest: WireBody {
    /// The present password. A token alone doesn't change it, so that a stolen token can't lock out the user.
    public var currentPassword: String
    /// The new password: 8 to 1,024 bytes of UTF-8 (`Limits.passwordBytes`).
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

/// The body of `POST /v1/account/deletion`.
public struct AccountDeletionRequest: WireBody {
    /// The account's password; a token alone doesn't delete it.
    public var password: String
    public init(password: String) { self.password = password }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([.required("password", .string)])
}

/// The answer of `GET /v1/spaces`.
public struct SpaceList: WireBody, Equatable {
    /// The spaces of which the account is a member, in order of id.
    public var spaces: [Entry]

    /// A space of which the account is a member.
    public struct Entry: Codable, Sendable, Equatable {
        /// The space's id.
        public var id: String
        /// The role of the account in it.
        public var role: Role
        /// Whether it is the account's personal space.
        public var personal: Bool

        /// Creates an entry.
        public init(id: String, role: Role, personal: Bool) {
            self.id = id
            self.role = role
            self.personal = personal
        }
    }

    /// Creates a list of spaces.
    public init(spaces: [Entry]) { self.spaces = spaces }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required(
            "spaces",
            .array(
                of: .object([.required("id", .identifier), .required("role", .role), .required("personal", .boolean)])))
    ])
}

/// The answer of `GET /v1/devices`.
public struct DeviceList: WireBody, Equatable {
    /// All devices with a session.
    public var devices: [Entry]

    /// A signed-in device.
    public struct Entry: Codable, Sendable, Equatable {
        /// The id by which the device is revoked.
        public var id: String
        /// The name with which it signed in.
        public var name: String
        /// The time at which it signed in.
        public var createdAt: WireMoment
        /// The time of its last request.
        public var lastSeenAt: WireMoment
        /// Whether it is the device of the request.
        public var current: Bool
        public init(id: String, name: String, createdAt: WireMoment, lastSeenAt: WireMoment, current: Bool) {
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
