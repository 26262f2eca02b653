public import Backend
public import Foundation
public import LocalStore
internal import Locking
public import Notebook
public import PrivateFiles
internal import ControllerKit
public import Records
internal import SyncAPI
public import SyncEngine

/// The services of a client, put together by the composition root. Tests make them with a mock transport, a cache in
/// memory and a clock that they set. A controller receives only those that it uses.
public struct Services: Sendable {
    /// The operations on records.
    public private(set) var notebook: Notebook
    /// The server.
    public let backend: BackendClient
    /// Syncs the cache with the server.
    public let engine: SyncEngine
    /// Lets one process of the home sync at a time.
    public let gate: SyncGate
    /// Runs the engine, and stores how each sync ended.
    public private(set) var syncService: SyncService
    /// The account of the home.
    public let account: AccountService
    /// The automatic sync of this process.
    public private(set) var automatic = AutomaticSync.manual
    /// The programs that run after changes; nil: none.
    public private(set) var hooks: Hooks?
    /// The settings of the user.
    public private(set) var settings = LoadedSettings()

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - transport: Sends requests to the server.
    ///   - credentials: Where the session is stored.
    ///   - gate: Lets one process of a home sync at a time.
    ///   - userAgent: The name of the client for the server.
    ///   - makeID: Makes the id of a new record: a UUID of version 4, in lower case.
    ///   - terminal: The name of the terminal whose last list the numbers refer to.
    ///   - deviceName: The name of this device in the list of devices.
    ///   - acceptsInsecureHTTP: Whether this process accepts a server without encryption, as if each `register` and
    ///     `login` had `--insecure-http`.
    ///   - collections: The collections that the program uses; nil: those of the cache's record types.
    ///   - runtime: The executors and clock of the engine and its tasks.
    public init(
        store: LocalStore, transport: any HTTPTransport, credentials: any CredentialStore, gate: SyncGate,
        userAgent: String = "sync-client", now: @escaping @Sendable () -> Date = { Date() },
        calendar: Calendar = LocalTime.userCalendar,
        makeID: @escaping @Sendable () -> String = { UUIDText.random() }, terminal: String,
        deviceName: String, acceptsInsecureHTTP: Bool = false, collections: CollectionSet? = nil,
        runtime: Runtime = Runtime()
    ) {
        notebook = Notebook(store: store, now: now, calendar: calendar, makeID: makeID, terminal: terminal)
        backend = BackendClient(
            transport: transport, credentials: credentials, userAgent: userAgent, now: now, executor: runtime.tasks)
        engine = SyncEngine(
            store: store, backend: backend, gate: gate, collections: collections, clock: runtime.clock,
            makeKey: runtime.makeKey, executor: runtime.engine)
        self.gate = gate
        syncService = SyncService(
            engine, store: store, now: { Timestamp(clamping: now()) },
            failure: { SyncStatus.Failure($0) }, executor: runtime.tasks)
        account = AccountService(
            store: store, backend: backend, gate: gate, devices: DeviceNames(store: store, backend: backend),
            deviceName: deviceName, acceptsInsecureHTTP: acceptsInsecureHTTP)
    }

    /// The cache of the home.
    public var store: LocalStore { notebook.store }
    /// The record types, with their fields and policies.
    public var types: RecordTypes { notebook.types }
    /// The names of the account's devices.
    public var devices: DeviceNames { account.devices }
    /// The sync of the home.
    public var sync: HomeSync {
        HomeSync(
            store: store, backend: backend, gate: gate, service: syncService, devices: devices, automatic: automatic)
    }

    /// The same services with numbered lists of their own.
    public func onTerminal(_ name: String) -> Services {
        var services = self
        // The numbers of a list belong to a terminal; all other services are shared.
        services.notebook = changedNotebook(notebook.calendar, terminal: name)
        return services
    }

    /// The notebook with another calendar, on another terminal.
    private func changedNotebook(_ calendar: Calendar, terminal: String) -> Notebook {
        var changed = Notebook(
            store: store, now: notebook.now, calendar: calendar, makeID: notebook.makeID, terminal: terminal)
        (changed.reviewer, changed.dateStyle) = (notebook.reviewer, notebook.dateStyle)
        return changed
    }

