internal import NIOCore
public import SyncAPI

/// How a server behaves; where it listens and keeps its data is the composition root's matter.
public struct ServerConfiguration: Sendable {
    /// The name of the software, as the server reports it at `GET /v1/`.
    public var name: String
    /// Who may create an account.
    public var registration: Capabilities.Registration
    /// The codes that allow registration if it requires an invitation. A code may be used several times.
    public var invites: Set<String>
    /// The proxies that are believed when they name whom they ask for, in `Forwarded` or `X-Forwarded-For`.
    public var trustedProxies: Set<IPAddress>
    /// What hashing a password costs.
    public var passwordCost: PasswordCost
    /// The threads that hash passwords; 0 hashes where it is asked for, for tests with a low cost.
    public var passwordThreads: Int
    /// How long sessions live.
    public var sessions: SessionRules
    /// How long deleted things are remembered, and how much of what was.
    public var retention: RetentionRules
    /// How many connections may be open at once.
    public var connections: ConnectionLimits
    /// How many event streams an account may have open at once.
    public var streamsPerAccount: Int
    /// The size limits of a request.
    public var limits: Capabilities.Limits
    /// The limits of all requests under way together.
    public var requests: RequestBounds

    /// The defaults (SyncAPI.docc/Protocol.md, "Limits").
    public init(
        name: String = "sync-server", registration: Capabilities.Registration = .open, invites: Set<String> = [],
        trustedProxies: Set<IPAddress> = [], passwordCost: PasswordCost = .owasp, passwordThreads: Int = 2,
        sessions: SessionRules = SessionRules(), retention: RetentionRules = RetentionRules(),
        connections: ConnectionLimits = ConnectionLimits(), streamsPerAccount: Int = 32,
        limits: Capabilities.Limits = .standard, requests: RequestBounds = RequestBounds()
    ) {
        self.name = name
        self.registration = registration
        self.invites = invites
        self.trustedProxies = trustedProxies
        self.passwordCost = passwordCost
        self.passwordThreads = passwordThreads
        self.sessions = sessions
        self.retention = retention
        self.connections = connections
        self.streamsPerAccount = streamsPerAccount
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

/// What one hash of argon2id costs (RFC 9106).
public struct PasswordCost: Sendable, Equatable {
    /// In KiB; at least 8 for each lane.
    public var memory: UInt32
    /// Passes over the memory.
    public var iterations: UInt32
    /// Lanes.
    public var parallelism: UInt32

    /// A cost of these parameters.
    public init(memory: UInt32, iterations: UInt32, parallelism: UInt32) {
        self.memory = memory
        self.iterations = iterations
        self.parallelism = parallelism
    }

    /// OWASP's "Password Storage Cheat Sheet": 19 MiB, two passes, one lane.
    public static let owasp = PasswordCost(memory: 19 * 1_024, iterations: 2, parallelism: 1)
    /// The minimum that the algorithm accepts. For tests.
    public static let least = PasswordCost(memory: 8, iterations: 1, parallelism: 1)
}

/// How long sessions live, in milliseconds, and how many an account has (SyncAPI.docc/Protocol.md, "Accounts, sessions, devices").
public struct SessionRules: Sendable {
    /// An access token, from when it was made.
    public var access: Int64
    /// A refresh token, from when it was made, which is the last use of the one before.
    public var refresh: Int64
    /// A session in all.
    public var session: Int64
    /// The devices of an account. A further log-in ends the session that was unused for the longest time.
    public var devices: Int

    /// By default 15 minutes, 90 days, 365 days and 100 devices.
    public init(
        access: Int64 = 15 * 60_000, refresh: Int64 = 90 * 86_400_000, session: Int64 = 365 * 86_400_000,
        devices: Int = 100
    ) {
        self.devices = devices
        self.access = access
        self.refresh = refresh
        self.session = session
    }
}

/// How long the server remembers (SyncAPI.docc/Protocol.md, "Limits").
public struct RetentionRules: Sendable {
    /// How long a tombstone is kept at least, in milliseconds; a device that was away for longer reads the whole space.
    public var tombstones: Int64
    /// How many states of a record are kept, the present one included; 0: no state but the present one.
    public var revisions: Int

    /// By default 90 days and 20 revisions.
    public init(tombstones: Int64 = 90 * 86_400_000, revisions: Int = 20) {
        self.tombstones = tombstones
        self.revisions = revisions
    }
}

/// How many connections the server keeps open at once.
public struct ConnectionLimits: Sendable, Equatable {
    /// Connections in total; nil: as many as the process's descriptors allow, at most `mostByDefault`. Event streams may
    /// be half of them.
    public var total: Int?
    /// Connections from one address (of IPv6, from one /64), event streams not counted. Loopback and trusted proxies are
    /// exempt: many clients share them.
    public var perAddress: Int

    /// By default as many as the descriptors allow, and 64 from one address.
    public init(total: Int? = nil, perAddress: Int = 64) {
        self.total = total
        self.perAddress = perAddress
    }

    /// The largest total that is chosen without a setting. A connection costs up to 30 KiB before its request is whole,
    /// so these cost at most 120 MiB.
    public static let mostByDefault = 4_096
    /// The smallest total with which the server starts.
    public static let least = 32

    /// Descriptors that are not for connections: the database with its readers, the log, and the event loops with three
    /// descriptors for each core.
    static func reserve(cores: Int) -> Int { 64 + 4 * cores }

    /// The total that a number of descriptors allows; not positive if there are too few.
    func total(descriptors: Int, cores: Int) -> Int {
        min(total ?? Self.mostByDefault, descriptors - Self.reserve(cores: cores))
    }
}

/// Limits of the requests that are processed at the same time.
public struct RequestBounds: Sendable {
    /// How many requests of one session are answered at once, event streams not counted.
    public var perSession: Int
    /// The bytes of the bodies and answers of all requests that are under way.
    public var bytes: Int
    /// The bytes of one account's requests.
    public var bytesPerAccount: Int

    /// Bodies and answers of up to this number of bytes are not counted: log-ins, health checks and small requests are answered however
    /// much others hold. How many there are at once is bounded by the connections.
    static let uncounted = 64 << 10

    /// By default 8 requests, 64 MiB and 16 MiB.
    public init(perSession: Int = 8, bytes: Int = 64 << 20, bytesPerAccount: Int = 16 << 20) {
        self.perSession = perSession
        self.bytes = bytes
        self.bytesPerAccount = bytesPerAccount
    }
}
