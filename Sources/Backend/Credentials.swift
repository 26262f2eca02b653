public import Foundation
public import SyncAPI

/// The session of a home as it is kept between starts: who one is and where, and whether the server still accepts it.
///
/// It outlives the session: after a log-out, or when the server has ended the session, account, server and device stay
/// known, so that logging in again finds the same device and nothing that is unsent is lost.
public struct Credentials: Codable, Sendable, Equatable {
    /// The account and the server.
    public var identity: SessionIdentity
    /// Whether it can still be used.
    public var state: State

    /// Whether a session can still be used.
    public enum State: Codable, Sendable, Equatable {
        /// The server accepts these tokens, as far as is known.
        case active(tokens: Tokens)
        /// One must log in again.
        case ended(reason: SessionEnd)
    }

    public init(identity: SessionIdentity, state: State) {
        self.identity = identity
        self.state = state
    }

    /// Why the session can't be used; nil if it can.
    public var end: SessionEnd? {
        switch state {
        case .active: identity.server.isExposed && !identity.insecureHTTP ? .unencrypted : nil
        case .ended(let reason): reason
        }
    }

    /// Nil: one must log in again.
    public var tokens: Tokens? {
        switch state {
        case .active(let tokens): tokens
        case .ended: nil
        }
    }
}

/// The two tokens of a session (SyncAPI.docc/Protocol.md, "Accounts, sessions, devices").
public struct Tokens: Codable, Sendable, Equatable {
    /// Goes with each request.
    public var access: String
    /// By this device's own clock, so that a wrong clock does no harm; nil when the server's time can't be read.
    public var accessExpiresAt: Date?
    /// Is exchanged for a new pair, once.
    public var refresh: String

    public init(access: String, accessExpiresAt: Date?, refresh: String) {
        self.access = access
        self.accessExpiresAt = accessExpiresAt
        self.refresh = refresh
    }
}

/// Which account on which server, and as which device. No secrets.
public struct SessionIdentity: Codable, Sendable, Equatable {
    /// Where the account is.
    public var server: ServerAddress
    /// Whether the person has accepted an unencrypted connection to the server (`ServerAddress.isExposed`).
    public var insecureHTTP: Bool
    /// Whose session it is.
    public var account: Account
    /// This device, as the server knows it.
    public var device: SessionGrant.Device
    /// The epoch of the server's data when the session was last renewed; nil: unknown.
    public var epoch: String?

    public init(
        server: ServerAddress, insecureHTTP: Bool = false, account: Account, device: SessionGrant.Device,
        epoch: String? = nil
    ) {
        self.server = server
        self.insecureHTTP = insecureHTTP
        self.account = account
        self.device = device
        self.epoch = epoch
    }

    /// Decodes a session; `insecureHTTP` and `epoch` are absent in sessions stored by earlier versions.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            server: try container.decode(ServerAddress.self, forKey: .server),
            insecureHTTP: try container.decodeIfPresent(Bool.self, forKey: .insecureHTTP) ?? false,
            account: try container.decode(Account.self, forKey: .account),
            device: try container.decode(SessionGrant.Device.self, forKey: .device),
            epoch: try container.decodeIfPresent(String.self, forKey: .epoch))
    }
}

/// Why a session is over. New cases may be added.
public enum SessionEnd: String, Codable, Sendable, CaseIterable {
    /// The person logged out here.
    case loggedOut
    /// It wasn't used for so long that the server let it go.
    case expired
    /// The server refuses it: the device was signed out from elsewhere, or the password was changed.
    case revoked
    /// The server's data were lost or replaced since the session was last renewed, and the server doesn't know the session.
    case unknownToServer = "unknown"
    /// The session's tokens would be sent to another machine over plain http, which the person has not accepted.
    /// Earlier versions created such sessions. Determined when the session is used, and not stored.
    case unencrypted
}

// For those who know no wire, such as the cache.
extension SessionIdentity {
    /// The account's user name.
    public var username: String { account.username }
    /// The id of the account's personal space.
    public var personalSpace: String { account.personalSpace }
    /// The id that this device has in clocks and sessions.
    public var deviceID: String { device.id }
}

extension Credentials {
    /// The session that a server has just granted.
    ///
    /// The expiry is translated to this device's clock by the answer's `Date`, so that a wrong clock neither refreshes
    /// with each request nor misses the end.
    init(grant: SessionGrant, from server: Destination, date: Date?, now: Date) {
        let expiry = try? Date(
            grant.accessTokenExpiresAt, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let skew = date.map { now.timeIntervalSince($0) } ?? 0
        self.init(
            identity: SessionIdentity(
                server: server.address, insecureHTTP: server.insecureHTTP, account: grant.account, device: grant.device,
                epoch: grant.epoch),
            state: .active(
                tokens: Tokens(
                    access: grant.accessToken, accessExpiresAt: expiry?.addingTimeInterval(skew),
                    refresh: grant.refreshToken)))
    }
}

extension Tokens {
    /// Whether the access token has ended, or ends so soon that a request may arrive too late with it.
    func isNearExpiry(at now: Date) -> Bool {
        guard let accessExpiresAt else { return false }
        return now.addingTimeInterval(Self.leeway) >= accessExpiresAt
    }

    /// In seconds.
    private static let leeway: TimeInterval = 30
}

/// Keeps the session of a home, for all processes that share it.
public protocol CredentialStore: Sendable {
    /// The session, read from the store on each call, since another process may have changed it. Nil: there never was
    /// one.
    func load() async throws -> Credentials?
    /// Keeps the session, durably before it returns; nil forgets it.
    func save(_ credentials: Credentials?) async throws
    /// Runs `body` while no other process and no other task of this home does the same; waits for its turn. The lock
    /// dies with its holder. It is not the lock that is held while syncing: a sync refreshes the tokens in its midst.
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result
}
