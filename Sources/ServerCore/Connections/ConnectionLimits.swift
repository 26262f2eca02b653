internal import NIOCore

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

/// How long each step of a connection may take, and how much of it the server reads. The numbers are in Operating.md
/// and in SyncAPI.docc/Protocol.md.
enum ConnectionRules {
    /// From the first byte of a request, or the opening of the connection, to the end of the request's headers.
    static let head = TimeAmount.seconds(10)
    /// For a request's body, in addition to `bodyPace`.
    static let body = TimeAmount.seconds(30)
    /// For each `bodyStep` of a body that has arrived, in addition.
    static let bodyPace = TimeAmount.seconds(1)
    static let bodyStep = 64 << 10
    /// Between an answer and the next request.
    static let idle = TimeAmount.seconds(90)
    /// How often the server checks that the reader of an answer makes progress. A connection whose reader has received
    /// nothing between two checks is closed, so after a minute at most.
    static let readerCheck = TimeAmount.seconds(30)
    /// How long the client may take to close its side after an answer that ends the connection.
    static let lingering = TimeAmount.seconds(5)
    /// How much of a body is read after it was refused, so that the client sees the answer instead of a reset (RFC 9112
    /// section 9.6).
    static let refusedBytes = 256 << 10
    /// The size of all headers of a request together, and of the longest.
    static let headBytes = 16 << 10
    /// How long requests under way may go on after SIGTERM. Of the 10 s that are promised, that leaves 4 s for closing the
    /// connections and the store. `Serve.lastDeadline` ends the process in any case.
    static let shutdown = Duration.seconds(6)
}
