import Backend
public import Foundation
internal import Records

/// A clock that moves only when a test advances it; it has a wall time, and wakes sleepers in the order of their
/// times.
public final class ManualClock: Clock, Sendable {
    /// Time since the clock was made.
    public struct Instant: InstantProtocol {
        /// How far the clock had been moved.
        public let sinceStart: Duration
        /// The instant that is so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        /// How much later the other instant is.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        public static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
    }

    private let start: Date
    private let state = Locked(State())

    private struct State {
        var now = Instant(sinceStart: .zero)
        var sleepers: [(end: Instant, gate: Gate)] = []
    }

    /// - Parameter start: the wall's time at the beginning; 2026-11-21T05:20:00Z if not said.
    public init(start: Date = Date(timeIntervalSince1970: 1_795_238_400)) { self.start = start }

    /// How far the clock has been moved.
    public var now: Instant { state.withLock(\.now) }
    /// A nanosecond; nothing depends on it.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The wall's time.
    public var date: Date { start.addingTimeInterval(now.sinceStart / .seconds(1)) }

    /// The wall's time in milliseconds since 1970, as hybrid logical clocks count.
    public var milliseconds: UInt64 { UInt64(date.timeIntervalSince1970 * 1_000) }

    /// How many sleep now.
    public var sleeping: Int { state.withLock(\.sleepers.count) }

    /// Moves the clock and wakes those whose time has come.
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

    /// Waits until the clock has been moved to the deadline; returns at once if it is there already.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let gate = Gate()
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

/// The date of a text in RFC 3339; `distantPast` if it isn't that.
package func moment(_ text: String) -> Date { Date(rfc3339: text) ?? .distantPast }
