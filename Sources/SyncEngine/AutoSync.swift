public import Backend
internal import LocalStore
internal import Records

/// Syncs by itself while a session is open: after edits, when the server tells of changes, at the start, when the server
/// is there again. When is decided by `SyncSchedule`; this actor looks at the home, holds the stream of events, waits and
/// calls the engine.
///
/// `run` is the whole life: nothing of it is left when it returns, which it does when its task is cancelled.
public actor AutoSync {
    let store: LocalStore
    let backend: BackendClient
    let clock: SyncClock
    let random: @Sendable () -> Double
    let timing: SyncSchedule.Timing
    private let noted: NotedSync
    /// Runs the tasks that are started here; nil: the default one.
    var executor: (any TaskExecutor)? { noted.executor }
    private var schedule: SyncSchedule
    private var isRunning = false
    private var timer: Task<Void, Never>?
    private var sync: Task<Void, Never>?
    private var observers: [Int: AsyncStream<AutoSyncState>.Continuation] = [:]
    private var observerNumber = 0
    /// The stream of events under way, see `AutoSync+Events.swift`.
    var listening: Listening?
    /// How many streams were opened.
    var streams = 0
    /// The last event that was heard, for the stream to go on from.
    var lastEventID: String?

    /// - Parameters:
    ///   - noted: syncs, and lets the home remember it.
    ///   - random: from 0 up to 1, another one at each call.
    public init(
        _ noted: NotedSync, backend: BackendClient, clock: SyncClock = .system,
        timing: SyncSchedule.Timing = SyncSchedule.Timing(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        (self.noted, self.backend, self.clock, self.random) = (noted, backend, clock, random)
        (store, self.timing) = (noted.store, timing)
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
        await noted.noteRetry(in: nil)
    }
}

// MARK: - Steps

extension AutoSync {
    /// Whether the server's events are being heard.
    var isLive: Bool { schedule.isLive }

    /// Tells the schedule what happened, and does what it says.
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
        for observer in observers.values { observer.yield(state) }
    }

    private func wait(until moment: Duration) async {
        do { try await clock.sleep(moment) } catch { return }
        // A newer wait has replaced this one.
        if !Task.isCancelled { step { $0.timePassed(at: $1) } }
    }

    private func syncOnce() async {
        let wasFailing = schedule.isBackingOff
        let outcome = await noted.attempt()
        let newest = try? await store.read { try $0.newestUnsentEdit() }
        let random = random()
        step { $0.finished(outcome, newestEdit: newest, at: $1, random: random) }
        switch outcome {
        case .done: if wasFailing { reconnect() }
        case .failed: await noteRetry()
        case .busy, .refused, .signedOut: break
        }
    }

    /// Lets any process tell until when the home waits.
    private func noteRetry() async {
        guard isRunning, let moment = schedule.notBefore else { return }
        await noted.noteRetry(in: moment - clock.now())
    }
}

// MARK: - What is watched

extension AutoSync {
    private func watchCache() async {
        let sleep: @Sendable (Duration) async throws -> Void = { [clock] in try await clock.sleep(clock.now() + $0) }
        for await _ in store.changes(interval: timing.watch, sleep: sleep, executor: executor) {
            guard let seen = try? await store.read({ (try $0.syncSettings(), try $0.newestUnsentEdit()) }) else {
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
                    await noted.keep(BackendError.signedOut(end), isHeard: false)
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

// MARK: - What is told

/// What an open session may know of the automatic sync beside what the home remembers.
public struct AutoSyncState: Sendable, Equatable {
    /// Whether a sync is under way.
    public var isSyncing = false
    /// Whether the server's events are being heard.
    public var isLive = false

    /// Nothing is under way.
    public init() {}
}

extension AutoSync {
    private var state: AutoSyncState {
        var state = AutoSyncState()
        (state.isSyncing, state.isLive) = (schedule.isSyncing, schedule.isLive)
        return state
    }

    /// The state now, at once, and each later one; a slow reader gets the newest only. Ends with the reading task, or with
    /// `run`.
    public func states() -> AsyncStream<AutoSyncState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AutoSyncState.self, bufferingPolicy: .bufferingNewest(1))
        observerNumber += 1
        let number = observerNumber
        observers[number] = continuation
        continuation.yield(state)
        continuation.onTermination = { [weak self, executor] _ in
            Task(executorPreference: executor) { await self?.removeObserver(number) }
        }
        return stream
    }

    private func removeObserver(_ number: Int) { observers[number] = nil }
}
