internal import Logging
internal import Records

/// Periodically removes old tombstones, sessions that can no longer be refreshed, outcomes of devices that have been
/// removed or are signed out, expired invitations, and
/// attempts that the throttle has forgotten.
///
/// It uses small transactions (`RemovalLimit`), so that no device waits long for the writer. While the clock may be
/// wrong (`ClockTrust`), it removes nothing by its age.
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
        var ran: Duration = .zero
        while !Task.isCancelled {
            let now = await trustedTime(ran: ran)
            if let now {
                await attempt { _ = try await purgeTombstones(before: now - configuration.retention.tombstones) }
            }
            await attempt { try await purgeSessions(at: now) }
            await attempt { try await clearAbandonedSpaces() }
            if let now {
                // After the sessions: an outcome is removed only if its device has no session.
                await attempt { try await purgeOutcomes(at: now) }
                await attempt { try await purgeInvites(at: now) }
                await attempt { try await purgeAttempts(at: now) }
            }
            // The sleep fails only if the task is cancelled, which ends the loop.
            try? await environment.sleep(Self.interval)
            ran = Self.interval
        }
    }

    /// Returns the time by which data is old, and stores it as that of the last maintenance; nil: the clock may be
    /// wrong, so nothing may be removed by its age.
    ///
    /// - Parameter ran: The time for which the server ran since the last call; zero at the start.
    private func trustedTime(ran: Duration) async -> Int64? {
        do {
            let now = environment.now()
            let (decision, last) = try await store.write(using: .reserve) { tx in
                let last = try tx.lastMaintenance()
                var trust = ClockTrust(doubt: try tx.clockDoubt())
                let decision = trust.decide(at: now, last: last, ran: ran.components.seconds * 1_000)
                try tx.setClockDoubt(trust.doubt)
                // Before the removal, which may be interrupted. Also in doubt: until the first maintenance, `last` is
                // the latest of other stored times, which the next request changes.
                if let moment = decision == .trusted ? now : last { try tx.setLastMaintenance(moment) }
                return (decision, last)
            }
            guard case .doubted(let isNew) = decision else { return now }
            if isNew || ran == .zero, let last { warn(now: now, last: last) }
        } catch is CancellationError {
            // The server shuts down.
        } catch {
            report(error)
        }
        return nil
    }

    private func warn(now: Int64, last: Int64) {
        logger.warning(
            """
            the clock is far from the time of the last maintenance, so nothing is removed by its age until the server \
            has run for a day in all: if the clock is wrong, correct it; if the server was off for long, or a backup was \
            restored, there is nothing to do
            """,
            metadata: [
                "clock": "\(Timestamp.text(milliseconds: now))", "last": "\(Timestamp.text(milliseconds: last))",
            ])
    }

    /// Carries out a step. The next run repeats one that fails, which keeps neither the server nor the other steps from
    /// running.
    private func attempt(_ step: () async throws -> Void) async {
        do { try await step() } catch is CancellationError {
            // The server shuts down.
        } catch {
            report(error)
        }
    }

    private func report(_ error: any Error) {
        logger.error("maintenance failed", metadata: ["error": "\(String(reflecting: error))"])
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

    private func purgeInvites(at now: Int64) async throws {
        let moment = now - InviteService.expiredKept
        try await store.write(using: .reserve) { tx in try tx.deleteInvites(expiredBefore: moment) }
    }

    private func purgeAttempts(at now: Int64) async throws {
        let moment = now - Throttle.memory
        try await store.write(using: .reserve) { tx in try tx.deleteAttempts(lastBefore: moment) }
    }

    /// Removes sessions that have ended, and those that expired long before a time; nil: none of these.
    private func purgeSessions(at now: Int64?) async throws {
        let rules = configuration.sessions
        // No session is from before 1970.
        let dead = (now ?? 0) - Self.deadSessionKept
        while !Task.isCancelled {
            let isOver = try await store.write(using: .reserve) { tx in
                try tx.deleteSessions(
                    lastSeenBefore: dead - rules.refresh, createdBefore: dead - rules.session, expiredBefore: dead,
                    limit: RemovalLimit())
            }
            if isOver { break }
        }
    }

    private func purgeOutcomes(at now: Int64) async throws {
        let moment = now - Self.deadSessionKept
        while !Task.isCancelled {
            let isOver = try await store.write(using: .reserve) { tx in
                try tx.deleteOutcomesWithoutSession(storedBefore: moment, limit: RemovalLimit())
            }
            if isOver { break }
        }
    }
}
