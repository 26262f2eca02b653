/// The answer of `GET /v1/devices`.
public struct DeviceList: WireBody, Equatable {
    /// All devices with a session, and all app passwords.
    public var devices: [Entry]

    /// A signed-in device, or an app password.
    public struct Entry: Codable, Sendable, Equatable {
        /// The id by which the device is revoked.
        public var id: String
        /// The name with which it signed in, or that it was given since.
        public var name: String
        /// The time at which it signed in.
        public var createdAt: WireMoment
        /// The time of its last request.
        public var lastSeenAt: WireMoment
        /// Whether it is the device of the request.
        public var current: Bool
        /// The properties of an app password; nil for a signed-in device.
        public var appPassword: AppPassword?
        public init(
            id: String, name: String, createdAt: WireMoment, lastSeenAt: WireMoment, current: Bool,
            appPassword: AppPassword? = nil
        ) {
            self.id = id
            self.name = name
            self.createdAt = createdAt
            self.lastSeenAt = lastSeenAt
            self.current = current
            self.appPassword = appPassword
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
                    .optional("appPassword", AppPassword.schema),
                ])))
    ])
}

/// The body of `PUT /v1/devices/{id}/name`.
public struct DeviceNameRequest: WireBody {
    /// The new name (`DeviceName`).
    public var name: String
    /// Gives a device another name.
    public init(name: String) { self.name = name }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([.required("name", .deviceName)])
}

/// The body of `POST /v1/account/sign-out`.
public struct SignOutRequest: WireBody {
    /// Whether the device of the request is signed out, too.
    public var includingThis: Bool
    /// Signs out all devices of the account, app passwords included.
    public init(includingThis: Bool) { self.includingThis = includingThis }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([.required("includingThis", .boolean)])
}

/// The answer of `POST /v1/account/sign-out`.
public struct SignOutAnswer: WireBody, Equatable {
    /// The number of devices and app passwords that were signed out.
    public var devices: Int
    public init(devices: Int) { self.devices = devices }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([.required("devices", .count)])
}

// MARK: - App passwords

/// The properties of an app password: a device without a refresh token, for plain REST and MCP clients.
public struct AppPassword: WireBody, Equatable {
    /// What it may do.
    public var scope: AccessScope
    /// The time at which it stops to work.
    public var expiresAt: WireMoment
    public init(scope: AccessScope, expiresAt: WireMoment) {
        self.scope = scope
        self.expiresAt = expiresAt
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("scope", .scope), .required("expiresAt", .moment),
    ]).named("AppPassword")
}

/// What an app password may do. Neither scope allows managing the account: its password, devices and app passwords.
public enum AccessScope: String, Codable, Sendable, CaseIterable {
    /// Reads records and events.
    case readOnly = "read-only"
    /// Reads and changes records.
    case full
}

/// The body of `POST /v1/account/app-passwords`.
public struct AppPasswordRequest: WireBody {
    /// The name for the list of devices.
    public var name: String
    /// What the app password may do.
    public var scope: AccessScope
    /// The seconds until it expires, at most `Limits.appPasswordSeconds`; nil: a year.
    public var expiresIn: Int64?
    /// The account's password: a stolen access token, which lives for minutes, must not make a secret that lives for
    /// years.
    public var password: String
    public init(name: String, scope: AccessScope, expiresIn: Int64? = nil, password: String) {
        self.name = name
        self.scope = scope
        self.expiresIn = expiresIn
        self.password = password
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("name", .deviceName), .required("scope", .scope),
        .optional(
            "expiresIn",
            .integer(
                "a number of seconds, 1 to \(Limits.appPasswordSeconds)", minimum: 1,
                maximum: Limits.appPasswordSeconds)),
        .required("password", .string),
    ])
}

/// The answer of `POST /v1/account/app-passwords`.
public struct AppPasswordGrant: WireBody, Equatable {
    /// The beginning of each secret, by which programs distinguish it from a password.
    public static let secretPrefix = "app_"

    /// The app password as a device, with its id and its name.
    public var device: SessionGrant.Device
    /// Its properties.
    public var appPassword: AppPassword
    /// The secret for `Authorization: Bearer`. The server stores only its hash, so it is never shown again.
    public var secret: String
    public init(device: SessionGrant.Device, appPassword: AppPassword, secret: String) {
        self.device = device
        self.appPassword = appPassword
        self.secret = secret
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("device", SessionGrant.Device.schema), .required("appPassword", AppPassword.schema),
        .required("secret", .string),
    ]).named("AppPasswordGrant")
}
