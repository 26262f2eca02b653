import Backend
import Foundation
import Logging
import Records
import SQLiteServerStore
import ServerCore
import SyncAPI

/// The machine that the server runs on: the real services over a real store on a simulated disk. It starts at the first
/// request, and again after each crash.
///
/// Sendable: see `Loop`.
final class ServerMachine: @unchecked Sendable {
    private let room: StoreDisk<SQLiteServerStore>
    private let loop: Loop
    private let luck: RandomSource
    private let configuration: ServerConfiguration
    private var process: Process?
    private var waiting: [Int: Waiting] = [:]
    private var streams: [Int: Stream] = [:]
    private var lastID = 0
    /// The error of its clock, in milliseconds.
    var clockError: Int64 = 0
    /// The latest time that its clock has shown at a request, in milliseconds since 1970.
    private(set) var latest: Int64 = 0
    /// Called with each answered request.
    var onAnswer: (HTTPRequest, HTTPResponse) -> Void = { _, _ in }
    /// Called with each line of the server's log that reports an error.
    var onLog: @Sendable (String) -> Void = { _ in }
    /// Called after a crash.
    var onCrash: (String) -> Void = { _ in }

    /// The state that is lost when the machine is killed.
    private struct Process {
        let server: SyncServer
        let processor: Processor
        let sleepers: Sleepers
        /// The number of its files for `Disk.kill`.
        let opened: StoreDisk<SQLiteServerStore>.Opened
    }

    /// A request that waits for an answer.
    private struct Waiting {
        let answer: (HTTPResponse?) -> Void
        /// Receives each piece of a streamed body, and nil at its end.
        let pieces: ([UInt8]?) -> Void
    }

    /// A body that is read piece by piece.
    private struct Stream {
        let body: BodyStream
        let pieces: ([UInt8]?) -> Void
    }

    /// - Parameter limits: the size limits of requests and pages.
    init(room: StoreDisk<SQLiteServerStore>, loop: Loop, luck: RandomSource, limits: Capabilities.Limits) {
        self.room = room
        self.loop = loop
        self.luck = luck
        configuration = ServerConfiguration(passwordCost: .least, passwordThreads: 0, limits: limits)
    }

    var disk: Disk { room.disk }

    /// The machine's clock, in milliseconds since 1970.
    var now: Int64 { max(0, loop.now + clockError) }

    /// Receives a request; `answer` gets nil if the connection broke before there was one.
    ///
    /// - Parameter pieces: receives each piece of a streamed body, and nil at its end.
    /// - Returns: the number for `hangUp`.
    @discardableResult
    func take(
        _ request: HTTPRequest, pieces: @escaping ([UInt8]?) -> Void = { _ in },
        _ answer: @escaping (HTTPResponse?) -> Void
    ) -> Int {
        lastID += 1
        let id = lastID
        guard let process = running() else {
            answer(nil)
            return id
        }
        latest = max(latest, now)
        waiting[id] = Waiting(answer: answer, pieces: pieces)
        Task(executorPreference: process.processor) {
            let given = await process.server.answer(ServerRequest(request))
            self.finish(id, request, given)
            if let body = given.stream { await self.pump(id, body) }
        }
        return id
    }

    /// Closes a stream whose reader has disconnected.
    func hangUp(_ id: Int) { streams.removeValue(forKey: id)?.body.end() }

    /// Closes all streams, whose readers have disconnected.
    func hangUpAll() {
        for id in streams.keys.sorted() { hangUp(id) }
    }

    private func pump(_ id: Int, _ body: BodyStream) async {
        while streams[id] != nil, let piece = await body.next() { streams[id]?.pieces(piece) }
        streams.removeValue(forKey: id)?.pieces(nil)
    }

    private func finish(_ id: Int, _ request: HTTPRequest, _ given: ServerCore.ServerAnswer) {
        guard let waiting = waiting.removeValue(forKey: id) else { return }
        if let body = given.stream { streams[id] = Stream(body: body, pieces: waiting.pieces) }
        let date = HTTPDate.text(milliseconds: now)
        let response = HTTPResponse(status: given.status, headers: given.headers + [("Date", date)], body: given.body)
        onAnswer(request, response)
        waiting.answer(response)
    }

    /// Kills the process after this many more jobs.
    func kill(afterJobs jobs: Int) {
        running()?.processor.kill(afterJobs: jobs) { [self] in crash("was killed", losing: nil) }
    }

    /// Ends all faults.
    func endFaults() {
        disk.endFaults()
        process?.processor.spare()
    }

    /// Kills the process; with `luck`, unsynced data is lost as well.
    func crash(_ how: String, losing luck: UInt64?) {
        guard process != nil else { return }
        onCrash(how)
        disk.disconnect(losing: luck)
        forget()
    }

    /// Stops in an orderly way; running requests are cut off.
    func stop() {
        guard let process else { return }
        if !waiting.isEmpty || !streams.isEmpty { return crash("is switched off", losing: nil) }
        process.sleepers.end()
        room.keep(process.opened)
        forget()
    }

    /// Restores a backup, in one step, as `SQLiteServerStore.restore` does with files.
    func restore(from backup: Disk) {
        endFaults()
        crash("is stopped", losing: nil)
        room.discard()
        loop.drain()
        disk.copy(backup)
        guard let process = running() else { return }
        let (epoch, moment) = (luck.uuid(), now)
        Task(executorPreference: process.processor) {
            try await process.opened.store.write { store in try store.markRestored(epoch: epoch, now: moment) }
        }
        loop.drain()
    }

    /// Deletes all tombstones, as after the retention time.
    func purge() {
        guard let process = running() else { return }
        let moment = now + 1
        // If the disk fails meanwhile, the previous state is kept.
        Task(executorPreference: process.processor) { _ = try? await process.server.purgeTombstones(before: moment) }
        loop.drain()
    }

    /// Releases everything without waiting; the next request starts it again.
    private func forget() {
        process?.sleepers.end()
        process?.processor.spare()
        process = nil
        for (_, stream) in streams.sorted(by: { $0.key < $1.key }) {
            stream.body.end()
            stream.pieces(nil)
        }
        streams = [:]
        let broken = waiting.sorted { $0.key < $1.key }.map(\.value)
        waiting = [:]
        for waiting in broken { waiting.answer(nil) }
    }

    /// The process, started if needed; nil if that fails, as on a bad disk or while the old process still ends.
    private func running() -> Process? {
        if let process { return process }
        guard let opened = try? open() else { return nil }
        let (processor, sleepers) = (Processor(loop), Sleepers(loop))
        let environment = ServerEnvironment(
            now: { [self] in now }, randomBytes: { [luck] count in luck.bytes(count) },
            sleep: { try await sleepers.sleep(for: $0) }, executor: processor)
        let logger = Logger(label: "simulation") { _ in
            // Without the time, which is another clock's.
            LogfmtHandler(level: .error) { [onLog] line in onLog(String(line.drop { $0 != " " })) }
        }
        let server = SyncServer(
            configuration: configuration, store: opened.store, environment: environment, logger: logger)
        processor.afterJob = { [self] in noticeCut() }
        process = Process(server: server, processor: processor, sleepers: sleepers, opened: opened)
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

extension ServerRequest {
    /// A request of a device.
    fileprivate init(_ request: HTTPRequest) {
        let rest = request.url.dropFirst("https://".count)
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        self.init(
            method: request.method, target: end == rest.endIndex ? "/" : String(rest[end...]),
            headers: [("Host", String(rest[..<end]))] + request.headers, address: "in-process", body: request.body ?? []
        )
    }
}
