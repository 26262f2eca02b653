internal import NIOCore
public import SyncAPI

/// The behaviour of a server. The composition root decides where it listens and stores its data.
public struct ServerConfiguration: Sendable {
    /// The name of the software, as the server reports it at `GET /v1/`.
    public var name: String
    /// The rule for creating accounts.
    public var registration: Capabilities.Registration
    /// Whether a registration needs an invitation if a proxy that isn't trusted forwards it, although registration is
    /// open: it is open for this machine, and strangers may come through the proxy.
    package var invitesBehindUnknownProxy = false
    /// The proxies whose statement of the client's address, in `X-Forwarded-For`, is used.
    public var trustedProxies: Set<IPAddress>
    /// The cost of hashing a password.
    public var passwordCost: PasswordCost
    /// Number of threads that hash passwords; 0 hashes on the calling thread, for tests with a low cost.
    public var passwordThreads: Int
    /// The names that are refused as passwords, besides those of the account and of the host: those of the software, in
    /// lower case.
    public var passwordWords: [String]
    /// The lifetimes of sessions.
    public var sessions: SessionRules
    /// The time for which tombstones are kept, and the number of revisions.
    public var retention: RetentionRules
    /// Limits of open connections.
    public var connections: ConnectionLimits
    /// The limits of accounts that have none of their own.
    public var quota: QuotaRules
    /// The size limits of a request.
    public var limits: Capabilities.Limits
    /// The limits of all requests under way together.
    public var requests: RequestBounds

    /// Creates a configuration, by default with the limits of the protocol (SyncAPI.docc/Protocol.md, "Limits").
    public init(
        name: String = "sync-server", registration: Capabilities.Registration = .open,
        trustedProxies: Set<IPAddress> = [], passwordCost: PasswordCost = .standard, passwordThreads: Int = 2,
        passwordWords: [String] = [],
        sessions: SessionRules = SessionRules(), retention: RetentionRules = RetentionRules(),
        connections: ConnectionLimits = ConnectionLimits(), quota: QuotaRules = QuotaRules(),
        limits: Capabilities.Limits = .standard, requests: RequestBounds = RequestBounds()
    ) {
        self.name = name
        self.registration = registration
        self.trustedProxies = trustedProxies
        self.passwordCost = passwordCost
        self.passwordThreads = passwordThreads
        self.passwordWords = passwordWords
        self.sessions = sessions
        self.retention = retention
        self.connections = connections
        self.quota = quota
        self.limits = limits
        self.requests = requests
    }
}

extension Capabilities.Limits {
    /// The limits of the protocol (SyncAPI.docc/Protocol.md, "Limits").
    public static let standard = Capabilities.Limits(
        bodyBytes: Limits.bodyBytes, fieldsBytes: Limits.fieldsBytes, mutations: Limits.mutations,
        pageRecords: Limits.pageMaximum)
}

/// The cost of one hash with argon2id (RFC 9106).
public struct PasswordCost: Sendable, Equatable {
    /// Memory in KiB, at least 8 for each lane.
    public var memory: UInt32
    /// Number of passes over the memory.
    public var iterations: UInt32
    /// Number of lanes.
    public var parallelism: UInt32

    /// Creates a cost of these parameters.
    public init(memory: UInt32, iterations: UInt32, parallelism: UInt32) {
        self.memory = memory
        self.iterations = iterations
        self.parallelism = parallelism
    }

    /// Memory of the default, in MiB. With two passes, a hash takes 50 to 100 ms on the machine for which it was chosen.
    /// OWASP's "Password Storage Cheat Sheet" recommends at least 19 MiB with two passes, or 46 MiB with one.
    public static let defaultMebibytes = 32
    /// The memory that a setting may choose, in MiB.
    public static let mebibytes = 1...4_096

    /// Returns a cost with two passes and one lane.
    ///
    /// - Parameter mebibytes: The memory in MiB, see `mebibytes`.
    public static func argon2id(mebibytes: Int) -> PasswordCost {
        PasswordCost(memory: UInt32(clamping: mebibytes) << 10, iterations: 2, parallelism: 1)
    }

