public import Foundation
public import SyncAPI

/// The stored session of a home: the account, the server and the device, and whether the server still accepts it.
///
/// It outlives the session: after a log-out, or when the server has ended the session, account, server and device stay
/// known, so that the next log-in continues as the same device and no unsent edit is lost.
public struct Credentials: Codable, Sendable, Equatable {
    /// The account and the server.
    public var identity: SessionIdentity
    /// Whether the session can still be used.
    public var state: State
    /// The secret by which this device proves the session at its next log-in (`LogInRequest.deviceProof`), also when the
    /// session has ended; nil: the server has issued none.
    public var deviceProof: String?

    /// Whether a session can still be used.
    public enum State: Codable, Sendable, Equatable {
        /// The server accepts these tokens, as far as is known.
        case active(tokens: Tokens)
        /// As `active`, but the store returns the tokens separately: `CredentialStore.tokens(of:)`.
        case separate
        /// The user must log in again.
        case ended(reason: SessionEnd)
    }

    public init(identity: SessionIdentity, state: State, deviceProof: String? = nil) {
        self.identity = identity
        self.state = state
        self.deviceProof = deviceProof
    }

    /// Why the session can't be used; nil if it can.
    public var end: SessionEnd? {
        switch state {
        // Sessions of earlier versions may lack the user's consent to plain http, which anyone on the way could read.
        case .active, .separate: identity.server.isExposed && !identity.insecureHTTP ? .unencrypted : nil
        case .ended(let reason): reason
        }
    }

    /// The tokens; nil: the user must log in again, or the store returns them separately.
    public var tokens: Tokens? {
        switch state {
        case .active(let tokens): tokens
        case .separate, .ended: nil
        }
    }
}

/// The two tokens of a session (SyncAPI.docc/Protocol.md, "Accounts, sessions, devices").
public struct Tokens: Codable, Sendable, Equatable {
    /// The access token, which each request carries.
    public var access: String
    /// The expiry of the access token by this device's own clock, so that a wrong clock does no harm; nil: unknown.
    public var accessExpiresAt: Date?
    /// The refresh token, which is exchanged once for a new pair; empty: `access` is an app password, which isn't
    /// refreshed.
    public var refresh: String

    public init(access: String, accessExpiresAt: Date?, refresh: String) {
        self.access = access
        self.accessExpiresAt = accessExpiresAt
        self.refresh = refresh
    }
}

/// The account, the server and the device of a session; no secrets.
public struct SessionIdentity: Codable, Sendable, Equatable {
    /// The server of the account.
    public var server: ServerAddress
    /// Whether the user has accepted an unencrypted connection to the server (`ServerAddress.isExposed`).
    public var insecureHTTP: Bool
    /// The account of the session.
    public var account: Account
    /// This device, as the server knows it.
    public var device: SessionGrant.Device
    /// The epoch of the server's data when the session was last renewed; nil: unknown.
    public var epoch: String?
    /// What the app password of the session may do, and how long; nil: it has none, or the server doesn't say.
    public var appPassword: AppPassword?

    public init(
        server: ServerAddress, insecureHTTP: Bool = false, account: Account, device: SessionGrant.Device,
        epoch: String? = nil, appPassword: AppPassword? = nil
    ) {
        self.server = server
        self.insecureHTTP = insecureHTTP
        self.account = account
        self.device = device
        self.epoch = epoch
        self.appPassword = appPassword
    }

    /// Decodes a session; `insecureHTTP`, `epoch` and `appPassword` are absent in sessions stored by earlier versions.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            server: try container.decode(ServerAddress.self, forKey: .server),
            insecureHTTP: try container.decodeIfPresent(Bool.self, forKey: .insecureHTTP) ?? false,
            account: try container.decode(Account.self, forKey: .account),
            device: try container.decode(SessionGrant.Device.self, forKey: .device),
            epoch: try container.decodeIfPresent(String.self, forKey: .epoch),
            appPassword: try container.decodeIfPresent(AppPassword.self, forKey: .appPassword))
    }
}

/// Why a session is over. New cases may be added.
public enum SessionEnd: String, Codable, Sendable, CaseIterable {
    /// The user logged out here.
    case loggedOut
    /// It wasn't used for so long that the server has ended it.
    case expired
    /// It was refreshed so often that the server has ended it, for instance by a faulty program.
    case refreshedTooOften = "refreshed-too-often"
    /// The server refuses it: the device was signed out from elsewhere, the password was changed, or the account was
    /// deleted.
    case revoked
    /// The server's data were lost or replaced since the session was last renewed, and the server doesn't know the
    /// session.
    case unknownToServer = "unknown"
    /// The server refuses the app password with which this home was signed in.
    case appPasswordRefused = "app-password"
    /// The session's tokens would be sent to another machine over plain http, which the user has not accepted. Earlier
    /// versions created such sessions. Determined when the session is used, and not stored.
    case unencrypted
    /// The store doesn't have the session's tokens. Determined when they are needed, and not stored.
    case tokensMissing = "missing"

