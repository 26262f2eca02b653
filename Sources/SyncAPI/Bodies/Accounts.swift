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
    /// The password: at least 8 characters, at most 1,024 bytes (`Password.init(new:)`); never logged.
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
    /// The limits of the usage; nil from a server of an earlier version, which has none.
    public var quota: Quota?
    /// The properties of the app password of the request; nil for a signed-in device, and from a server of an earlier
    /// version.
    public var appPassword: AppPassword?

    /// The usage of an account.
    public struct Usage: Codable, Sendable, Equatable {
        /// The number of live records, without tombstones.
        public var records: Int64
        /// The bytes that the server stores for the account: fields and clocks of records, deleted ones included, and
        /// of their revisions, and the results of its last requests.
        public var bytes: Int64
        /// The number of signed-in devices and app passwords; nil from a server of an earlier version.
        public var devices: Int64?
        /// The number of open event streams; nil from a server of an earlier version.
        public var streams: Int64?
        public init(records: Int64, bytes: Int64, devices: Int64? = nil, streams: Int64? = nil) {
            self.records = records
            self.bytes = bytes
            self.devices = devices
            self.streams = streams
        }
    }

    /// The limits of an account, which the owner of the server sets. Nil: no limit.
    public typealias Quota = QuotaValues<Int64?>

    public init(account: Account, usage: Usage, quota: Quota?, appPassword: AppPassword? = nil) {
        self.account = account
        self.usage = usage
        self.quota = quota
        self.appPassword = appPassword
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("account", Account.schema),
        .required(
            "usage",
            .object([
                .required("records", .count), .required("bytes", .count), .optional("devices", .count),
                .optional("streams", .count),
            ])),
        .optional("quota", Quota.schema), .optional("appPassword", AppPassword.schema),
    ])
}

/// The body of `PUT /v1/account/password`.
public struct PasswordChangeRequest: WireBody {
    /// The present password. A token alone doesn't change it, so that a stolen token can't lock out the user.
    public var currentPassword: String
    /// The new password: at least 8 characters, at most 1,024 bytes (`Password.init(new:)`).
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