    /// The default: 32 MiB, two passes, one lane.
    public static let standard = argon2id(mebibytes: defaultMebibytes)
    /// The minimum that the algorithm accepts, for tests.
    public static let least = PasswordCost(memory: 8, iterations: 1, parallelism: 1)
}

/// The lifetimes of sessions, in milliseconds (SyncAPI.docc/Protocol.md, "Accounts, sessions, devices").
public struct SessionRules: Sendable {
    /// Lifetime of an access token.
    public var access: Int64
    /// Lifetime of a refresh token, which is made at the last use of the one before.
    public var refresh: Int64
    /// Lifetime of a session in all.
    public var session: Int64

    /// Creates rules, by default of 15 minutes, 90 days and 365 days.
    public init(
        access: Int64 = 15 * 60_000, refresh: Int64 = 90 * 86_400_000, session: Int64 = 365 * 86_400_000
    ) {
        self.access = access
        self.refresh = refresh
        self.session = session
    }
}

/// The retention of tombstones and revisions (SyncAPI.docc/Protocol.md, "Limits").
public struct RetentionRules: Sendable {
    /// Minimum time for which a tombstone is kept, in milliseconds. A device that was offline for longer reads the
    /// whole space.
    public var tombstones: Int64
    /// Number of states of a record that are kept, the present one included; 0 and 1 keep only the present one.
    public var revisions: Int

    /// Creates rules, by default of 90 days and 20 revisions.
    public init(tombstones: Int64 = 90 * 86_400_000, revisions: Int = 20) {
        self.tombstones = tombstones
        self.revisions = revisions
    }
}

/// Limits of the connections that are open at once.
public struct ConnectionLimits: Sendable, Equatable {
    /// Number of connections in total; nil: as many as the process's descriptors allow, at most `mostByDefault`. Event
    /// streams may be half of them.
    public var total: Int?
    /// Number of connections from one address (of IPv6, from one /64), event streams not counted. Loopback and trusted
    /// proxies are exempt: many clients share them.
    public var perAddress: Int

    /// Creates limits, by default as many connections as the descriptors allow, and 64 from one address.
    public init(total: Int? = nil, perAddress: Int = 64) {
        self.total = total
        self.perAddress = perAddress
    }

    /// The largest total without a setting. A connection costs up to 30 KiB before its request is complete, so these
    /// cost at most 120 MiB.
    public static let mostByDefault = 4_096
    /// The smallest total with which the server starts.
    public static let least = 32

    /// Number of descriptors that are not for connections: the database with its readers, the log, and the event loops
    /// with three descriptors for each core.
    static func reserve(cores: Int) -> Int { 64 + 4 * cores }

    /// Returns the total that a number of descriptors allows; not positive if there are too few.
    func total(descriptors: Int, cores: Int) -> Int {
        min(total ?? Self.mostByDefault, descriptors - Self.reserve(cores: cores))
    }
}

/// Limits of the requests that are processed at the same time.
public struct RequestBounds: Sendable {
    /// Number of requests of one session that are answered at once, event streams not counted.
    public var perSession: Int
    /// Bytes of the bodies and answers of all requests that are under way.
    public var bytes: Int
    /// Bytes of the bodies and answers of one account's requests.
    public var bytesPerAccount: Int

    /// Bodies and answers of up to this number of bytes are not counted: log-ins, health checks and small requests are
    /// answered whatever others hold. The limit of connections bounds their number.
    static let uncounted = 64 << 10

    /// Creates bounds, by default of 8 requests, 64 MiB and 16 MiB.
    public init(perSession: Int = 8, bytes: Int = 64 << 20, bytesPerAccount: Int = 16 << 20) {
        self.perSession = perSession
        self.bytes = bytes
        self.bytesPerAccount = bytesPerAccount
    }
}
