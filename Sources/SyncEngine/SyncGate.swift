public import LocalStore

/// Lets one process of a home sync at a time. It is held for as long as a sync lasts, requests included; so whoever waits
/// for it waits for a limited time, and learns who holds it.
public struct SyncGate: Sendable {
    /// Enters and returns how to leave; nil: another holder is inside.
    public var attempt: @Sendable () throws -> (@Sendable () -> Void)?
    /// Who is inside; nil: nobody, or it isn't known who.
    public var holder: @Sendable () -> LockHolder?
    /// How often one who waits tries again.
    public var interval = Duration.milliseconds(20)

    /// How long a sync waits for another one of the same home.
    public static let waitLimit = Duration.seconds(60)

    public init(
        holder: @escaping @Sendable () -> LockHolder? = { nil },
        attempt: @escaping @Sendable () throws -> (@Sendable () -> Void)?
    ) {
        (self.holder, self.attempt) = (holder, attempt)
    }

    /// The gate of a home: a lock between processes, which dies with its holder.
    public static func file(of home: Home) -> SyncGate {
        let lock = home.syncLock
        return SyncGate(holder: lock.holder) {
            guard let held = try lock.attempt() else { return nil }
            return { held.release() }
        }
    }

    /// Always open: for a cache that no other process and no other engine has.
    public static let open = SyncGate { {} }

    /// Enters and returns how to leave.
    ///
    /// - Parameter waiting: whether to wait while another holder is inside, for `waitLimit` at most.
    /// - Throws: `SyncFailure.busyElsewhere`, `LocalStoreError.unusable`, `CancellationError`.
    public func enter(
        waiting: Bool, clock: SyncClock = .system, isolation: isolated (any Actor)? = #isolation
    ) async throws -> @Sendable () -> Void {
        let wait = LockWait(
            limit: waiting ? Self.waitLimit : .zero, interval: interval, now: clock.now, sleep: clock.sleep)
        guard let leave = try await wait.acquire(holder: holder, attempt: attempt) else {
            throw SyncFailure.busyElsewhere(holder())
        }
        return leave
    }
}
