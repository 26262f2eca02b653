/// Attempts that are counted for an account, an address or another subject of the throttle. Moments are in milliseconds
/// since 1970.
public struct StoredAttempts: Sendable, Equatable {
    /// Number of attempts since they were last cleared or forgotten.
    public var count: Int64
    /// The moment of the last one.
    public var last: Int64
    /// The moment from which the next attempt is admitted.
    public var blockedUntil: Int64

    /// Creates attempts of these parts.
    public init(count: Int64, last: Int64, blockedUntil: Int64) {
        self.count = count
        self.last = last
        self.blockedUntil = blockedUntil
    }
}
