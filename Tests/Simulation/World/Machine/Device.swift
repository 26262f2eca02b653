import Backend
import Foundation
import LocalStore
import Records
import SyncEngine

/// A machine with one home: a cache on a simulated disk, a session, locks, and the processes that share them. A process
/// starts when it is needed.
///
/// Sendable: see `Loop`.
final class Device: @unchecked Sendable {
    let number: Int
    let name: String
    let account: String
    /// How the home is used.
    let use: HomeUse
    /// The session on the disk.
    var credentials: Credentials?
    /// The locks between the home's processes.
    let locks: HomeLocks
    /// The error of its clock, in milliseconds.
    var clockError: Int64 = 0
    /// It has no network until this time.
    var partitionedUntil: Int64 = 0
    /// The number of its requests since the user began to sync.
    private(set) var requests = 0
    /// Called when the device exceeds the limit of requests, which indicates an endless loop.
    var onFlood: () -> Void = {}
    /// More requests than any correct sync of this few records needs.
    private static let floodLimit = 1_000
    /// Receives the device's events, for the story.
    var onEvent: (String) -> Void = { _ in }
    /// Whether a process that ends leaves its edits to a background process.
    var launchesInBackground = true
    /// The running processes, the oldest first.
    private(set) var processes: [ClientProcess] = []
    private let room: StoreDisk<LocalStore>
    private let loop: Loop
    private let luck: RandomSource
    private let server: ServerMachine
    private var fates: [Fate] = []
    /// How many processes have started.
    private var starts = 0

    init(
        _ seat: Template.Seat, number: Int, use: HomeUse, room: StoreDisk<LocalStore>, server: ServerMachine,
        loop: Loop,
        luck: RandomSource
    ) {
        (self.number, name, account, credentials) = (number, seat.name, seat.account, seat.credentials)
        (self.use, self.room, self.server, self.loop, self.luck) = (use, room, server, loop, luck)
        locks = HomeLocks()
        room.wall = { [unowned self] in now }
    }

    var disk: Disk { room.disk }

    /// The device's clock, in milliseconds since 1970.
    var now: UInt64 { UInt64(max(0, loop.now + clockError)) }

    /// The user begins to sync.
    func countRequests() { requests = 0 }

    /// Counts a request; false: the limit is exceeded and it isn't sent.
    func mayAsk() -> Bool {
        requests += 1
        if requests == Self.floodLimit { onFlood() }
        return requests < Self.floodLimit
    }

    /// The fates of the next requests.
    func decide(_ fates: [Fate]) { self.fates = fates }

    /// The fate of the next request.
    func nextFate() -> Fate { fates.isEmpty ? .good : fates.removeFirst() }

    /// Ends all faults.
    func endFaults() {
        disk.endFaults()
        for process in processes { process.processor.spare() }
        fates = []
        partitionedUntil = 0
    }
}

// MARK: - Processes

extension Device {
    /// The process that the user uses at a terminal: the home's only process, the prompt that is open there, or a new
    /// process for a single command.
    ///
    /// - Throws: `LocalStoreError`, on a bad disk.
    func process(at terminal: Int) throws -> ClientProcess {
        switch use {
        case .oneProcess: try processes.first ?? start(.oneProcess)
        case .shared: try processes.first { $0.kind.terminal == terminal } ?? start(.command(terminal: terminal))
        }
    }

    /// Starts a process.
    ///
    /// - Throws: `LocalStoreError`, on a bad disk.
    func start(_ kind: ClientProcess.Kind) throws -> ClientProcess {
        defer { noticeCut() }
        let opened = try room.open {
            try LocalStore(
                home: Home(directory: URL(fileURLWithPath: disk.path)), types: .standard,
                wall: { [room] in room.wall() }, scheduling: .inline)
        }
        starts += 1
        let process = ClientProcess(
            kind, opened, of: self, line: SimulatedTransport(from: self, to: server, loop: loop), loop: loop, luck: luck
        )
        process.processor.afterJob = { [unowned self] in noticeCut() }
        processes.append(process)
        return process
    }

    /// The collections of the program that started last. The first two processes of `phone` and `tablet` don't use the
    /// collection `moods`.
    ///
    /// They are no record types of the cache: a cache stays open from one run to the next (`StoreDisk`).
    var collections: CollectionSet {
        let usesMoods = !["phone", "tablet"].contains(name) || starts > 2
        return CollectionSet(RecordTypes.standard.collections + (usesMoods ? ["moods"] : []))
    }

    /// The user is done with a process for now; one for a single command ends if none of its operations is running.
    func release(_ process: ClientProcess) {
        noticeCut()
        guard case .command = process.kind, process.isAlive, !process.isBusy else { return }
        let isDue = launchesInBackground && process.leavesWorkToBackground()
        exit(process)
        if isDue { launchBackground() }
    }

    private func launchBackground() {
        guard !locks.background.isTaken, let process = try? start(.background) else { return }
        onEvent("starts a process in the background")
        process.start(process.backgroundSync) { [unowned self] result in
            onEvent("(background) \(result.summary)")
            exit(process)
        }
    }

    /// Ends a process in an orderly way.
    func exit(_ process: ClientProcess) {
        guard process.isAlive else { return }
        forget(process)
        room.keep(process.opened)
    }

    /// Kills a process after this many more jobs: the one at this terminal, else one in the background, else any.
    func kill(at terminal: Int, afterJobs jobs: Int) {
        let process =
            processes.first { $0.kind.terminal == terminal } ?? processes.first { $0.kind == .background }
            ?? processes.first
        guard let process = process ?? (use == .oneProcess ? try? start(.oneProcess) : nil) else { return }
        process.processor.kill(afterJobs: jobs) { [unowned self] in
            guard process.isAlive else { return }
            onEvent("(\(process.kind)) was killed")
            Disk.kill(process.opened.number)
            forget(process)
        }
    }

    /// Shuts down cleanly; running operations are interrupted.
    func stop() {
        guard !processes.isEmpty else { return }
        if processes.contains(where: \.isBusy) { return crash("is switched off", losing: nil) }
        for process in processes { exit(process) }
    }

    /// Kills all processes; with `luck`, data that was not synced to the disk may be lost, too.
    private func crash(_ how: String, losing luck: UInt64?) {
        onEvent(how)
        disk.disconnect(losing: luck)
        forgetAll()
    }

    private func forgetAll() {
        for process in processes { forget(process) }
        room.discard()
    }

    private func forget(_ process: ClientProcess) {
        processes.removeAll { $0 === process }
        process.die()
        locks.release(all: process)
    }

    /// Handles a power failure in the middle of an operation, which failed with an error.
    func noticeCut() {
        guard disk.wasCut() else { return }
        onEvent("lost its power")
        forgetAll()
    }
}
