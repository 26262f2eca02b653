import Backend
import Foundation
import LocalStore
import Records
import SyncEngine

/// A machine with a client: the real cache and the real engine on a simulated disk. It starts when it is used, and again
/// after each crash.
///
/// Sendable: see `Loop`.
final class Device: @unchecked Sendable {
    let number: Int
    let name: String
    let account: String
    private let room: Room<LocalStore>
    private let loop: Loop
    private let luck: Luck
    private let server: ServerMachine
    private var process: ClientProcess?
    /// The session, as it stands on the disk.
    var credentials: Credentials?
    /// How wrong its clock is, in milliseconds.
    var clockError: Int64 = 0
    /// Without network until then.
    var partitionedUntil: Int64 = 0
    /// How many requests it has made.
    var requests = 0
    private var fates: [Fate] = []
    /// Told when it crashed.
    var onCrash: (String) -> Void = { _ in }

    init(
        number: Int, name: String, account: String, room: Room<LocalStore>, credentials: Credentials?,
        server: ServerMachine,
        loop: Loop, luck: Luck
    ) {
        self.number = number
        self.name = name
        self.account = account
        self.room = room
        self.credentials = credentials
        self.server = server
        self.loop = loop
        self.luck = luck
        room.wall = { [unowned self] in now }
    }

    var disk: Disk { room.disk }

    /// The device's clock, in milliseconds since 1970.
    var now: UInt64 { UInt64(max(0, loop.now + clockError)) }

    /// The process, started if need be.
    ///
    /// - Throws: `LocalStoreError`, on a bad disk.
    func running() throws -> ClientProcess {
        if let process { return process }
        defer { noticeCut() }
        let store = try room.open {
            try LocalStore(home: Home(directory: URL(fileURLWithPath: disk.path)), wall: { [room] in room.wall() })
        }
        let process = ClientProcess(
            store: store, line: Line(from: self, to: server, loop: loop), device: self, processor: Processor(loop),
            makeKey: { [luck] in luck.uuid() })
        process.processor.afterJob = { [self] in noticeCut() }
        self.process = process
        return process
    }

    /// What becomes of the next requests.
    func decide(_ fates: [Fate]) { self.fates = fates }

    /// What becomes of the next request.
    func nextFate() -> Fate { fates.isEmpty ? .good : fates.removeFirst() }

    /// Kills the process when it has run so many more jobs.
    func kill(afterJobs jobs: Int) {
        try? running().processor.kill(afterJobs: jobs) { [self] in crash("was killed", losing: nil) }
    }

    /// All faults end.
    func mend() {
        disk.mend()
        process?.processor.spare()
        fates = []
        partitionedUntil = 0
    }

    /// The process is gone; with `luck`, what was not synced as well.
    func crash(_ how: String, losing luck: UInt64?) {
        guard process != nil else { return }
        onCrash(how)
        disk.disconnect(losing: luck)
        forget()
    }

    /// Stops in good order; what is still under way is cut off.
    func stop() {
        guard let process else { return }
        if process.isBusy { return crash("is switched off", losing: nil) }
        room.keep(process.store)
        forget()
    }

    private func forget() {
        process?.die()
        process = nil
    }

    /// A power cut strikes in the middle of what the device does; that got an error by it.
    func noticeCut() {
        guard disk.wasCut() else { return }
        onCrash("lost its power")
        forget()
    }
}

/// What runs on a device until it is killed.
///
/// Sendable: see `Loop`.
final class ClientProcess: @unchecked Sendable {
    let store: LocalStore
    let backend: BackendClient
    let engine: SyncEngine
    let processor: Processor
    private let line: Line
    /// False once it was killed: whatever it still does goes nowhere.
    private(set) var isAlive = true
    /// Whether something of it is under way on the network.
    private(set) var isBusy = false

    init(
        store: LocalStore, line: Line, device: Device, processor: Processor, makeKey: @escaping @Sendable () -> String
    ) {
        self.store = store
        self.line = line
        self.processor = processor
        let credentials = DeviceCredentials(device)
        backend = BackendClient(
            transport: line, credentials: credentials,
            now: { Date(timeIntervalSince1970: Double(device.now) / 1_000) }, executor: processor)
        var clock = SyncClock.system
        // A batch that the server is still at work on is sent again at once.
        clock.sleep = { _ in }
        engine = SyncEngine(
            store: store, backend: backend, gate: .open, clock: clock, makeKey: makeKey, executor: processor)
        credentials.process = self
    }

    func die() {
        isAlive = false
        line.cut()
    }

    /// Starts something, of which a device does one at a time; `ended` is not called once the process is dead.
    func start<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        ended: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        isBusy = true
        Task(executorPreference: processor) {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            self.isBusy = false
            if self.isAlive { ended(result) }
        }
    }
}

/// The session on a device's disk, as one process sees it: after its death it changes nothing.
///
/// Sendable: see `Loop`.
private final class DeviceCredentials: CredentialStore, @unchecked Sendable {
    private let device: Device
    weak var process: ClientProcess?

    init(_ device: Device) { self.device = device }

    func load() throws -> Credentials? {
        try checkAlive()
        return device.credentials
    }

    func save(_ credentials: Credentials?) throws {
        try checkAlive()
        device.credentials = credentials
    }

    /// One process a device, and one refresh at a time in it: there is nobody to wait for.
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await body()
    }

    private func checkAlive() throws {
        guard process?.isAlive == true else { throw Dead() }
    }

    private struct Dead: Error {}
}
