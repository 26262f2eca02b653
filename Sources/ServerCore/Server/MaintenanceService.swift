internal import Logging
internal import Records

/// Periodically removes old tombstones, sessions that can no longer be refreshed, and outcomes of devices that have
/// been removed or are signed out.
///
/// It uses small transactions (`RemovalLimit`), so that no device waits long for the writer.
struct MaintenanceService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let configuration: ServerConfiguration
    let logger: Logger

    /// Time between two runs.
    static let interval: Duration = .seconds(3_600)
    /// Number of abandoned spaces that one read looks up.
    private static let spaces = 200
    /// Time for which an expired session is stored, in milliseconds, so that its device learns that it has expired. The
    /// outcomes of a device without a session are stored for the same time, so that its last request isn't applied
    /// twice when it signs in again.
    static let deadSessionKept: Int64 = 30 * 86_400_000

    /// Removes old data at once and then every hour, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await attempt {
                _ = try await purgeTombstones(before: environment.now() - configuration.retention.tombstones)
            }
            await attempt { try await purgeSessions() }
            // After the sessions: an outcome is removed only if its device has no session.
            await attempt { try await purgeOutcomes() }
            await attempt { try await clearAbandonedSpaces() }
            // The sleep fails only if the task is cancelled, which ends the loop.
            try? await environment.sleep(Self.interval)
        }
    }

    /// Carries out a step. The next run repeats one that fails, which keeps neither the server nor the other steps from
    /// running.
    private func attempt(_ step: () async throws -> Void) async {
        do { try await step() } catch is CancellationError {
            // The server shuts down.
        } catch {
            logger.error("maintenance failed", metadata: ["error": "\(String(reflecting: error))"])
        }
    }

    /// Removes the tombstones that were made before a moment (milliseconds since 1970).
    ///
    /// - Returns: The number of removed tombstones.
    func purgeTombstones(before moment: Int64) async throws -> Int {
        // The store compares these timestamps as texts, which is right from 1970 on.
        let text = Timestamp.text(milliseconds: max(0, moment))
        var count = 0
        while !Task.isCancelled {
            let (removed, isOver) = try await store.write(using: .reserve) { tx in
                var limit = RemovalLimit()
                let tombstones = try tx.tombstones(before: text, limit: limit.rows)
                // A tombstone is removed once its revisions are. If they exceed the limit, the next transaction
                // continues with them.
                let bare = try tombstones.prefix { try tx.removeRevisions(of: $0.key, in: $0.space, limit: &limit) }
                try tx.apply(PurgePlan(Array(bare)))
                return (bare.count, tombstones.isEmpty)
            }
            count += removed
            if isOver { break }
        }
        if count > 0 { logger.info("removed old tombstones", metadata: ["count": "\(count)"]) }
        return count
    }

    /// Removes the spaces of deleted accounts that a crash has left behind.
    private func clearAbandonedSpaces() async throws {
        while !Task.isCancelled {
            let spaces = try await store.read { tx in try tx.abandonedSpaces(limit: Self.spaces) }
            for space in spaces { try await store.clear(space: space) }
            // A full result may not have been the last one.
            if spaces.count < Self.spaces { break }
        }
    }

    private func purgeSessions() async throws {
        let rules = configuration.sessions
        let dead = environment.now() - Self.deadSessionKept
        while !Task.isCancelled {
            let isOver = try await store.write(using: .reserve) { tx in
                try tx.deleteSessions(
                    lastSeenBefore: dead - rules.refresh, createdBefore: dead - rules.session, expiredBefore: dead,
                    limit: RemovalLimit())
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
