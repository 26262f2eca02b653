internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// An HTTP/1.1 channel with this server's limits: Hummingbird's channel with two handlers that observe its bytes and
/// its messages.
struct GuardedChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let connections: Connections

    init(connections: Connections, responder: @escaping HTTPChannelHandler.Responder) {
        self.connections = connections
        // Hummingbird's own idle timeout would disconnect slow readers and never a slow writer.
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                idleTimeout: nil,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: ConnectionRules.headBytes, maxHeaderListSize: ConnectionRules.headBytes)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        channel.eventLoop.makeCompletedFuture { try ConnectionGuard.open(on: channel, connections) }
            .flatMap { setUpHTTP(on: channel, logger: logger) }
    }

    /// Adds the handlers of HTTP to a channel that has a `ConnectionGuard`.
    func setUpHTTP(on channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try ConnectionGuard.observeMessages(on: channel)
            return value
        }
    }

    /// Handles the requests on the connection's event loop, without thread switches; `ServerResponder` moves long ones
    /// to other threads.
    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await http.handle(value: value, logger: logger)
        }
    }
}

/// Runs tasks on an event loop.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Executes the decisions of `ConnectionState` on a channel. Used on the channel's event loop only.
final class ConnectionGuard {
    private let channel: any Channel
    private let connections: Connections
    /// The state of HTTP/1.1; before that, of the TLS handshake, which has the time limit of a request's headers.
    private var state: ConnectionState
    /// The streams, once HTTP/2 is negotiated. Each has a `StreamGuard`.
    private var streams: OpenStreams?
    private var reportedUse = ConnectionState.Use.receiving
    /// Number of bytes written to the channel.
    private var written = 0
    private let timer: DeadlineTimer
    /// Whether closing was requested while an answer waited to be sent.
    private var closesOnceSent = false
    /// Closes at once, bypassing the handlers that would wait for an answer.
    private var closeNow: () -> Void = {}

    private init(_ channel: any Channel, _ connections: Connections) {
        self.channel = channel
        self.connections = connections
        state = ConnectionState(openedAt: channel.eventLoop.now)
        timer = DeadlineTimer(channel.eventLoop)
    }

    /// Adds the handler of the bytes, on the channel's event loop.
    static func open(on channel: any Channel, _ connections: Connections) throws {
        // Next to the socket: it sees every byte, and closes without passing the other handlers.
        try channel.pipeline.syncOperations.addHandler(
            Bytes(ConnectionGuard(channel, connections)), position: .first)
    }

    /// Returns the guard of a channel, on the channel's event loop.
    static func of(_ channel: any Channel) throws -> ConnectionGuard {
        try channel.pipeline.syncOperations.handler(type: Bytes.self).connection
    }

    /// Adds the handler of the messages of HTTP/1.1, after the decoder was added.
    static func observeMessages(on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(Messages(try of(channel)), position: .after(decoder))
    }

    // MARK: HTTP/2

    /// Records that the connection has streams from now on.
    func multiplex() {
        streams = OpenStreams(negotiatedAt: now)
        updateTimer()
    }

    func streamOpened() {
        streams?.opened()
        updateTimer()
    }

    func streamClosed() {
        streams?.closed(now: now)
        updateTimer()
    }

    // MARK: State

    private var now: NIODeadline { channel.eventLoop.now }

    private func opened(closeNow: @escaping () -> Void) {
        self.closeNow = closeNow
        guard connections.add(channel) else { return closeNow() }
        updateTimer()
    }

    private func closed() {
        timer.cancel()
        connections.remove(channel)
    }

    private var use: ConnectionState.Use { streams?.use ?? state.use }

    /// Reports the connection's use and sets the timer for its next deadline. Called after each event.
    private func updateTimer() {
        guard channel.isActive else { return }
        if use != reportedUse {
            reportedUse = use
            // An idle connection is closed at once if the server is almost full, so that new ones find room.
            let isCrowded = connections.report(use, of: channel)
            if isCrowded, use == .idle { return closeNow() }
        }
        timer.set(streams.map(\.nextLook) ?? state.nextLook) { self.look() }
    }

