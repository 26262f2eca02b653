internal import Logging
internal import Records

/// What the server clears away on its own: old tombstones, and sessions that nobody can refresh any more.
///
/// In small transactions, so that no device waits long for the writer.
struct MaintenanceService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let configuration: ServerConfiguration
    let logger: Logger

    /// How often it looks.
    static let interval: Duration = .seconds(3_600)
    /// How much goes in one transaction, at most.
    static let batch = 200
    /// How long a dead session is kept, in milliseconds, so that its device hears that it has expired.
    static let deadSessionKept: Int64 = 30 * 86_400_000

    /// Clears away at once and then every hour, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                _ = try await purgeTombstones(before: environment.now() - configuration.retention.tombstones)
                try await purgeSessions()
            } catch {
                logger.error("clearing away failed", metadata: ["error": "\(String(reflecting: error))"])
            }
            try? await environment.sleep(Self.interval)
        }
    }

    /// Removes the tombstones that were made before a moment (milliseconds since 1970).
    ///
    /// - Returns: how many they were.
    func purgeTombstones(before moment: Int64) async throws -> Int {
        let text = Timestamp.text(milliseconds: max(0, moment))
        var count = 0
        while !Task.isCancelled {
            let removed = try await store.write { tx in
                let tombstones = try tx.tombstones(before: text, limit: Self.batch)
                try tx.carryOut(PurgePlan(tombstones))
                return tombstones.count
            }
            count += removed
            if removed < Self.batch { break }
        }
        if count > 0 { logger.info("removed old tombstones", metadata: ["count": "\(count)"]) }
        return count
    }

    private func purgeSessions() async throws {
        let rules = configuration.sessions
        let dead = environment.now() - Self.deadSessionKept
        while !Task.isCancelled {
            let removed = try await store.write { tx in
                try tx.deleteSessions(
                    lastSeenBefore: dead - rules.refresh, createdBefore: dead - rules.session, limit: Self.batch)
            }
            if removed < Self.batch { break }
        }
    }
}
