package import LocalStore
package import Records

/// Sends what a command has left unsent and receives the changes of others, in a background process: until all is
/// sent, or its time limit is reached. Without edits it tries once.
///
/// At most one runs for a home. A process that finds another one running leaves its edits to it; and the other checks
/// again after it has released the lock, so no edit is missed between its last check and its end.
public struct BackgroundSync: Sendable {
    private let service: SyncService
    private let lock: @Sendable () throws -> (@Sendable () -> Void)?
    private let clock: SyncClock
    private let timing: SyncSchedule.Timing
    private let patience: Duration
    private let random: @Sendable () -> Double

    /// - Parameters:
    ///   - lock: makes sure that this is the only one of the home, and returns how to let go; nil: there is another.
    ///   - patience: for how long to try again what failed.
    ///   - random: from 0 up to 1, another one at each call.
    public init(
        _ service: SyncService, lock: @escaping @Sendable () throws -> (@Sendable () -> Void)?,
        clock: SyncClock = .system,
        timing: SyncSchedule.Timing = SyncSchedule.Timing(), patience: Duration = .seconds(120),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        (self.service, self.lock, self.clock) = (service, lock, clock)
        (self.timing, self.patience, self.random) = (timing, patience, random)
    }

    /// Works until there is nothing left to do or no patience; returns at once when another one is at work.
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

    /// Sends what there is.
    ///
    /// - Returns: the newest of the edits that couldn't be sent; nil: all was.
    private func work() async throws -> String? {
        let end = clock.now() + patience
        var schedule = SyncSchedule(isSignedIn: true, timing: timing)
        _ = schedule.observed(isOn: true, newestEdit: try await newestEdit(), at: clock.now())
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

    /// Waits, and after a failure stores until when; false: it was interrupted.
    private func hasWaited(until moment: Duration, isFailing: Bool) async -> Bool {
        if isFailing { await service.storeRetry(in: moment - clock.now()) }
        let hasSlept = (try? await clock.sleep(moment)) != nil
        if isFailing { await service.storeRetry(in: nil) }
        return hasSlept
    }

    private func isWanted() async throws -> Bool {
        try await service.store.read { try $0.settings.syncSettings() } == SyncSettings()
    }

    private func newestEdit() async throws -> String? {
        try await service.store.read { try $0.outbox.newestUnsentEdit() }
    }
}

extension BackgroundSync {
    /// After how many seconds without an attempt another attempt is due.
    private static let idleTime: Int64 = 60
    /// After how many seconds without a success what is held here counts as old.
    private static let staleTime: Int64 = 300

    /// Whether a process that ends should leave work to one in the background: always if it has made edits; if there
    /// was no attempt for a minute, also if older edits wait or the records here are old.
    ///
    /// - Parameters:
    ///   - before: the newest unsent edit when the process began.
    ///   - after: and when it ends.
    ///   - status: the stored status of the last sync.
    package static func isDue(
        before: String?, after: String?, settings: SyncSettings, status: SyncStatus, now: Timestamp
    ) -> Bool {
        guard settings.isAutomatic, settings.isInBackground else { return false }
        if after != nil, before != after { return true }
        return isPast(status.attemptedAt, by: idleTime, now)
            && (after != nil || isPast(status.syncedAt, by: staleTime, now))
    }

    /// Whether a moment is longer ago than that. One in the future only shows that a clock was set back.
    private static func isPast(_ moment: String?, by seconds: Int64, _ now: Timestamp) -> Bool {
        guard let moment = moment.flatMap({ Timestamp($0) }) else { return true }
        return now.seconds < moment.seconds || moment.seconds + seconds < now.seconds
    }
}
