/// The device of a request for a session: its name, and its id if it has one (chosen by the device, and the same in its
/// clocks).
public struct DeviceClaim: WireBody, Equatable {
    /// The name for the list of devices.
    public var name: String
    /// The device's own id; nil if the server is to choose one.
    public var id: String?

    public init(name: String, id: String? = nil) {
        self.name = name
        self.id = id
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("name", .deviceName), .optional("id", .identifier),
    ])
}

/// The body of `POST /v1/sessions`.
public struct LogInRequest: WireBody {
    /// The account to sign in to.
    public var username: String
    /// The account's password; never logged.
    public var password: String
    /// The device that signs in.
    public var device: DeviceClaim
    /// The proof of an earlier session of the device with this account, from its last `SessionGrant`. With it, failures
    /// from elsewhere don't delay this log-in.
    public var deviceProof: String?

    public init(username: String, password: String, device: DeviceClaim, deviceProof: String? = nil) {
        self.username = username
        self.password = password
        self.device = device
        self.deviceProof = deviceProof
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        // Any strings: a name or password that can't be valid is answered 401 like a wrong one, in the same time.
        .required("username", .string), .required("password", .string), .required("device", DeviceClaim.schema),
        .optional("deviceProof", .string),
    ])
}

/// The body of `POST /v1/sessions/reset`: a log-in with a one-time code of the server's owner in place of the password.
public struct ResetLogInRequest: WireBody {
    /// The account to sign in to.
    public var username: String
    /// The code, which works once. Case, spaces and hyphens are ignored.
    public var code: String
    /// The new password: at least 8 characters, at most 1,024 bytes (`Password.init(new:)`); never logged.
    public var newPassword: String
    /// The device that signs in. Every other session of the account ends.
    public var device: DeviceClaim

    public init(username: String, code: String, newPassword: String, device: DeviceClaim) {
        self.username = username
        self.code = code
        self.newPassword = newPassword
        self.device = device
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("username", .string), .required("code", .string), .required("newPassword", .newPassword),
        .required("device", DeviceClaim.schema),
    ])
}

/// The body of `POST /v1/sessions/refresh`.
public struct RefreshRequest: WireBody {
    /// The refresh token of the last grant, which can be used only once.
    public var refreshToken: String
    /// Requests a new pair of tokens in exchange for a refresh token.
    public init(refreshToken: String) { self.refreshToken = refreshToken }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([.required("refreshToken", .string)])
}

/// The answer to a log-in, a registration and a refresh.
public struct SessionGrant: WireBody, Equatable {
    /// The account of the session.
    public var account: Account
    /// The device of the session.
    public var device: Device
    /// An opaque string for `Authorization: Bearer`.
    public var accessToken: String
    /// The time at which the access token expires.
    public var accessTokenExpiresAt: WireMoment
    /// An opaque string for the next refresh; it can be used once.
    public var refreshToken: String
    /// The time at which the refresh token expires if it isn't used.
    public var refreshTokenExpiresAt: WireMoment
    /// The epoch of the server's data: a random id that changes when they are created or restored. Nil from a server of
    /// an earlier version.
    public var epoch: String?

    /// A secret by which the device proves this session at a later log-in, even after the session has ended. Nil in the
    /// answer to a refresh, and from a server of an earlier version.
    public var deviceProof: String?

    /// The device of a session.
    public struct Device: Codable, Sendable, Equatable {
        /// The id that the device claimed, or that the server chose.
        public var id: String
        /// The name that it claimed.
        public var name: String
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }

        static let schema: BodySchema = .object([.required("id", .identifier), .required("name", .deviceName)])
    }

    public init(
        account: Account, device: Device, accessToken: String, accessTokenExpiresAt: WireMoment, refreshToken: String,
        refreshTokenExpiresAt: WireMoment, epoch: String? = nil, deviceProof: String? = nil
    ) {
        self.account = account
        self.device = device
        self.accessToken = accessToken
        self.accessTokenExpiresAt = accessTokenExpiresAt
        self.refreshToken = refreshToken
        self.refreshTokenExpiresAt = refreshTokenExpiresAt
        self.epoch = epoch
        self.deviceProof = deviceProof
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("account", Account.schema),
        .required("device", Device.schema),
        .required("accessToken", .string), .required("accessTokenExpiresAt", .moment),
        .required("refreshToken", .string), .required("refreshTokenExpiresAt", .moment),
        .optional("epoch", .string), .optional("deviceProof", .string),
    ]).named("SessionGrant")
}
