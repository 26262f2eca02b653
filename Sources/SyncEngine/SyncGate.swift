public import LocalStore

/// Lets one process of a home sync at a time.
public struct SyncGate: Sendable {
    /// Enters and returns how to leave; waits, or throws `SyncFailure.busyElsewhere`, while somebody else is inside.
    public var enter: @Sendable (_ waiting: Bool) async throws -> @Sendable () -> Void
    /// Whether somebody is inside. Who asks may turn away, for a moment, another who asks or doesn't wait.
    public var isTaken: @Sendable () -> Bool

    public init(
        isTaken: @escaping @Sendable () -> Bool = { false },
        enter: @escaping @Sendable (_ waiting: Bool) async throws -> @Sendable () -> Void
    ) {
        (self.isTaken, self.enter) = (isTaken, enter)
    }

    /// The gate of a home: a lock between processes, which dies with its holder.
    public static func file(of home: Home) -> SyncGate {
        let lock = home.syncLock
        return SyncGate {
            // A lock that can't be looked at is nobody's, as far as anybody can tell.
            do { return try lock.attempt().map { $0.release() } == nil } catch { return false }
        } enter: { waiting in
            if waiting {
                let held = try await lock.take()
                return { held.release() }
            }
            guard let held = try lock.attempt() else { throw SyncFailure.busyElsewhere }
            return { held.release() }
        }
    }

    /// Always open: for a cache that no other process and no other engine has.
    public static let open = SyncGate { _ in {} }
}
