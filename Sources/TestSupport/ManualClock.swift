public import Foundation
internal import Locking
internal import Records

/// A clock that changes only when a test advances it. It also has a wall time. Sleepers are woken in the order of their
/// times.
public final class ManualClock: Clock, Sendable {
    /// The time since the clock was created.
    public struct Instant: InstantProtocol {
        /// The sum of all advances.
        public let sinceStart: Duration
        /// Returns the instant that is later by this duration.
        public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        /// Returns the duration from this instant to the other.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        public static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
    }

    private let start: Date
    private let state = Locked(State())

    private struct State {
        var now = Instant(sinceStart: .zero)
        var sleepers: [(end: Instant, gate: Gate)] = []
    }

    /// - Parameter start: The initial wall time; by default 2026-11-21T05:20:00Z.
    public init(start: Date = Date(timeIntervalSince1970: 1_795_238_400)) { self.start = start }

    /// The sum of all advances.
    public var now: Instant { state.withLock(\.now) }
    /// A nanosecond; it isn't used.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The wall time.
    public var date: Date { start.addingTimeInterval(now.sinceStart / .seconds(1)) }

    /// The wall time in milliseconds since 1970, as in hybrid logical clocks.
    public var milliseconds: UInt64 { UInt64(date.timeIntervalSince1970 * 1_000) }

    /// The number of tasks that sleep.
    public var sleeping: Int { state.withLock(\.sleepers.count) }

    /// Advances the clock and wakes the tasks whose time has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let woken = state.sleepers.filter { $0.end <= now }.sorted { $0.end < $1.end }
            state.sleepers.removeAll { $0.end <= now }
            return woken
        }
        for sleeper in woken { sleeper.gate.open() }
    }

    /// Waits until the clock has reached the deadline; returns at once if it already has.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let gate = Gate()
        // Checked and added under one lock, so that an `advance` in between isn't missed.
        let isPast = state.withLock { state in
            if deadline > state.now { state.sleepers.append((deadline, gate)) }
            return deadline <= state.now
        }
        if isPast { return }
        do {
            try await gate.pass()
        } catch {
            state.withLock { $0.sleepers.removeAll { $0.gate === gate } }
            throw CancellationError()
        }
    }
}

/// Returns the date of a text in RFC 3339; `distantPast` if it is malformed.
package func moment(_ text: String) -> Date { Date(rfc3339: text) ?? .distantPast }
