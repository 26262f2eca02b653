public import SyncAPI

/// How many accounts are close to their limits. Event streams aren't stored, so they aren't counted.
public struct QuotaUse: Sendable, Equatable {
    /// Number of accounts that use at least nine tenths of a limit.
    public var near: QuotaValues<Int64>
    /// Number of accounts that use more than a limit.
    public var exceeding: Int64

    /// Creates the numbers.
    public init(near: QuotaValues<Int64>, exceeding: Int64) { (self.near, self.exceeding) = (near, exceeding) }
}
