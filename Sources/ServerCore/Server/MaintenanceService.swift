internal import Logging
internal import Records

/// Periodically removes old tombstones, sessions that can no longer be refreshed, and outcomes of devices that have
/// been removed or are signed out.
///
/// In small transactions (`RemovalLimit`), so that no device waits long for the writer.
struct MaintenanceService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let configuration: ServerConfiguration
    let logger: Logger

    /// How often it looks.
    static let interval: Duration = .seconds(3_600)
    /// How many abandoned spaces are looked up at once.
    private static let spaces = 200
    /// How long an ended session is stored, in milliseconds, so that its device learns that it has expired; also how
    /// long the outcomes of a device without a session are stored, so that its last request isn't applied twice when it
    /// signs in again.
    static let deadSessionKept: Int64 = 30 * 86_400_000

    /// Clears away at once and then every hour, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                _ = try await purgeTombstones(before: environment.now() - configuration.retention.tombstones)
                try await purgeSessions()
                try await purgeOutcomes()
                try await clearAbandonedSpaces()
            } catch is CancellationError {
                // The server shuts down.
            } catch {
                logger.error("maintenance failed", metadata: ["error": "\(String(reflecting: error))"])
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
            let (removed, isOver) = try await store.write(using: .reserve) { tx in
                var limit = RemovalLimit()
                let tombstones = try tx.tombstones(before: text, limit: limit.rows)
                let bare = try tombstones.prefix { try tx.removeRevisions(of: $0.key, in: $0.space, limit: &limit) }
                try tx.carryOut(PurgePlan(Array(bare)))
                return (bare.count, tombstones.isEmpty)
            }
            count += removed
            if isOver { break }
        }
        if count > 0 { logger.info("removed old tombstones", metadata: ["count": "\(count)"]) }
        return count
    }

    /// Removes the spaces of deleted accounts that a crash has left.
    private func clearAbandonedSpaces() async throws {
        while !Task.isCancelled {
            let spaces = try await store.read { tx in try tx.abandonedSpaces(limit: Self.spaces) }
            for space in spaces { try await store.clear(space: space) }
            if spaces.count < Self.spaces { break }
        }
    }

    private func purgeSessions() async throws {
        let rules = configuration.sessions
        let dead = environment.now() - Self.deadSessionKept
        while !Task.isCancelled {
            let isOver = try await store.write(using: .reserve) { tx in
                try tx.deleteSessions(
                    lastSeenBefore: dead - rules.refresh, createdBefore: dead - rules.session, limit: RemovalLimit())
            }
            if isOver { break }
        }
    }

    private func purgeOutcomes() async throws {
        let moment = environment.now() - Self.deadSessionKept
        while !Task.isCancelled {
            let isOver = try await store.write(using: .reserve) { tx in
                try tx.deleteOutcomesWithoutSession(storedBefore: moment, limit: RemovalLimit())
            }
            if isOver { break }
        }
    }
}
