internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import SyncAPI

/// Serves a `SyncServer` with Hummingbird.
struct ServerResponder: HTTPResponder {
    private let server: SyncServer
    private let connections: Connections

    init(_ server: SyncServer, connections: Connections) {
        self.server = server
        self.connections = connections
    }

    @Sendable
    func respond(to request: Request, context: ServerContext) async throws -> Response {
        var asked = ServerRequest(request, address: context.address)
        asked.onSignedIn = { [connections] in connections.signedIn(context.connection) }
        asked.onDisplaced = { [connections] in connections.close(context.connection) }
        if asked.isShort { return await answerHere(asked, on: context.channel) }
        // The event loop serves other connections meanwhile.
        let answer = await onStackOfItsOwn(executor: globalConcurrentExecutor) { [server, asked] in
            await server.answer(asked)
        }
        return Response(answer, on: context.channel)
    }

    /// Not inlined: the task of a stream would keep the 6 KiB of its frame.
    @inline(never)
    private func answerHere(_ request: ServerRequest, on channel: any Channel) async -> Response {
        Response(await server.answer(request), on: channel)
    }
}

extension ServerRequest {
    /// The longest body that an event loop parses.
    private static let shortBody = 64 << 10

    /// Whether the request reads or changes one record, which takes less time than a thread switch.
    fileprivate var isShort: Bool {
        switch AuthenticatedRoute.table.route(method: method, path: path) {
        case .readRecord, .deleteRecord: true
        case .replaceRecord, .patchRecord:
            header("Content-Length").flatMap { Int($0) }.map { $0 <= Self.shortBody } ?? false
        default: false
        }
    }
}

/// The connection of a request.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The peer's address, without its port; of a Unix socket, the loopback address, since its peer is a process of
    /// this machine.
    let address: String
    /// The connection, or the stream of HTTP/2.
    let connection: ConnectionRoster.ID
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address =
            switch source.channel.localAddress {
            case .unixDomainSocket: "127.0.0.1"
            default: source.channel.remoteAddress?.ipAddress ?? ""
            }
        connection = ObjectIdentifier(source.channel)
        channel = source.channel
    }
}

extension ServerRequest {
    fileprivate init(_ request: Request, address: String) {
        let body = request.body
        // HTTPTypes moves the first `Host` from the headers to `authority`; `hasHost` counts all of them.
        let host = request.head.authority.map { [(name: "Host", value: $0)] } ?? []
        self.init(
            method: request.method.rawValue, target: request.head.path ?? "/",
            headers: host + request.headers.map { ($0.name.rawName, $0.value) }, address: address
        ) { receive in
            do {
                for try await part in body { try receive(Array(part.readableBytesView)) }
            } catch let problem as Problem {
                throw problem
            } catch {
                // The client disconnected, was too slow, or did not send HTTP: not an error of the server.
                throw Problem.bodyBrokenOff
            }
        }
    }
}

extension Response {
    fileprivate init(_ answer: ServerAnswer, on channel: any Channel) {
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            // HTTPTypes can't represent a name that isn't a token (RFC 9110 section 5.1); such a header of an extension
            // is omitted.
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: Self.body(answer, channel))
    }

    private static func body(_ answer: ServerAnswer, _ channel: any Channel) -> ResponseBody {
        if let stream = answer.stream { return body(stream, channel) }
        if answer.body.isEmpty { return ResponseBody() }
        return answer.body.count <= pieceBytes
            ? ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)) : pieces(of: answer, channel.eventLoop)
    }

    /// Writes a long body in pieces, each after the previous one was accepted, so that a slow reader keeps only the
    /// bytes of the answer in memory and no copy of them. The answer's share of the budget is released at the end.
    private static func pieces(of answer: ServerAnswer, _ eventLoop: any EventLoop) -> ResponseBody {
        ResponseBody(contentLength: answer.body.count) { writer in
            for start in stride(from: 0, to: answer.body.count, by: pieceBytes) {
                let end = min(start + pieceBytes, answer.body.count)
                try await writer.write(ByteBuffer(bytes: answer.body[start..<end]))
                // The writer waits only after the event loop has seen that the channel is full. Without a turn of the
                // event loop, it would accept all pieces at once.
                try await eventLoop.submit {}.get()
            }
            try await writer.finish(nil)
        }
    }

    private static let pieceBytes = 64 << 10

    /// Writes a stream until it ends, the server stops, or the connection is closed, which `ConnectionGuard` does when
    /// the client disconnects.
    private static func body(_ stream: BodyStream, _ channel: any Channel) -> ResponseBody {
        ResponseBody { writer in
            channel.closeFuture.whenComplete { _ in stream.end() }
            try await withGracefulShutdownHandler {
                while let piece = await stream.next() { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            } onGracefulShutdown: {
                stream.end()
            }
        }
    }
}
