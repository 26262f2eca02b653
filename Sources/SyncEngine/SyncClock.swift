/// What tells the time to the automatic sync and lets it wait: a clock that goes on while the machine sleeps in
/// production, a manual one in tests.
public struct SyncClock: Sendable {
    /// The moment, as the time since some beginning.
    public var now: @Sendable () -> Duration
    /// Waits until a moment.
    ///
    /// - Throws: `CancellationError`.
    public var sleep: @Sendable (_ until: Duration) async throws -> Void

    /// A clock's time since now.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { moment in try await clock.sleep(until: start.advanced(by: moment), tolerance: nil) }
    }

    /// The machine's clock, which goes on while the machine sleeps.
    public static var system: SyncClock { SyncClock(ContinuousClock()) }
}
