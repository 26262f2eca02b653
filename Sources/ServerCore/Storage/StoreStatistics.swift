/// The sizes of a store. A value that a store doesn't know is nil.
public struct StoreStatistics: Sendable, Equatable {
    /// Bytes of the database's file.
    public var databaseBytes: Int64?
    /// Bytes of its write-ahead log.
    public var logBytes: Int64?
    /// Number of accounts.
    public var accounts: Int64?
    /// Number of records of all spaces, without tombstones.
    public var records: Int64?
    /// Bytes of all spaces, see `SpaceRow.bytes`.
    public var usedBytes: Int64?
    /// Bytes of the largest space.
    public var largestBytes: Int64?

    /// Creates statistics without values.
    public init() {}
}
