public import Records

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
