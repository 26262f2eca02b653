public import Backend
internal import LocalStore
internal import Records

/// Syncs automatically while a session is open: after edits, when the server reports changes, at the start, and when the
/// server can be reached again. `SyncSchedule` decides when; this actor watches the home, receives the stream of events,
/// waits and calls the engine.
///
/// `run` is its whole life: no task is left when it returns, which it does when its task is cancelled.
public actor AutoSync {
    let store: LocalStore
    let backend: BackendClient
    let clock: SyncClock
    let random: @Sendable () -> Double
    let timing: SyncSchedule.Timing
    private let service: SyncService
    /// Runs the tasks that are started here; nil: the default one.
    var executor: (any TaskExecutor)? { service.executor }
    private var schedule: SyncSchedule
    private var isRunning = false
    private var timer: Task<Void, Never>?
    private var sync: Task<Void, Never>?
    private var observers: [Int: AsyncStream<Activity>.Continuation] = [:]
    private var observerNumber = 0
    /// The stream of events under way, see `AutoSync+Events.swift`.
    var listening: Listening?
    /// How many streams were opened.
    var streams = 0
    /// The last event that was heard, for the stream to go on from.
    var lastEventID: String?

    /// - Parameters:
    ///   - service: syncs, and stores the status.
    ///   - random: from 0 up to 1, another one at each call.
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
        isRunning = false
        let started = [timer, sync, listening?.task]
        for task in started { task?.cancel() }
        for task in started { await task?.value }
        (timer, sync, listening) = (nil, nil, nil)
        for observer in observers.values { observer.finish() }
        observers = [:]
        await service.storeRetry(in: nil)
    }
}

// MARK: - Steps

extension AutoSync {
    /// Whether the server's events are being heard.
    var isLive: Bool { schedule.isLive }

    /// Passes an event to the schedule, and performs its action.
    func step(_ event: (inout SyncSchedule, Duration) -> SyncSchedule.Action) {
        guard isRunning else { return }
        let action = event(&schedule, clock.now())
        timer?.cancel()
        timer = nil
        switch action {
        case .sync: sync = Task(executorPreference: executor) { await self.syncOnce() }
        case .wait(let moment): timer = Task(executorPreference: executor) { await self.wait(until: moment) }
        case .rest: break
        }
        listen(schedule.isOn && schedule.isSignedIn)
        for observer in observers.values { observer.yield(activity) }
    }

    private func wait(until moment: Duration) async {
        do { try await clock.sleep(moment) } catch { return }
        // A newer wait has replaced this one.
        if !Task.isCancelled { step { $0.timePassed(at: $1) } }
    }

    private func syncOnce() async {
        let wasFailing = schedule.isBackingOff
        let outcome = await service.attempt()
        let newest = try? await store.read { try $0.outbox.newestUnsentEdit() }
        let random = random()
        step { $0.finished(outcome, newestEdit: newest, at: $1, random: random) }
        switch outcome {
        case .done: if wasFailing { reconnect() }
        case .failed: await storeRetry()
        case .busy, .refused, .signedOut: break
        }
    }

    /// Stores until when the automatic sync waits.
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
            guard
                let seen = try? await store.read({ (try $0.settings.syncSettings(), try $0.outbox.newestUnsentEdit()) })
            else {
                continue
            }
            step { $0.observed(isOn: seen.0.isAutomatic, newestEdit: seen.1, at: $1) }
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
                // No later sync would detect it.
                if wasSignedIn, case .ended(_, let end) = status, end != .loggedOut {
                    await service.store(BackendError.signedOut(end), isReported: false)
                }
                wasSignedIn = isSignedIn
            }
        } while await hasSlept(Self.sessionInterval)
    }

    /// Another process of this home may sign in or out, or detect that the server has ended the session. With the automatic
    /// sync on, an ended session is detected by its requests.
    private func watchCredentials() async {
        while await hasSlept(Self.sessionInterval) {
            // Credentials that can't be read are read again the next time.
            if !schedule.isSignedIn || !schedule.isOn { try? await backend.session.reload() }
        }
    }

    private static let sessionInterval = Duration.seconds(5)

    /// Waits for so long; false when there is nothing to wait for any more.
    private func hasSlept(_ time: Duration) async -> Bool {
        do { try await clock.sleep(clock.now() + time) } catch { return false }
        return !Task.isCancelled
    }
}

// MARK: - Activity

extension AutoSync {
    /// What the automatic sync does now.
    public struct Activity: Sendable, Equatable {
        /// Whether a sync is under way.
        public var isSyncing = false
        /// Whether the server's events are received.
        public var isLive = false

        /// Nothing is under way.
        public init() {}
    }

    private var activity: Activity {
        var activity = Activity()
        (activity.isSyncing, activity.isLive) = (schedule.isSyncing, schedule.isLive)
        return activity
    }

    /// The present activity, at once, and each later one; a slow reader gets the newest only. Ends with the reading task, or with
    /// `run`.
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
