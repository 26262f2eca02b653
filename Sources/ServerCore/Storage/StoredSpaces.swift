public import Records
public import SyncAPI

/// The membership of an account in a space.
public struct Membership: Sendable, Equatable {
    /// The space's id.
    public var space: String
    /// The account's role there.
    public var role: Role

    /// Creates a membership of these parts.
    public init(space: String, role: Role) {
        self.space = space
        self.role = role
    }
}

/// The row of a space: its properties that each change updates.
public struct SpaceRow: Sendable, Equatable {
    /// The id, chosen by a client or, for a personal space, by the server.
    public var id: String
    /// The number of the last change.
    public var version: Int64
    /// Tombstones up to this version may be gone; a cursor before it has expired.
    public var tombstoneFloor: Int64
    /// The digest of the live records.
    public var digest: SpaceDigest
    /// Number of live records.
    public var records: Int64
    /// The bytes of the fields and clocks of all records and revisions, tombstones included. The store keeps the number
    /// up to date.
    public var bytes: Int64

    /// Creates a space's row, by default that of an empty space.
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

/// A range of the changes of a space.
public struct ChangeRange: Sendable, Equatable {
    /// Only later versions are included.
    public var after: Int64
    /// Tombstones are included only if their version is later than this.
    public var tombstonesAfter: Int64
    /// The versions to omit.
    public var excluding: ClosedRange<Int64>?
    /// Only records of these collections are included.
    public var collections: CollectionSet

    /// Creates a range of these parts.
    public init(
        after: Int64, tombstonesAfter: Int64, excluding: ClosedRange<Int64>? = nil, collections: CollectionSet = .all
    ) {
        self.after = after
        self.tombstonesAfter = tombstonesAfter
        self.excluding = excluding
        self.collections = collections
    }
}

/// The identity of a tombstone that is to be removed.
public struct StoredTombstone: Sendable, Equatable {
    /// The space's id.
    public var space: String
    /// The deleted record.
    public var key: RecordKey
    /// The number of the deletion.
    public var version: Int64

    /// Creates a tombstone of these parts.
    public init(space: String, key: RecordKey, version: Int64) {
        self.space = space
        self.key = key
        self.version = version
    }
}

/// The versions of a space after a restore: max(version + 2^32, unix seconds × 2^20), so that no number is used twice,
/// however often one backup is restored (SyncAPI.docc/Protocol.md, "Data").
public enum RestoredVersion {
    /// The least increase of a version: more changes than a space has between two restores.
    public static let step: Int64 = 1 << 32

    /// Returns the smallest version after a restore at a given time. It grows by 2^20 a second and stays a safe integer
    /// (RFC 7493) for centuries.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    public static func least(now: Int64) -> Int64 { max(0, now / 1_000) << 20 }
}
