public import Backend
public import Foundation
public import LocalStore
public import Notebook
internal import ControllerKit
public import Records
internal import SyncAPI
public import SyncEngine

/// What the controllers work with, made by the composition root; tests make it with a mock transport, a cache in memory
/// and a manual clock.
public struct Services: Sendable {
    /// The home's cache.
    public var store: LocalStore
    /// The server.
    public var backend: BackendClient
    /// Brings both into step.
    public var engine: SyncEngine
    /// Lets one process of the home sync at a time.
    public var gate: SyncGate
    /// The kinds of records, with their fields and rules: those of the cache.
    public var types: RecordTypes { store.types }
    /// The engine's sync, whose outcome the home remembers.
    public var syncService: SyncService
    /// The programs that run after changes; nil: there are none. `install` sets it.
    public internal(set) var hooks: Hooks?
    /// Who syncs without being asked; nobody, unless the composition root says otherwise.
    public var automatic = AutomaticSync.manual
    /// This device's clock.
    public var now: @Sendable () -> Date
    /// The person's calendar and time zone.
    public var calendar: Calendar
    /// Makes the id of a new record: a UUID of version 4, in lower case.
    public var makeID: @Sendable () -> String
    /// Names the terminal whose last list numbers refer to.
    public var terminal: String
    /// What this device is called in the list of devices.
    public var deviceName: String
    /// Whether this process accepts a server without encryption, as if each `register` and `login` had
    /// `--insecure-http`.
    public var acceptsInsecureHTTP = false

    /// Puts the services together; the live parts come from the process's own composition, those of tests from tests.
    ///
    /// - Parameters:
    ///   - transport: the way to the server.
    ///   - credentials: where the session is kept.
    ///   - gate: lets one process of a home sync at a time.
    ///   - userAgent: how the client names itself to the server.
    ///   - runtime: the executors and clock of the engine and its tasks.
    public init(
        store: LocalStore, transport: any HTTPTransport, credentials: any CredentialStore, gate: SyncGate,
        userAgent: String = "sync-client", now: @escaping @Sendable () -> Date = { Date() },
        calendar: Calendar = .current,
        makeID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }, terminal: String,
        deviceName: String, runtime: Runtime = Runtime()
    ) {
        self.store = store
        backend = BackendClient(
            transport: transport, credentials: credentials, userAgent: userAgent, now: now, executor: runtime.tasks)
        engine = SyncEngine(
            store: store, backend: backend, gate: gate, types: store.types, clock: runtime.clock,
            makeKey: runtime.makeKey,
            executor: runtime.engine)
        self.gate = gate
        syncService = SyncService(
            engine, store: store, now: { Timestamp(seconds: Int64(now().timeIntervalSince1970)) },
            failure: { SyncStatus.Failure($0) }, executor: runtime.tasks)
        self.now = now
        self.calendar = calendar
        self.makeID = makeID
        self.terminal = terminal
        self.deviceName = deviceName
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
            clock: SyncClock = .system, makeKey: @escaping @Sendable () -> String = SyncEngine.newKey
        ) {
            (self.engine, self.tasks, self.clock, self.makeKey) = (engine, tasks, clock, makeKey)
        }
    }

    /// The operations on records.
    public var notebook: Notebook {
        Notebook(store: store, now: now, calendar: calendar, makeID: makeID, terminal: terminal)
    }
    /// The names of the account's devices.
    public var devices: DeviceNames { DeviceNames(store: store, backend: backend) }
    /// The current time, as records store it.
    var timestamp: Timestamp { notebook.timestamp }
}

extension SyncStatus.Failure {
    /// What the person is told of an error, and which kind it is.
    init(_ error: any Error) {
        let failure = Failure(error)
        let kind: SyncStatus.Kind =
            switch failure.category {
            case _ where Self.hasFullDisk(error): .serverFull
            case _ where Self.asksForPatience(error): .waiting
            case .unreachable: .unreachable
            case .signedOut: .signedOut
            case .rejected, .conflict: .refused
            case .usage, .notFound, .damaged, .failed: .failed
            }
        self.init(kind, failure.message)
    }

    /// Whether the server has answered that its disk is full.
    private static func hasFullDisk(_ error: any Error) -> Bool {
        guard let refusal = error as? BackendError, case .problem(let problem, _) = refusal else { return false }
        return problem.code == .insufficientStorage
    }

    /// Whether the server has answered that the same may succeed later: it has too much to do, or others are at it.
    private static func asksForPatience(_ error: any Error) -> Bool {
        guard let refusal = error as? BackendError, case .problem(let problem, _) = refusal else {
            return error as? SyncFailure == .noProgress
        }
        return problem.status < 500 && refusal.isTransient
    }
}
