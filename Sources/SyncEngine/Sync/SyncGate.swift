public import LocalStore

/// The gate through which one process of a home syncs at a time. It is held for as long as a sync lasts, requests
/// included, so the wait for it is bounded, and the error names the holder.
public struct SyncGate: Sendable {
    /// Acquires the gate and returns the function that releases it; nil: another holder has it.
    public var attempt: @Sendable () throws -> (@Sendable () -> Void)?
    /// The present holder; nil: there is none, or it is unknown.
    public var holder: @Sendable () -> LockHolder?
    /// The pause between two tries of a waiting process.
    public var interval = Duration.milliseconds(20)

    /// The longest wait for another process's sync of the same home.
    public static let waitLimit = Duration.seconds(60)

    public init(
        holder: @escaping @Sendable () -> LockHolder? = { nil },
        attempt: @escaping @Sendable () throws -> (@Sendable () -> Void)?
    ) {
        (self.holder, self.attempt) = (holder, attempt)
    }

    /// Returns the gate of a home: a lock between processes, which the kernel releases when its holder ends.
    public static func file(of home: Home) -> SyncGate {
        let lock = home.syncLock
        return SyncGate(holder: lock.holder) {
            guard let held = try lock.attempt() else { return nil }
            return { held.release() }
        }
    }

    /// A gate that is always open: for a cache that no other process and no other engine uses.
    public static let open = SyncGate { {} }

    /// Acquires the gate and returns the function that releases it.
    ///
    /// - Parameter waiting: Whether to wait while another holder has the gate, for `waitLimit` at most.
    /// - Throws: `SyncFailure.busyElsewhere`, `LocalStoreError.unusable`, `CancellationError`.
    public func enter(
        waiting: Bool, clock: SyncClock = .system, isolation: isolated (any Actor)? = #isolation
    ) async throws -> @Sendable () -> Void {
        var wait = LockWait(
            limit: waiting ? Self.waitLimit : .zero, interval: interval, now: clock.now, sleep: clock.sleep)
        wait.work = "sync"
        guard let leave = try await wait.acquire(holder: holder, attempt: attempt) else {
            throw SyncFailure.busyElsewhere(holder())
        }
        return leave
    }
}

/// The clock of a sync's waits: in production one that continues while the machine sleeps, in tests a manual one.
public struct SyncClock: Sendable {
    /// Returns the present time, measured from an arbitrary fixed point.
    public var now: @Sendable () -> Duration
    /// Waits until a moment.
    ///
    /// - Throws: `CancellationError`.
    public var sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Creates a clock that measures from now.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { moment in try await clock.sleep(until: start.advanced(by: moment), tolerance: nil) }
    }

    /// The machine's clock, which continues while the machine sleeps.
    public static var system: SyncClock { SyncClock(ContinuousClock()) }
}
