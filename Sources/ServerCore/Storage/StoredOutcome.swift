/// The identity of a request that must not be carried out twice: its sender and its idempotency key.
public struct OutcomeKey: Sendable, Hashable {
    /// The account's id.
    public var account: String
    /// The device's id.
    public var device: String
    /// The value of `Idempotency-Key`.
    public var key: String

    /// Creates a key of these parts.
    public init(account: String, device: String, key: String) {
        self.account = account
        self.device = device
        self.key = key
    }
}

/// The outcome of a request with an idempotency key.
public struct StoredOutcome: Sendable, Equatable {
    /// The number of outcomes stored for each device; older ones are removed.
    public static let kept = 32

    /// The bytes that an outcome counts without its results: the ids of account, device and key, the hash and numbers.
    // Outcomes of earlier versions count their results alone, until they are replaced.
    public static let rowBytes = 160

    /// SHA-256 of the space and the body, to detect another request with the same key.
    public var requestHash: [UInt8]
    /// The result of each mutation, in their order.
    public var results: [StoredResult]
    /// The versions that the request wrote; nil if it wrote nothing.
    public var versions: ClosedRange<Int64>?
    /// The moment at which the request was carried out, in milliseconds since 1970.
    public var storedAt: Int64

    /// Creates an outcome of these parts.
    public init(requestHash: [UInt8], results: [StoredResult], versions: ClosedRange<Int64>?, storedAt: Int64) {
        self.requestHash = requestHash
        self.results = results
        self.versions = versions
        self.storedAt = storedAt
    }

    /// The bytes that the outcome counts in the account's usage.
    public var bytes: Int64 { Int64(results.reduce(Self.rowBytes) { $0 + $1.bytes }) }
}

/// The result of a mutation, as it is stored.
public enum StoredResult: Sendable, Equatable {
    /// Applied with this version; `clock` is the JSON of the clocks that the server accepted.
    case applied(version: Int64, clock: String)
    /// The record's version was not the base. The present record is read for each answer.
    case conflict
    /// Rejected; `problem` is the JSON of the problem document.
    case rejected(problem: String)

    /// The bytes that a result counts without its texts.
    // Migration 7 of `SQLiteServerStore` counts existing results with the same number.
    public static let rowBytes = 24

    /// The bytes that the result counts in the account's usage.
    public var bytes: Int {
        switch self {
        case .applied(_, let clock): Self.rowBytes + clock.utf8.count
        case .conflict: Self.rowBytes
        case .rejected(let problem): Self.rowBytes + problem.utf8.count
        }
    }
}
