import Backend
import Controllers
import Foundation
import LocalStore
import Records
import SyncAPI
import SyncEngine

/// A process of a home: the services of the product on a simulated disk, network and clock, until it ends or is killed.
///
/// Sendable: see `Loop`.
final class ClientProcess: @unchecked Sendable {
    let kind: Kind
    /// The cache, and the number of its files for `Disk.kill`.
    let opened: StoreDisk<LocalStore>.Opened
    let services: Services
    let processor: Processor
    let sleepers: Sleepers
    /// The clock of the process's waits.
    let clock: SyncClock
    /// False after the process has ended or was killed: its remaining jobs have no effect.
    private(set) var isAlive = true
    /// The number of running operations that the user or the machine has started.
    private var underWay = 0
    private let line: SimulatedTransport
    private let loop: Loop
    private let device: Device
    /// The newest unsent edit when the process began.
    private let newestEditAtStart: String?
    private let luck: RandomSource
    private var automatic: Task<Void, Never>?
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastTask = 0
    /// The latest state of the automatic sync.
    private(set) var automaticState = AutoSync.Activity()

    /// The purpose of a process.
    enum Kind: Equatable, CustomStringConvertible {
        /// The only process of its home; it syncs when the user requests it.
        case oneProcess
        /// A session at the prompt, with automatic sync.
        case prompt(terminal: Int)
        /// A single command.
        case command(terminal: Int)
        /// A background process, which sends the edits that commands have left unsent.
        case background

        var terminal: Int? {
            switch self {
            case .oneProcess, .background: nil
            case .prompt(let terminal), .command(let terminal): terminal
            }
        }

        var isPrompt: Bool { if case .prompt = self { true } else { false } }

        var description: String {
            switch self {
            case .oneProcess: "process"
            case .prompt(let terminal): "prompt \(terminal)"
            case .command(let terminal): "command at terminal \(terminal)"
            case .background: "process in the background"
            }
        }
    }

    init(
        _ kind: Kind, _ opened: StoreDisk<LocalStore>.Opened, of device: Device, line: SimulatedTransport, loop: Loop,
        luck: RandomSource
    ) {
        (self.kind, self.opened, self.device) = (kind, opened, device)
        (self.line, self.loop, self.luck) = (line, loop, luck)
        let (processor, sleepers) = (Processor(loop), Sleepers(loop))
        (self.processor, self.sleepers) = (processor, sleepers)
        let credentials = DeviceCredentials(device)
        let owner = Owner()
        let (lock, clock) = (device.locks.sync, Self.clock(loop, sleepers))
        self.clock = clock
        var gate = SyncGate {
            guard let process = owner.process else { throw CancellationError() }
            return lock.attempt(by: process)
        }
        gate.interval = SimulatedLock.interval
        services = Services(
            store: opened.store, transport: line, credentials: credentials,
            gate: gate,
            now: { Date(timeIntervalSince1970: Double(device.now) / 1_000) }, calendar: Self.calendar,
            makeID: { luck.uuid() }, terminal: "simulation", deviceName: device.name,
            collections: device.collections,
            runtime: Services.Runtime(
                engine: processor, tasks: processor, clock: clock, makeKey: { luck.uuid() }))
        newestEditAtStart = try? opened.store.readNow { try $0.outbox.newestUnsentEdit() }
        (credentials.process, owner.process) = (self, self)
    }

    /// Knows the process before it is created.
    ///
    /// Sendable: see `Loop`.
    private final class Owner: @unchecked Sendable {
        weak var process: ClientProcess?
    }

    private static let calendar = Calendar(identifier: .gregorian)

    var store: LocalStore { opened.store }
    var backend: BackendClient { services.backend }

    /// Whether an operation that the user or the machine has started is running.
    var isBusy: Bool { underWay > 0 }

    /// Marks the process as ended.
    func die() {
        isAlive = false
        processor.spare()
        line.cut()
        sleepers.end()
        for number in tasks.keys.sorted() { tasks[number]?.cancel() }
    }

    /// Starts an operation; `ended` is not called if the process is dead.
    func start<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        ended: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        underWay += 1
        run {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            self.underWay -= 1
            if self.isAlive { ended(result) }
        }
    }

    @discardableResult
    private func run(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        lastTask += 1
        let number = lastTask
        let task = Task(executorPreference: processor) {
            await work()
            self.tasks[number] = nil
        }
        tasks[number] = task
        return task
    }
}