    private func look() {
        if let streams {
            if let next = streams.nextLook, next <= now { closeNow() } else { updateTimer() }
            return
        }
        // If the channel can't report it, its reader has no deadline.
        let buffered = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
        if state.isOver(now: now, written: written, buffered: buffered ?? 0) { closeNow() } else { updateTimer() }
    }

    // MARK: Bytes

    /// Observes the bytes read from the socket and written to it.
    private final class Bytes: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = IOData

        fileprivate let connection: ConnectionGuard

        init(_ connection: ConnectionGuard) { self.connection = connection }

        func handlerAdded(context: ChannelHandlerContext) {
            if context.channel.isActive { opened(context) }
        }

        func channelActive(context: ChannelHandlerContext) {
            opened(context)
            context.fireChannelActive()
        }

        private func opened(_ context: ChannelHandlerContext) {
            connection.opened { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            connection.closed()
            context.fireChannelInactive()
        }

        func handlerRemoved(context: ChannelHandlerContext) { connection.closed() }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            context.fireUserInboundEventTriggered(event)
            guard event as? ChannelEvent == .inputClosed else { return }
            connection.state.inputClosed()
            if connection.state.hasLostReader { connection.closeNow() }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            connection.state.bytesArrived(now: connection.now)
            context.fireChannelRead(data)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            context.fireChannelReadComplete()
            connection.updateTimer()
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            connection.written += unwrapOutboundIn(data).readableBytes
            context.write(data, promise: promise)
        }

        func triggerUserOutboundEvent(
            context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
        ) {
            guard event is CloseNow else { return context.triggerUserOutboundEvent(event, promise: promise) }
            context.close(promise: promise)
        }
    }

    /// An event that closes a connection in any state. `Channel.close` would pass `Messages`, which waits for answers.
    struct CloseNow: Sendable {}

    // MARK: Messages

    /// Observes requests and answers.
    private final class Messages: ChannelDuplexHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias InboundOut = HTTPServerRequestPart
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        private let connection: ConnectionGuard

        init(_ connection: ConnectionGuard) { self.connection = connection }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: connection.state.headArrived(now: connection.now)
            case .body(let part):
                switch connection.state.bodyArrived(bytes: part.readableBytes) {
                case .forward: break
                case .discard: return
                case .close: return connection.closeNow()
                }
            case .end: if connection.state.requestArrived() { return connection.closeNow() }
            }
            context.fireChannelRead(data)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .head(var head):
                let isEventStream = head.headers.first(name: "Content-Type") == "text/event-stream"
                if connection.state.answerBegan(isEventStream: isEventStream, now: connection.now) {
                    head.headers.replaceOrAdd(name: "Connection", value: "close")
                }
                // The HTTP decoder's own answers, to requests that can't be parsed, have not passed through
                // `SyncServer`.
                for (name, value) in connection.connections.answerHeaders where !head.headers.contains(name: name) {
                    head.headers.add(name: name, value: value)
                }
                context.write(wrapOutboundOut(.head(head)), promise: promise)
                if connection.state.hasLostReader { connection.closeNow() } else { connection.updateTimer() }
            case .body: context.write(data, promise: promise)
            case .end:
                let sent = promise ?? context.eventLoop.makePromise()
                sent.futureResult.assumeIsolated().whenComplete { _ in self.answerSent(context) }
                // Before the write, whose promise may be fulfilled at once: `answerSent` must come second.
                let action = connection.state.answerEnded(now: connection.now)
                context.writeAndFlush(data, promise: sent)
                switch action {
                case .keepOpen: connection.updateTimer()
                case .close: close(context: context, mode: .all, promise: nil)
                case .discardBody: close(context: context, mode: .output, promise: nil)
                }
            }
        }

        private func answerSent(_ context: ChannelHandlerContext) {
            connection.state.answerSent(now: connection.now)
            if connection.closesOnceSent { connection.closeNow() } else { connection.updateTimer() }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            switch mode {
            // Hummingbird closes as soon as the last answer is written, even if it is not sent yet.
            case .all where connection.state.hasUnsent:
                connection.closesOnceSent = true
                promise?.succeed()
            case .all, .input: context.close(mode: mode, promise: promise)
            case .output:
                connection.state.outputClosed(now: connection.now)
                context.close(mode: mode, promise: promise)
                connection.updateTimer()
            }
        }
    }
}
