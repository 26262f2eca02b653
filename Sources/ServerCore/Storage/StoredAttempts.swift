/// Attempts that are counted for an account, an address or another subject of the throttle. Moments are in milliseconds
/// since 1970.
public struct StoredAttempts: Sendable, Equatable {
    /// Number of attempts since they were last cleared or forgotten.
    public var count: Int64
    /// The moment of the last one.
    public var last: Int64
    /// The moment from which the next attempt is admitted.
    public var blockedUntil: Int64
    /// The importance, which decides what is removed when too many are stored.
    public var importance: Importance

    /// Creates attempts of these parts.
    public init(count: Int64, last: Int64, blockedUntil: Int64, importance: Importance = .anyone) {
        self.count = count
        self.last = last
        self.blockedUntil = blockedUntil
        self.importance = importance
    }

    /// The importance of counted attempts. When too many are stored, the least important ones are removed first, and of
    /// these the ones that are no longer blocked or will be so first.
    ///
    /// The order is that of the effort by which an attacker can add others of the same importance, and so push some out:
    /// addresses and names without an account cost nothing; those of an account are limited by the throttle of the account
    /// as a whole; for the last one, each costs an account and 100 password hashes.
    public enum Importance: Int64, Sendable, CaseIterable {
        /// Of an address that is not delayed yet, or of a name without an account.
        case anyone = 0
        /// Of an address beyond its allowance.
        case delayedAddress = 1
        /// Of an account together with an address, of a device or of a session.
        case account = 2
        /// Of an account from everywhere.
        case wholeAccount = 3
        /// Of an account from everywhere, beyond its allowance.
        case delayedWholeAccount = 4
    }
}
