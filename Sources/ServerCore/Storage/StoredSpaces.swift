public import Records

/// What a member of a space may do.
public enum Role: String, Sendable {
    /// Everything; reading and writing; reading alone.
    case owner, editor, reader

    /// Whether it may change records.
    public var mayWrite: Bool {
        switch self {
        case .owner, .editor: true
        case .reader: false
        }
    }
}

/// That an account is a member of a space.
public struct Membership: Sendable, Equatable {
    /// The space's id.
    public var space: String
    /// What the account may do there.
    public var role: Role

    /// A membership of these parts.
    public init(space: String, role: Role) {
        self.space = space
        self.role = role
    }
}

/// The row of a space: what changes with each of its changes.
public struct SpaceState: Sendable, Equatable {
    /// Chosen by a client or, for a personal space, by the server.
    public var id: String
    /// The number of the last change.
    public var version: Int64
    /// Tombstones up to this version may be gone; a cursor before it has expired.
    public var tombstoneFloor: Int64
    /// Of the live records.
    public var digest: SpaceDigest
    /// How many live records there are.
    public var records: Int64
    /// The bytes of the fields and clocks of all records and revisions, tombstones included. The store keeps it up to date
    /// whenever one of them is added, replaced or removed.
    public var bytes: Int64

    /// A space's row; without further parts, that of an empty space.
    public init(
        id: String, version: Int64 = 0, tombstoneFloor: Int64 = 0, digest: SpaceDigest = SpaceDigest(),
        records: Int64 = 0, bytes: Int64 = 0
    ) {
        self.id = id
        self.version = version
        self.tombstoneFloor = tombstoneFloor
        self.digest = digest
        self.records = records
        self.bytes = bytes
    }
}

/// Which changes of a space to visit.
public struct ChangeRange: Sendable, Equatable {
    /// Only later versions.
    public var after: Int64
    /// Tombstones only if their version is later than this.
    public var tombstonesAfter: Int64
    /// Versions to leave out.
    public var excluding: ClosedRange<Int64>?

    /// A range of these parts.
    public init(after: Int64, tombstonesAfter: Int64, excluding: ClosedRange<Int64>? = nil) {
        self.after = after
        self.tombstonesAfter = tombstonesAfter
        self.excluding = excluding
    }
}

/// A request that must not be carried out twice: whose it is, and its idempotency key.
public struct OutcomeKey: Sendable, Hashable {
    /// The account's id.
    public var account: String
    /// The device's id.
    public var device: String
    /// The value of `Idempotency-Key`.
    public var key: String

    /// A key of these parts.
    public init(account: String, device: String, key: String) {
        self.account = account
        self.device = device
        self.key = key
    }
}

/// What came of such a request.
public struct StoredOutcome: Sendable, Equatable {
    /// The number of outcomes stored for each device; older ones are removed.
    public static let kept = 32

    /// SHA-256 of the space and the body, to detect another request with the same key.
    public var requestHash: [UInt8]
    /// What became of each mutation, as JSON without line breaks; of a conflict only that it was one.
    public var results: [String]
    /// The versions that the request wrote; nil if it wrote nothing.
    public var versions: ClosedRange<Int64>?
    /// When it was stored, in milliseconds since 1970.
    public var storedAt: Int64

    /// An outcome of these parts.
    public init(requestHash: [UInt8], results: [String], versions: ClosedRange<Int64>?, storedAt: Int64) {
        self.requestHash = requestHash
        self.results = results
        self.versions = versions
        self.storedAt = storedAt
    }
}