    /// What has happened, as a clause: `the session has expired`.
    public var reason: String {
        switch self {
        case .loggedOut: "you are signed out"
        case .expired: "the session has expired"
        case .refreshedTooOften: "the session was refreshed too often, so the server has ended it"
        // The server answers the same to both, which reveals no accounts.
        case .revoked: "this device was signed out elsewhere, the password was changed, or the account no longer exists"
        case .unknownToServer: "the server no longer knows this device"
        case .unencrypted: "plain http is refused"
        case .appPasswordRefused:
            "the app password of this home has expired or was revoked, or the account no longer exists"
        case .tokensMissing: "the session's tokens are not where this device stores them"
        }
    }
}

// For modules that don't import SyncAPI, such as LocalStore.
extension SessionIdentity {
    /// The account's user name.
    public var username: String { account.username }
    /// The id of the account's personal space.
    public var personalSpace: String { account.personalSpace }
    /// The id that this device has in clocks and sessions.
    public var deviceID: String { device.id }
}

extension Credentials {
    /// Creates the session that a server has just granted.
    ///
    /// The expiry is converted to this device's clock with the answer's `Date`, so that with a wrong clock the token is
    /// neither renewed before each request nor used after its end.
    init(grant: SessionGrant, from server: Destination, date: Date?, now: Date) {
        // A time that can't be read is no error: the token is then renewed when the server refuses it.
        let expiry = grant.accessTokenExpiresAt.date
        let skew = date.map { now.timeIntervalSince($0) } ?? 0
        self.init(
            identity: SessionIdentity(
                server: server.address, insecureHTTP: server.insecureHTTP, account: grant.account, device: grant.device,
                epoch: grant.epoch),
            state: .active(
                tokens: Tokens(
                    access: grant.accessToken, accessExpiresAt: expiry?.addingTimeInterval(skew),
                    refresh: grant.refreshToken)), deviceProof: grant.deviceProof)
    }
}

extension Tokens {
    /// Returns whether the access token has expired, or expires so soon that a request may arrive too late with it.
    func isNearExpiry(at now: Date) -> Bool {
        guard let accessExpiresAt else { return false }
        return now.addingTimeInterval(Self.leeway) >= accessExpiresAt
    }

    /// The time before its expiry at which a token is renewed, in seconds.
    private static let leeway: TimeInterval = 30
}

/// The storage of a home's session, for all processes that share the home.
public protocol CredentialStore: Sendable {
    /// Returns the session; nil: there never was one. Each call reads the store, since another process may have changed
    /// it.
    func load() async throws -> Credentials?
    /// Returns the tokens of a session that `load` returned in the state `separate`; nil: the store doesn't have them. It
    /// is called only when the tokens are needed, since it may ask a person for a passphrase.
    func tokens(of identity: SessionIdentity) async throws -> Tokens?
    /// Stores the session, durably before it returns; nil removes it.
    ///
    /// - Throws: `TokensLeft` if the session was stored as ended or removed, but not its tokens. After any other error,
    ///   what was stored before is unchanged; `BackendError.diskFull` names the file for which there was no room.
    func save(_ credentials: Credentials?) async throws
    /// Checks before a log-in, without storing anything, that a session could be saved.
    ///
    /// - Throws: The error that `save` would throw, as far as it is known without saving.
    func checkSaving() async throws
    /// Runs `body` while no other process and no other task of this home does the same; waits for its turn. The lock is
    /// released when its holder ends. It is not the lock of a sync, during which the tokens may be refreshed.
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result
}

extension CredentialStore {
    /// Returns nil: `load` returns the tokens of most stores.
    public func tokens(of identity: SessionIdentity) async throws -> Tokens? { nil }

    /// Does nothing: of most stores, only saving shows whether they can save.
    public func checkSaving() async throws {}
}

/// The error of a store that has stored the end of a session, but couldn't remove its tokens, which are stored
/// separately.
public struct TokensLeft: Error, Sendable {
    /// What failed, and what to do, as sentences.
    public var reason: String

    public init(reason: String) { self.reason = reason }
}