// MARK: - Automatic sync

extension ClientProcess {
    /// Virtual time, which clock errors don't affect.
    private static func clock(_ loop: Loop, _ sleepers: Sleepers) -> SyncClock {
        var clock = SyncClock.system
        clock.now = { .milliseconds(loop.now - Template.start) }
        clock.sleep = { moment in
            try await sleepers.sleep(for: moment - .milliseconds(loop.now - Template.start))
        }
        return clock
    }

    private static let timing: SyncSchedule.Timing = {
        var timing = SyncSchedule.Timing()
        // Checking more often takes most of a run's time without changing the result.
        timing.watch = .seconds(5)
        return timing
    }()

    /// Starts the automatic sync, as a session at the prompt does.
    func beginAutomaticSync() {
        let automatic = AutoSync(
            services.syncService, backend: backend, clock: clock, timing: Self.timing, random: luck.fraction)
        self.automatic = run { await automatic.run() }
        run {
            for await state in await automatic.activities() { self.automaticState = state }
        }
    }

    /// Ends the automatic sync, and returns when it has ended.
    func endAutomaticSync() async {
        automatic?.cancel()
        await automatic?.value
    }

    /// The work of a background process.
    @Sendable func backgroundSync() async throws {
        let lock = device.locks.background
        let sync = BackgroundSync(
            services.syncService, lock: { lock.attempt(by: self) }, clock: clock, timing: Self.timing,
            random: luck.fraction)
        try await sync.run()
    }

    /// Whether this process, when it ends, should leave its work to a background process.
    func leavesWorkToBackground() -> Bool {
        let (before, now) = (newestEditAtStart, Timestamp(seconds: Int64(device.now / 1_000)))
        let isDue = try? store.readNow { cache in
            guard try cache.replica.state().remote != nil else { return false }
            return BackgroundSync.isDue(
                before: before, after: try cache.outbox.newestUnsentEdit(), settings: try cache.settings.syncSettings(),
                status: try SyncStatus.stored(in: cache), now: now)
        }
        return isDue ?? false
    }
}

// MARK: - The session

extension ClientProcess {
    /// Signs in, and binds the home to the account.
    ///
    /// - Parameter isNew: whether to create the account; if the server has it already, the answer was lost.
    func signIn(_ account: String, as device: String, isNew: Bool) async throws {
        let (claim, address) = (DeviceClaim(name: device, id: device), try ServerAddress(Template.server))
        let credentials: Credentials
        do {
            guard isNew else { throw KnownAccount() }
            credentials = try await backend.register(
                RegisterRequest(username: account, password: Template.password, device: claim), at: address)
        } catch  where error is KnownAccount || (error as? BackendError)?.isTakenName == true {
            credentials = try await backend.logIn(
                LogInRequest(username: account, password: Template.password, device: claim), at: address)
        }
        let identity = credentials.identity
        try await store.write { cache in
            try cache.account.bind(
                remote: identity.personalSpace, username: identity.username, server: identity.server.description)
            try SyncStatus.forgetFailure(in: cache)
        }
        try await backend.session.begin(credentials)
    }

    private struct KnownAccount: Error {}
}

extension BackendError {
    fileprivate var isTakenName: Bool {
        if case .problem(let problem, _) = self { problem.code == .usernameTaken } else { false }
    }
}

/// The session on a device's disk, as one process sees it; a dead process can't change it.
///
/// Sendable: see `Loop`.
private final class DeviceCredentials: CredentialStore, @unchecked Sendable {
    private let device: Device
    weak var process: ClientProcess?

    init(_ device: Device) { self.device = device }

    func load() throws -> Credentials? {
        _ = try living()
        return device.credentials
    }

    func save(_ credentials: Credentials?) throws {
        _ = try living()
        device.credentials = credentials
    }

    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        let release = try await device.locks.session.acquire(
            by: living(), limit: FileCredentialStore.lockLimit)
        defer { release() }
        return try await body()
    }

    private func living() throws -> ClientProcess {
        guard let process, process.isAlive else { throw Dead() }
        return process
    }

    private struct Dead: Error {}
}
