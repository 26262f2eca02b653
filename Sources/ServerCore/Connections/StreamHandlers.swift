internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP2
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP2

/// The number of open streams of an HTTP/2 connection, and the connection's deadline without one. Each stream has the
/// deadlines of a request (`ConnectionState`).
struct OpenStreams {
    private var count = 0
    private var hadOne = false
    private var idleSince: NIODeadline

    init(negotiatedAt now: NIODeadline) { idleSince = now }

    mutating func opened() {
        count += 1
        hadOne = true
    }

    mutating func closed(now: NIODeadline) {
        count -= 1
        idleSince = now
    }

    /// A connection with streams is never closed to make room, and doesn't count for its address: its streams do. Before
    /// its first stream, its client is about to send a request.
    var use: ConnectionState.Use { count > 0 ? .streaming : hadOne ? .idle : .receiving }

    /// The time at which the connection is closed; nil while it has streams. Frames without a stream, such as PING,
    /// don't extend it.
    var nextLook: NIODeadline? {
        count > 0 ? nil : idleSince + (hadOne ? ConnectionRules.idle : ConnectionRules.head)
    }
}

/// Executes the decisions of `ConnectionState` on a stream of HTTP/2, which carries one request. Used on the
/// connection's event loop only.
final class StreamGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    private var state = ConnectionState(openedAt: .distantPast)
    private var reportedUse = ConnectionState.Use.receiving
    private var connection: ConnectionGuard?
    private var timer: DeadlineTimer?
    /// Bytes of bodies that were written, and those of them that were sent. The rest waits for the client, which has
    /// to read and to open the stream's window (RFC 9113 section 5.2).
    private var written = 0, sent = 0
    private var isRefused = false, isRemoved = false
    /// Whether the rest of the request is refused once the answer is sent.
    private var resetsOnceSent = false

    init(_ connections: Connections) { self.connections = connections }

    func handlerAdded(context: ChannelHandlerContext) {
        state = ConnectionState(openedAt: context.eventLoop.now)
        timer = DeadlineTimer(context.eventLoop)
        // Each connection has a guard, added before its streams. Without one, only its idle time would be unknown.
        connection = try? context.channel.parent.map(ConnectionGuard.of)
        connection?.streamOpened()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isRemoved = true
        timer?.cancel()
        connections.remove(context.channel)
        leaveConnection()
    }

    /// Reports the stream's end to the connection, which may then be closed. The last bytes of the answer have to be
    /// sent before.
    private func leaveConnection() {
        guard isRemoved, !state.hasUnsent else { return }
        connection?.streamClosed()
        connection = nil
    }

    /// Reports the stream's use and sets the timer for its next deadline. Called after each event.
    private func updateTimer(_ context: ChannelHandlerContext) {
        guard context.channel.isActive, !isRemoved, !isRefused else { return }
        if state.use != reportedUse {
            reportedUse = state.use
            _ = connections.report(state.use, of: context.channel)
        }
        timer?.set(state.nextLook) { self.look(context) }
    }

    private func look(_ context: ChannelHandlerContext) {
        if state.isOver(now: context.eventLoop.now, written: written, buffered: written - sent) {
            reset(context, .cancel)
        } else {
            updateTimer(context)
        }
    }

    /// Ends the stream at once. The connection stays.
    private func reset(_ context: ChannelHandlerContext, _ code: NIOHTTP2.HTTP2ErrorCode) {
        // The codec's own context, since the codec converts answers only.
        guard
            let codec = try? context.pipeline.syncOperations.context(
                handlerType: HTTP2FramePayloadToHTTPServerCodec.self)
        else { return context.close(promise: nil) }
        codec.writeAndFlush(NIOAny(HTTP2Frame.FramePayload.rstStream(code)), promise: nil)
    }

    // MARK: Request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard connections.add(context.channel, isStream: true) else {
                isRefused = true
                // The client may send the request again: nothing of it was processed (RFC 9113 section 8.7).
                return reset(context, .refusedStream)
            }
            state.headArrived(now: context.eventLoop.now)
            return context.fireChannelRead(wrapInboundOut(.head(head.withoutRepeatedHost)))
        case .body(let part):
            switch state.bodyArrived(bytes: part.readableBytes) {
            case .forward: break
            case .discard: return
            case .close: return reset(context, .cancel)
            }
        // The stream ends with its answer.
        case .end: _ = state.requestArrived()
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        updateTimer(context)
    }

    // MARK: Answer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            let isEventStream = head.headerFields[.contentType] == "text/event-stream"
            _ = state.answerBegan(isEventStream: isEventStream, now: context.eventLoop.now)
            context.write(data, promise: promise)
            updateTimer(context)
        case .body(let part):
            let count = part.readableBytes
            let accepted = promise ?? context.eventLoop.makePromise()
            accepted.futureResult.assumeIsolated().whenComplete { _ in self.sent += count }
            written += count
            context.write(data, promise: accepted)
        case .end:
            let accepted = promise ?? context.eventLoop.makePromise()
            accepted.futureResult.assumeIsolated().whenComplete { _ in self.answerSent(context) }
            // Before the write, whose promise may be fulfilled at once: `answerSent` must come second.
            if state.answerEnded(now: context.eventLoop.now) == .discardBody { resetsOnceSent = true }
            context.writeAndFlush(data, promise: accepted)
            updateTimer(context)
        }
    }

    private func answerSent(_ context: ChannelHandlerContext) {
        state.answerSent(now: context.eventLoop.now)
        if isRemoved { return leaveConnection() }
        // Asks the client to stop sending the rest, without an error (RFC 9113 section 8.1).
        if resetsOnceSent { reset(context, .noError) } else { updateTimer(context) }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is ConnectionGuard.CloseNow else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        reset(context, .cancel)
        promise?.succeed()
    }
}

extension HTTPRequest {
    /// The request without a `Host` that repeats `:authority`: a client may send both (RFC 9113 section 8.3.1). Further
    /// ones are refused as in HTTP/1.1.
    fileprivate var withoutRepeatedHost: HTTPRequest {
        guard let authority, let name = HTTPField.Name("Host"), headerFields[values: name] == [authority] else {
            return self
        }
        var request = self
        request.headerFields[values: name] = []
        return request
    }
}
