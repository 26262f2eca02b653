public import Records
public import SyncAPI

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
public struct SpaceRow: Sendable, Equatable {
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
    /// Only records of these collections.
    public var collections: CollectionSet

    /// A range of these parts.
    public init(
        after: Int64, tombstonesAfter: Int64, excluding: ClosedRange<Int64>? = nil, collections: CollectionSet = .all
    ) {
        self.after = after
        self.tombstonesAfter = tombstonesAfter
        self.excluding = excluding
        self.collections = collections
    }
}

/// Which tombstone, for one that is to go.
public struct StoredTombstone: Sendable, Equatable {
    /// The space's id.
    public var space: String
    /// Which record.
    public var key: RecordKey
    /// The number of the deletion.
    public var version: Int64

    /// A tombstone of these parts.
    public init(space: String, key: RecordKey, version: Int64) {
        self.space = space
        self.key = key
        self.version = version
    }
}

/// How a space's versions go on after a restore: max(version + 2^32, unix seconds × 2^20), so that no number is handed
/// out twice, however often one backup is restored (SyncAPI.docc/Protocol.md, "Data").
public enum RestoredVersion {
    /// By how much a version is raised at least: more changes than a space sees between two restores.
    public static let step: Int64 = 1 << 32

    /// The smallest version after a restore at a given time; it grows by 2^20 a second and stays a safe integer (RFC
    /// 7493) for centuries.
    ///
    /// - Parameter now: milliseconds since 1970.
    public static func least(now: Int64) -> Int64 { max(0, now / 1_000) << 20 }
}
