import Backend
import Foundation
import Logging
import SQLiteServerStore
import ServerCore
import TestSupport

/// A process of the server: the real services, the requests and the streams that it answers, until it is killed.
///
/// Sendable: see `Loop`.
final class ServerProcess: @unchecked Sendable {
    let server: SyncServer
    let processor: Processor
    private let store: ProcessStore
    private let sleepers: Sleepers
    private let now: () -> Int64
    private let onEvent: (ServerEvent) -> Void
    private var watch: Task<Void, Never>?
    private var waiting: [Int: Waiting] = [:]
    private var streams: [Int: Stream] = [:]

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

    /// - Parameters:
    ///   - database: the open store.
    ///   - connection: the way to the database and to the other processes; nil: the database is in this process.
    ///   - now: the machine's clock, in milliseconds since 1970.
    ///   - onLog: receives each line of the log that reports an error.
    ///   - onEvent: receives each event of a request or a stream.
    init(
        _ configuration: ServerConfiguration, over database: SQLiteServerStore, through connection: DatabaseConnection?,
        loop: Loop, luck: RandomSource, now: @escaping @Sendable () -> Int64,
        onLog: @escaping @Sendable (String) -> Void, onEvent: @escaping (ServerEvent) -> Void
    ) {
        let (processor, sleepers) = (Processor(loop), Sleepers(loop))
        (self.processor, self.sleepers, self.now, self.onEvent) = (processor, sleepers, now, onEvent)
        store = ProcessStore(database, connection, sleepers)
        let logger = Logger(label: "simulation") { _ in
            // Without the time, which is another clock's.
            LogfmtHandler(level: .error) { line in onLog(String(line.drop { $0 != " " })) }
        }
        server = SyncServer(
            configuration: configuration, store: store,
            environment: ServerEnvironment(
                now: now, randomBytes: { [luck] count in luck.bytes(count) },
                sleep: { try await sleepers.sleep(for: $0) }, executor: processor), logger: logger)
        guard connection != nil else { return }
        watch = Task(executorPreference: processor) { [server] in await server.watchCommits() }
    }

    /// Whether no request waits for an answer, and no stream is open.
    var isIdle: Bool { waiting.isEmpty && streams.isEmpty }

    /// Receives a request under a number; `answer` gets nil if the connection broke before there was one.
    func receive(
        _ request: HTTPRequest, of device: String, as id: Int, pieces: @escaping ([UInt8]?) -> Void,
        _ answer: @escaping (HTTPResponse?) -> Void
    ) {
        waiting[id] = Waiting(answer: answer, pieces: pieces)
        Task(executorPreference: processor) {
            let given = await self.server.answer(ServerRequest(request))
            self.finish(id, request, of: device, given)
            if let body = given.stream { await self.pump(id, body) }
        }
    }

    /// Closes a stream whose reader has disconnected, also one that isn't open yet.
    func hangUp(_ id: Int) {
        waiting[id] = nil
        guard let stream = streams.removeValue(forKey: id) else { return }
        stream.body.end()
        onEvent(.ended(stream: id))
    }

    /// Closes all streams, whose readers have disconnected.
    func hangUpAll() {
        for id in streams.keys.sorted() { hangUp(id) }
    }

    private func pump(_ id: Int, _ body: BodyStream) async {
        while streams[id] != nil, let piece = await body.next() {
            guard let stream = streams[id] else { return }
            onEvent(.sent(stream: id, piece))
            stream.pieces(piece)
        }
        guard let stream = streams.removeValue(forKey: id) else { return }
        onEvent(.ended(stream: id))
        stream.pieces(nil)
    }

    private func finish(_ id: Int, _ request: HTTPRequest, of device: String, _ given: ServerCore.ServerAnswer) {
        guard let waiting = waiting.removeValue(forKey: id) else {
            given.stream?.end()
            return
        }
        if let body = given.stream {
            streams[id] = Stream(body: body, pieces: waiting.pieces)
            onEvent(.opened(stream: id, of: device))
        }
        let date = HTTPDate.text(milliseconds: now())
        let response = HTTPResponse(status: given.status, headers: given.headers + [("Date", date)], body: given.body)
        onEvent(.answered(request, response, of: device))
        waiting.answer(response)
    }

    /// Marks the process as ended: its remaining jobs have no effect, and its connections break.
    func die() {
        store.isCut = true
        watch?.cancel()
        sleepers.end()
        processor.spare()
        let (open, broken) = (streams.sorted { $0.key < $1.key }, waiting.sorted { $0.key < $1.key })
        (streams, waiting) = ([:], [:])
        for (id, stream) in open {
            stream.body.end()
            onEvent(.ended(stream: id))
            stream.pieces(nil)
        }
        for (_, waiting) in broken { waiting.answer(nil) }
    }
}

/// What a process of the server does, for the story and the model.
enum ServerEvent {
    /// It has answered a request of a device.
    case answered(HTTPRequest, HTTPResponse, of: String)
    /// It has opened a stream for a device.
    case opened(stream: Int, of: String)
    /// It has sent a piece of a stream.
    case sent(stream: Int, [UInt8])
    /// A stream has ended.
    case ended(stream: Int)
    /// It knows news of its own or of other processes.
    case learned(StoreNews)
}

extension ServerRequest {
    /// A request of a device.
    fileprivate init(_ request: HTTPRequest) {
        self.init(
            method: request.method, target: request.target,
            headers: [("Host", String(request.url.dropFirst("https://".count).prefix { $0 != "/" }))] + request.headers,
            address: "in-process", body: request.body ?? [])
    }
}
