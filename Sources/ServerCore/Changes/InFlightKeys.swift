internal import NIOConcurrencyHelpers
internal import SyncAPI

/// The idempotency keys whose first request is still under way in this process.
final class InFlightKeys: Sendable {
    private let keys = NIOLockedValueBox<Set<OutcomeKey>>([])

    /// Runs `body` while no other call with the same key does.
    ///
    /// - Throws: `Problem` 409 if one does; else what `body` throws.
    func exclusively<Result>(_ key: OutcomeKey, _ body: () async throws -> Result) async throws -> Result {
        guard keys.withLockedValue({ $0.insert(key).inserted }) else { throw Problem.keyInUse }
        defer { keys.withLockedValue { _ = $0.remove(key) } }
        return try await body()
    }
}
