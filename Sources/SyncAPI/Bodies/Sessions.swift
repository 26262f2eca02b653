/// The device of a request for a session: its name, and its id where it has one already (chosen by the device, the
/// same in its clocks).
public struct DeviceClaim: WireBody, Equatable {
    /// What the person reads in the list of devices.
    public var name: String
    /// The device's own id; nil: the server chooses one.
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

/// Body of `POST /v1/sessions`.
public struct LogInRequest: WireBody {
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

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("username", .string), .required("password", .string), .required("device", DeviceClaim.schema),
    ])
}

/// Body of `POST /v1/sessions/refresh`.
public struct RefreshRequest: WireBody {
    /// The refresh token of the last grant; it is used up by this request.
    public var refreshToken: String
    /// Asks for a new pair of tokens in exchange for a refresh token.
    public init(refreshToken: String) { self.refreshToken = refreshToken }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([.required("refreshToken", .string)])
}

/// What a log-in, a registration and a refresh answer. Times are RFC 3339 in UTC with milliseconds.
public struct SessionGrant: WireBody, Equatable {
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

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("account", Account.schema),
        .required("device", .object([.required("id", .identifier), .required("name", .deviceName)])),
        .required("accessToken", .string), .required("accessTokenExpiresAt", .moment),
        .required("refreshToken", .string), .required("refreshTokenExpiresAt", .moment),
        .optional("epoch", .string),
    ]).named("SessionGrant")
}