    /// The same services with settings. They determine the first day of the week of the notebook, and the style of dates.
    public func configured(by settings: LoadedSettings) -> Services {
        var services = self
        services.settings = settings
        var calendar = notebook.calendar
        if let weekday = settings.values.weekStart.weekday { calendar.firstWeekday = weekday }
        services.notebook = changedNotebook(calendar, terminal: notebook.terminal)
        services.notebook.dateStyle = settings.values.dateStyle
        return services
    }

    /// The same services with automatic sync.
    public func syncing(_ automatic: AutomaticSync) -> Services {
        var services = self
        services.automatic = automatic
        return services
    }

    /// The same services with hooks: programs that review the edits of commands before they are stored, and programs
    /// that run after this process has stored changes of its own or of a sync.
    public func running(_ hooks: Hooks) -> Services {
        // A sync writes several transactions. Their changes are collected, so that a sync is one job.
        let brought = Locked<[RecordChange]>([])
        // Called on the thread that wrote: `run` only queues the job.
        store.watchRecords { committed in
            if committed.arePersonal {
                for job in HookJob.jobs(after: committed.changes) { hooks.run(job) }
            } else {
                brought.withLock { $0 += committed.changes }
            }
        }
        var services = self
        // Called after a failed sync, too: it may have stored changes before it failed.
        services.syncService.ended = {
            // Read and emptied under one lock, so that no change is lost or reported twice.
            let changes = brought.withLock { changes in
                defer { changes = [] }
                return changes
            }
            if let job = HookJob.job(afterSync: changes) { hooks.run(job) }
        }
        services.hooks = hooks
        services.notebook.reviewer = hooks.review.map { HookReviewer($0, types: types) }
        return services
    }
}

extension Services {
    /// The executors and clock of a process's engine and its tasks. The simulation runs everything on one thread.
    public struct Runtime: Sendable {
        /// Runs the engine; SQLite may block it.
        public var engine: any SerialExecutor
        /// Runs the tasks that outlive their caller; nil: the default executor.
        public var tasks: (any TaskExecutor)?
        /// The clock of the engine's waits.
        public var clock: SyncClock
        /// Makes an idempotency key, a UUID that was never used before.
        public var makeKey: @Sendable () -> String

        /// Creates a runtime with a thread for the engine and the default executor for all other tasks.
        public init(
            engine: any SerialExecutor = BlockingExecutor(label: "sync"), tasks: (any TaskExecutor)? = nil,
            clock: SyncClock = .system, makeKey: @escaping @Sendable () -> String = { UUIDText.random() }
        ) {
            (self.engine, self.tasks, self.clock, self.makeKey) = (engine, tasks, clock, makeKey)
        }
    }
}

extension SyncStatus.Failure {
    /// Creates the failure with the message for the user and its kind.
    init(_ error: any Error) {
        let failure = Failure(error)
        let kind: SyncStatus.Kind =
            switch failure.category {
            // Before the categories: they count a full disk (507) as unreachable and a throttle (429) as rejected.
            case _ where Self.refusal(error, has: .insufficientStorage): .serverFull
            case _ where Self.refusal(error, has: .quotaExceeded): .quotaExceeded
            case _ where Self.asksForPatience(error): .waiting
            case .unreachable: .unreachable
            case .signedOut: .signedOut
            case .rejected, .conflict: .refused
            case .usage, .notFound, .damaged, .failed: .failed
            }
        self.init(kind, failure.message)
    }

    /// Whether the server answered with a problem of this code.
    private static func refusal(_ error: any Error, has code: Problem.Code) -> Bool {
        guard let refusal = error as? BackendError, case .problem(let problem, _) = refusal else { return false }
        return problem.code == code
    }

    /// Whether the server answered that the same request may succeed later: it is busy, or other devices change the
    /// same records.
    private static func asksForPatience(_ error: any Error) -> Bool {
        guard let refusal = error as? BackendError, case .problem(let problem, _) = refusal else {
            return error as? SyncFailure == .noProgress
        }
        return problem.status < 500 && refusal.isTransient
    }
}
