public import Backend
internal import LocalStore
internal import Records

/// The automatic sync of an open session: after edits, when the server reports changes, at the start, and when the
/// server can be reached again. `SyncSchedule` decides when; this actor watches the home, receives the stream of
/// events, waits and calls the engine.
///
/// All its tasks run within `run`: when its task is cancelled, it returns, and no task is left.
public actor AutoSync {
    let store: LocalStore
    let backend: BackendClient
    let clock: SyncClock
    let random: @Sendable () -> Double
    let timing: SyncSchedule.Timing
    private let service: SyncService
    /// Runs the tasks that are started here; nil: the default executor.
    var executor: (any TaskExecutor)? { service.executor }
    private var schedule: SyncSchedule
    private var isRunning = false
    private var timer: Task<Void, Never>?
    private var sync: Task<Void, Never>?
    private var observers: [Int: AsyncStream<Activity>.Continuation] = [:]
    private var observerNumber = 0
    /// The stream of events under way, see `EventListening.swift`.
    var listening: Listening?
    /// The number of streams that were opened.
    var streams = 0
    /// The id of the last event that was received, from which the next stream continues.
    var lastEventID: String?

    /// - Parameters:
    ///   - service: Syncs, and stores the status.
    ///   - random: Returns a number from 0 up to 1, another one at each call.
    public init(
        _ service: SyncService, backend: BackendClient, clock: SyncClock = .system,
        timing: SyncSchedule.Timing = SyncSchedule.Timing(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        (self.service, self.backend, self.clock, self.random) = (service, backend, clock, random)
        (store, self.timing) = (service.store, timing)
        schedule = SyncSchedule(isOn: false, timing: timing)
    }

    /// Runs until the calling task is cancelled.
    public func run() async {
        guard !isRunning else { return }
        isRunning = true
        async let cache: Void = watchCache()
        async let session: Void = watchSession()
        async let credentials: Void = watchCredentials()
        _ = await (cache, session, credentials)
        await end()
    }

    /// Cancels what `run` has started, and waits for its end.
    private func end() async {
        // First, so that no later step starts a task.
        isRunning = false
        let started = [timer, sync, listening?.task]
        for task in started { task?.cancel() }
        for task in started { await task?.value }
        (timer, sync, listening) = (nil, nil, nil)
        for observer in observers.values { observer.finish() }
        observers = [:]
        // No process waits any more, so the stored time of the next try is wrong.
        await service.storeRetry(in: nil)
    }
}

// MARK: - Steps

extension AutoSync {
    /// Whether the server's events are being received.
    var isLive: Bool { schedule.isLive }

    /// Passes an event to the schedule, and performs its action.
    func step(_ event: (inout SyncSchedule, Duration) -> SyncSchedule.Action) {
        guard isRunning else { return }
        let action = event(&schedule, clock.now())
        timer?.cancel()
        timer = nil
        switch action {
        // The schedule returns `sync` only when none is under way.
        case .sync: sync = Task(executorPreference: executor) { await self.syncOnce() }
        case .wait(let moment): timer = Task(executorPreference: executor) { await self.wait(until: moment) }
        case .rest: break
        }
        listen(schedule.isOn && schedule.isSignedIn)
        for observer in observers.values { observer.yield(activity) }
    }

    private func wait(until moment: Duration) async {
        do { try await clock.sleep(moment) } catch { return }
        // Cancelled after the sleep: a newer wait has replaced this one.
        if !Task.isCancelled { step { $0.timePassed(at: $1) } }
    }

    private func syncOnce() async {
        let wasFailing = schedule.isBackingOff
        let outcome = await service.attempt()
        // If it can't be read, the next look at the cache decides.
        let newest = try? await store.read { try $0.outbox.newestUnsentEdit() }
        let random = random()
        step { $0.finished(outcome, newestEdit: newest, at: $1, random: random) }
        switch outcome {
        case .done, .received: if wasFailing { reconnect() }
        case .failed: await storeRetry()
        case .busy, .refused, .signedOut: break
        }
    }

    /// Stores the time until which the automatic sync waits.
    private func storeRetry() async {
        guard isRunning, let moment = schedule.notBefore else { return }
        await service.storeRetry(in: moment - clock.now())
    }
}

// MARK: - What is watched

extension AutoSync {
    private func watchCache() async {
        let sleep: @Sendable (Duration) async throws -> Void = { [clock] in try await clock.sleep(clock.now() + $0) }
        for await _ in store.changes(interval: timing.watch, sleep: sleep, executor: executor) {
            // A cache that can't be read now is read after its next change.
            guard
                let (settings, newestEdit) = try? await store.read({
                    (try $0.settings.syncSettings(), try $0.outbox.newestUnsentEdit())
                })
            else {
                continue
            }
            step { $0.observed(isOn: settings.isAutomatic, newestEdit: newestEdit, at: $1) }
        }
    }

    private func watchSession() async {
        repeat {
            // A session that can't be read may be readable later.
            guard let statuses = try? await backend.session.statuses() else { continue }
            var wasSignedIn = false
            for await status in statuses {
                var isSignedIn = false
                if case .active = status { isSignedIn = true }
                step { [isSignedIn] in $0.session(isSignedIn: isSignedIn, at: $1) }
                // Without a session no sync begins that could report its end.
                if wasSignedIn, case .ended(_, let end) = status, end != .loggedOut {
                    await service.store(BackendError.signedOut(end), isReported: false)
                }
                wasSignedIn = isSignedIn
            }
        } while await hasSlept(Self.sessionInterval)
    }

    /// Reads the session again at intervals, since another process of this home may sign in or out, or detect that the
    /// server has ended the session. With the automatic sync on, its own requests detect that.
    private func watchCredentials() async {
        while await hasSlept(Self.sessionInterval) {
            // A session that can't be read is read again the next time.
            if !schedule.isSignedIn || !schedule.isOn { try? await backend.session.reload() }
        }
    }

    private static let sessionInterval = Duration.seconds(5)

    /// Waits for a time; false: the task was cancelled.
    private func hasSlept(_ time: Duration) async -> Bool {
        do { try await clock.sleep(clock.now() + time) } catch { return false }
        return !Task.isCancelled
    }
}

// MARK: - Activity

extension AutoSync {
    /// The present activity of the automatic sync.
    public struct Activity: Sendable, Equatable {
        /// Whether a sync is under way.
        public var isSyncing = false
        /// Whether the server's events are received.
        public var isLive = false

        /// Creates an activity in which nothing is under way.
        public init() {}
    }

    private var activity: Activity {
        var activity = Activity()
        (activity.isSyncing, activity.isLive) = (schedule.isSyncing, schedule.isLive)
        return activity
    }

    /// Returns the present activity and each later one; a slow reader receives only the newest. The stream ends with
    /// the reading task or with `run`.
    public func activities() -> AsyncStream<Activity> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Activity.self, bufferingPolicy: .bufferingNewest(1))
        observerNumber += 1
        let number = observerNumber
        observers[number] = continuation
        continuation.yield(activity)
        continuation.onTermination = { [weak self, executor] _ in
            Task(executorPreference: executor) { await self?.removeObserver(number) }
        }
        return stream
    }

    private func removeObserver(_ number: Int) { observers[number] = nil }
}
