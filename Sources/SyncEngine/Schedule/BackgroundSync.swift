package import LocalStore
package import Records

/// The sync of a background process: sends the edits that commands have left unsent, and receives the changes of
/// others, until all is sent or its time limit is reached. Without edits it tries once.
///
/// At most one runs for a home. A process that finds another one running leaves its edits to it. That one checks again
/// after it has released the lock, so no edit is missed between its last check and its end.
public struct BackgroundSync: Sendable {
    private let service: SyncService
    private let lock: @Sendable () throws -> (@Sendable () -> Void)?
    private let clock: SyncClock
    private let timing: SyncSchedule.Timing
    private let patience: Duration
    private let random: @Sendable () -> Double

    /// - Parameters:
    ///   - lock: Acquires the lock of the background process and returns the function that releases it; nil: another
    ///     process holds it.
    ///   - patience: How long to repeat failed tries.
    ///   - random: Returns a number from 0 up to 1, another one at each call.
    public init(
        _ service: SyncService, lock: @escaping @Sendable () throws -> (@Sendable () -> Void)?,
        clock: SyncClock = .system,
        timing: SyncSchedule.Timing = SyncSchedule.Timing(), patience: Duration = .seconds(120),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        (self.service, self.lock, self.clock) = (service, lock, clock)
        (self.timing, self.patience, self.random) = (timing, patience, random)
    }

    /// Works until nothing is left to do or the time limit is reached; returns at once if another process has the lock.
    ///
    /// - Throws: `LocalStoreError`.
    public func run() async throws {
        while let unlock = try lock() {
            let left = try await work()
            unlock()
            // A process that made an edit before this found the lock held, and left the edit to this process.
            let newest = try await newestEdit()
            if newest == nil || newest == left { return }
        }
    }

    /// Sends and receives what there is.
    ///
    /// - Returns: The newest of the edits that couldn't be sent; nil: all were sent.
    private func work() async throws -> String? {
        let end = clock.now() + patience
        var schedule = SyncSchedule(isSignedIn: true, timing: timing)
        _ = schedule.observed(isOn: true, newestEdit: try await newestEdit(), at: clock.now())
        // As if a stream of events were open: it syncs at once, and the schedule doesn't poll afterwards.
        var action = schedule.connected(at: clock.now())
        while try await isWanted(), !Task.isCancelled {
            switch action {
            case .sync:
                let outcome = await service.attempt()
                guard let newest = try await newestEdit() else { return nil }
                action = schedule.finished(outcome, newestEdit: newest, at: clock.now(), random: random())
            case .wait(let moment):
                guard moment <= end, await hasWaited(until: moment, isFailing: schedule.isBackingOff) else {
                    return try await newestEdit()
                }
                action = schedule.timePassed(at: clock.now())
            case .rest: return try await newestEdit()
            }
        }
        return try await newestEdit()
    }

    /// Waits, and after a failure stores until when; false: the task was cancelled.
    private func hasWaited(until moment: Duration, isFailing: Bool) async -> Bool {
        if isFailing { await service.storeRetry(in: moment - clock.now()) }
        let hasSlept = (try? await clock.sleep(moment)) != nil
        if isFailing { await service.storeRetry(in: nil) }
        return hasSlept
    }

    private func isWanted() async throws -> Bool {
        // The user may have switched it off meanwhile.
        try await service.store.read { try $0.settings.syncSettings() } == SyncSettings()
    }

    private func newestEdit() async throws -> String? {
        try await service.store.read { try $0.outbox.newestUnsentEdit() }
    }
}

extension BackgroundSync {
    /// The time without an attempt after which another one is due, in seconds.
    private static let idleTime: Int64 = 60
    /// The time without a success after which the cache counts as old, in seconds.
    private static let staleTime: Int64 = 300

    /// Returns whether a process that ends should leave work to a background process: always if it has made edits; if
    /// there was no attempt for a minute, also if older edits are unsent or the cache is old.
    ///
    /// - Parameters:
    ///   - before: The newest unsent edit when the process began; nil: there was none.
    ///   - after: The newest unsent edit when it ends; nil: there is none.
    ///   - status: The stored status of the last sync.
    package static func isDue(
        before: String?, after: String?, settings: SyncSettings, status: SyncStatus, now: Timestamp
    ) -> Bool {
        guard settings.isAutomatic, settings.isInBackground else { return false }
        if after != nil, before != after { return true }
        return isPast(status.attemptedAt, by: idleTime, now)
            && (after != nil || isPast(status.syncedAt, by: staleTime, now))
    }

    /// Returns whether a moment is longer ago than that, or in the future, which only shows that a clock was set back.
    private static func isPast(_ moment: Timestamp?, by seconds: Int64, _ now: Timestamp) -> Bool {
        guard let moment else { return true }
        return now.seconds < moment.seconds || moment.seconds + seconds < now.seconds
    }
}
