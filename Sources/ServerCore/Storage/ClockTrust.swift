/// Decides whether the clock is right, as far as the removal of old data depends on it.
///
/// What is removed is lost, also if the clock is corrected later. So nothing is removed by its age while the clock is
/// far from the time of the last maintenance, which the store keeps, until the server has run for a day by that clock:
/// a wrong clock is noticed by then, and a server that was off for months only removes a day later.
///
/// Maintenance makes the decision. Other requests that remove something by its age ask `StoreReading.trustsClock(at:)`.
///
/// A pure value.
struct ClockTrust {
    /// The longest time since the last maintenance after which the clock is trusted at once, in milliseconds: 30 days.
    static let longestPause: Int64 = 30 * 86_400_000
    /// The most by which a trusted clock is behind the last maintenance, in milliseconds: an hour. Several servers over
    /// one store may differ a little.
    static let skew: Int64 = 3_600_000
    /// The running time after which a server trusts a clock that it doubted, in milliseconds: a day.
    static let probation: Int64 = 86_400_000

    /// The doubt that the store keeps until the next decision; nil: the clock is trusted.
    private(set) var doubt: ClockDoubt?

    /// The result of a decision.
    enum Decision: Equatable {
        /// Old data may be removed.
        case trusted
        /// Nothing may be removed by its age. `isNew`: the clock was trusted before, or this is the first decision.
        case doubted(isNew: Bool)
    }

    /// Decides whether the clock is trusted.
    ///
    /// - Parameters:
    ///   - now: The present time in milliseconds since 1970.
    ///   - last: The time of the last maintenance; nil: there was none, so nothing is stored that could be removed.
    ///   - ran: The time for which the server ran since its decision before, not measured by this clock, in milliseconds.
    mutating func decide(at now: Int64, last: Int64?, ran: Int64) -> Decision {
        guard let last, !Self.trusts(now, after: last) else {
            doubt = nil
            return .trusted
        }
        guard let before = doubt else {
            doubt = ClockDoubt(now: now, last: last, ran: 0)
            return .doubted(isNew: true)
        }
        // The clock was changed, or another server has carried out maintenance by another clock: the day begins again.
        let isSame = Self.follows(now, before.now) && last == before.last
        // No more than has passed: several servers may share the store.
        let sum = isSame ? before.ran + min(ran, max(0, now &- before.now)) : 0
        guard sum < Self.probation else {
            doubt = nil
            return .trusted
        }
        doubt = ClockDoubt(now: now, last: last, ran: sum)
        return .doubted(isNew: false)
    }

    /// Returns whether a clock is trusted at once.
    ///
    /// - Parameter last: The time of the last maintenance; nil: there was none.
    static func trusts(_ now: Int64, after last: Int64?) -> Bool { last.map { follows(now, $0) } ?? true }

    /// Returns whether a time may be that of a right clock after another one.
    private static func follows(_ now: Int64, _ last: Int64) -> Bool {
        // Without a trap: the stored time is from outside.
        (-skew...longestPause).contains(now &- last)
    }
}

extension StoreReading {
    /// Returns whether something may be removed by its age at a time, in milliseconds since 1970. A clock that was
    /// doubted for long enough is trusted from the maintenance on that decides so, since that one stores its time.
    func trustsClock(at now: Int64) throws -> Bool { ClockTrust.trusts(now, after: try lastMaintenance()) }
}
