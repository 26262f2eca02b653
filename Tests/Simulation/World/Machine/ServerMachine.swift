import Backend
import Foundation
import Records
import SQLiteServerStore
import ServerCore
import SyncAPI

/// The machine that the server runs on: a real store on a simulated disk, and the processes that use it. Both start at the
/// first request, and again after each crash.
///
/// A single process has the database in it, and dies together with it. Several processes share a database that runs next
/// to them; each request reaches any of them.
///
/// Sendable: see `Loop`.
final class ServerMachine: @unchecked Sendable {
    private let room: StoreDisk<SQLiteServerStore>
    private let loop: Loop
    private let luck: RandomSource
    private let configuration: ServerConfiguration
    /// The number of processes.
    private let count: Int
    private let news: NewsNetwork
    private var database: StoreDisk<SQLiteServerStore>.Opened?
    /// The running processes by their numbers.
    private var processes: [Int: ServerProcess] = [:]
    private var lastID = 0
    /// The error of its clock, in milliseconds.
    var clockError: Int64 = 0
    /// The latest time that its clock has shown at a request, in milliseconds since 1970.
    private(set) var latest: Int64 = 0
    /// Called with what each process does.
    var onEvent: (ServerEvent, Int) -> Void = { _, _ in }
    /// Called with each line of the server's log that reports an error.
    var onLog: @Sendable (String) -> Void = { _ in }
    /// Called after a crash.
    var onCrash: (String) -> Void = { _ in }

    /// - Parameters:
    ///   - processes: their number.
    ///   - limits: the size limits of requests and pages.
    init(
        room: StoreDisk<SQLiteServerStore>, processes count: Int, loop: Loop, luck: RandomSource,
        limits: Capabilities.Limits
    ) {
        self.room = room
        self.loop = loop
        self.luck = luck
        self.count = count
        news = NewsNetwork(loop, luck)
        configuration = ServerConfiguration(passwordCost: .least, passwordThreads: 0, limits: limits)
        news.onKnown = { [unowned self] news, place in onEvent(.learned(news), place) }
    }

    var disk: Disk { room.disk }

    /// The machine's clock, in milliseconds since 1970.
    var now: Int64 { max(0, loop.now + clockError) }

    /// Receives a request of a device; `answer` gets nil if the connection broke before there was one.
    ///
    /// - Parameter pieces: receives each piece of a streamed body, and nil at its end.
    /// - Returns: the number for `hangUp`.
    @discardableResult
    func receive(
        _ request: HTTPRequest, of device: String, pieces: @escaping ([UInt8]?) -> Void = { _ in },
        _ answer: @escaping (HTTPResponse?) -> Void
    ) -> Int {
        lastID += 1
        guard let process = running(anyPlace()) else {
            answer(nil)
            return lastID
        }
        latest = max(latest, now)
        process.receive(request, of: device, as: lastID, pieces: pieces, answer)
        return lastID
    }

    /// Closes a stream whose reader has disconnected.
    func hangUp(_ id: Int) {
        for process in all { process.hangUp(id) }
    }

    /// Closes all streams, whose readers have disconnected.
    func hangUpAll() {
        for process in all { process.hangUpAll() }
    }

    /// Kills a process after this many more of its jobs: any of several.
    func kill(afterJobs jobs: Int) {
        let place = anyPlace()
        guard let process = running(place) else { return }
        process.processor.kill(afterJobs: jobs) { [self] in
            guard count > 1 else { return crash("was killed", losing: nil) }
            onCrash("(process \(place)) was killed")
            end(place)
        }
    }

    /// Ends all faults.
    func endFaults() {
        disk.endFaults()
        for process in all { process.processor.spare() }
    }

    /// Kills everything; with `luck`, unsynced data is lost as well.
    func crash(_ how: String, losing luck: UInt64?) {
        guard database != nil else { return }
        onCrash(how)
        disk.disconnect(losing: luck)
        forget()
    }

    /// Stops in an orderly way; running requests are cut off.
    func stop() {
        guard let database else { return }
        // A process with the database in it ends in the middle of a transaction.
        if count == 1, all.contains(where: { !$0.isIdle }) { return crash("is switched off", losing: nil) }
        forget()
        room.keep(database)
    }

    /// Restores a backup, in one step, as `SQLiteServerStore.restore` does with files.
    func restore(from backup: Disk) {
        endFaults()
        crash("is stopped", losing: nil)
        room.discard()
        loop.drain()
        disk.copy(backup)
        guard let process = running(0), let database else { return }
        let (epoch, moment) = (luck.uuid(), now)
        Task(executorPreference: process.processor) {
            try await database.store.write { store in try store.markRestored(epoch: epoch, now: moment) }
        }
        loop.drain()
    }

    /// Deletes all tombstones, as after the retention time.
    func purge() {
        guard let process = running(anyPlace()) else { return }
        let moment = now + 1
        // If the disk fails meanwhile, the previous state is kept.
        Task(executorPreference: process.processor) { _ = try? await process.server.purgeTombstones(before: moment) }
        loop.drain()
    }

    // MARK: Processes

    /// The running processes, in order.
    private var all: [ServerProcess] { processes.sorted { $0.key < $1.key }.map(\.value) }

    /// The number of the process that the next request reaches.
    private func anyPlace() -> Int { count == 1 ? 0 : luck.below(count) }

    /// Ends everything without waiting; the next request starts it again.
    private func forget() {
        for place in processes.keys.sorted() { end(place) }
        database = nil
    }

    /// Ends a process without waiting; the next request that reaches it starts it again.
    private func end(_ place: Int) {
        news.disconnect(place)
        processes.removeValue(forKey: place)?.die()
    }

    /// The process of a number, started if needed; nil if that fails, as on a bad disk or while the old database still
    /// ends.
    private func running(_ place: Int) -> ServerProcess? {
        if let process = processes[place] { return process }
        guard let opened = try? database ?? open() else { return nil }
        database = opened
        let process = ServerProcess(
            configuration, over: opened.store,
            through: count == 1 ? nil : DatabaseConnection(place: place, news: news, luck: luck), loop: loop,
            luck: luck, now: { [self] in now }, onLog: onLog, onEvent: { [self] in onEvent($0, place) })
        process.processor.afterJob = { [self] in noticeCut() }
        processes[place] = process
        noticeCut()
        return process
    }

    private func open() throws -> StoreDisk<SQLiteServerStore>.Opened {
        do {
            return try room.open {
                try SQLiteServerStore(
                    directory: URL(fileURLWithPath: disk.path), epoch: luck.uuid(), scheduling: .inline)
            }
        } catch {
            noticeCut()
            throw error
        }
    }

    /// A power cut happens in the middle of a job; the job itself got an error from it.
    private func noticeCut() {
        guard disk.wasCut() else { return }
        onCrash("lost its power")
        forget()
    }
}
