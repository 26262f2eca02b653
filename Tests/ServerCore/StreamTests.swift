import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import Testing

@testable import ServerCore

/// One stream of HTTP/2 with the server's handlers, on a manual clock.
@Suite struct StreamTests {
    /// The stream as its client sees it.
    private final class Client {
        let channel = EmbeddedChannel()
        private let socket = Socket()

        init(_ connections: Connections = .forTests()) throws {
            try channel.pipeline.syncOperations.addHandlers([
                socket, HTTP2FramePayloadToHTTPServerCodec(), StreamGuard(connections),
            ])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
        }

        var isReading: Bool {
            get { socket.isReading }
            set { socket.isReading = newValue }
        }

        func request(_ method: String, isWhole: Bool, hosts: [String] = []) {
            var headers: HPACKHeaders = [":method": method, ":scheme": "https", ":path": "/", ":authority": "x"]
            for host in hosts { headers.add(name: "host", value: host) }
            receive(.headers(.init(headers: headers, endStream: isWhole)))
        }

        func body(_ count: Int, isLast: Bool = false) {
            let bytes = ByteBuffer(repeating: 0x20, count: count)
            receive(.data(.init(data: .byteBuffer(bytes), endStream: isLast)))
        }

        private func receive(_ payload: HTTP2Frame.FramePayload) {
            channel.pipeline.fireChannelRead(payload)
            channel.pipeline.fireChannelReadComplete()
        }

        func wait(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        /// The server's action for a request.
        func answer(_ status: HTTPResponse.Status, type: String = "text/plain", body: Int = 0) {
            begin(status, type: type)
            if body > 0 { piece(body) }
            channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        }

        func begin(_ status: HTTPResponse.Status, type: String = "text/plain") {
            let head = HTTPResponse(status: status, headerFields: [.contentType: type])
            channel.writeAndFlush(HTTPResponsePart.head(head), promise: nil)
        }

        func piece(_ count: Int) {
            channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(repeating: 0x20, count: count)), promise: nil)
        }

        /// The code with which the server has reset the stream since the last call.
        func resetCode() throws -> NIOHTTP2.HTTP2ErrorCode? {
            var code: NIOHTTP2.HTTP2ErrorCode?
            while let payload = try channel.readOutbound(as: HTTP2Frame.FramePayload.self) {
                if case .rstStream(let given) = payload { code = given }
            }
            return code
        }

        /// The number of parts of requests that the server's logic received since the last call.
        func forwarded() throws -> Int {
            var count = 0
            while try channel.readInbound(as: HTTPRequestPart.self) != nil { count += 1 }
            return count
        }
    }

    /// The connection below: it accepts what is written unless the client's window is closed. A reset always passes.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = HTTP2Frame.FramePayload

        var isReading = true

        func flush(context: ChannelHandlerContext) {
            if isReading { context.flush() }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            context.write(data, promise: promise)
            if case .rstStream = unwrapOutboundIn(data) { context.flush() }
        }
    }

    @Test func aBodyHas30SecondsAndOneMoreForEach64KiB() throws {
        let client = try Client()
        client.request("POST", isWhole: false)
        client.body(128 << 10)
        client.wait(31)
        #expect(try client.resetCode() == nil)
        client.wait(1)
        #expect(try client.resetCode() == .cancel)
    }

    @Test func aSlowHandlerIsNotCutOff() throws {
        let client = try Client()
        client.request("GET", isWhole: true)
        client.wait(600)
        client.answer(.ok)
        #expect(try client.resetCode() == nil)
    }

    @Test func aClientThatDoesNotReadIsCutOffWithinAMinute() throws {
        let client = try Client()
        client.request("GET", isWhole: true)
        client.isReading = false
        client.answer(.ok, body: 100)
        client.wait(29)
        #expect(try client.resetCode() == nil)
        client.wait(31)
        #expect(try client.resetCode() == .cancel)
    }

    @Test func anEventStreamIsNotCutOff() throws {
        let client = try Client()
        client.request("GET", isWhole: true)
        client.begin(.ok, type: "text/event-stream")
        for _ in 1...180 {
            client.wait(20)
            client.piece(3)
        }
        #expect(try client.resetCode() == nil)
    }

    @Test func theRestOfARefusedBodyIsDeclinedWithoutAnError() throws {
        let client = try Client()
        client.request("POST", isWhole: false)
        client.body(1_000)
        #expect(try client.forwarded() == 2)
        client.answer(.notFound, body: 10)
        #expect(try client.resetCode() == .noError)
        client.body(1_000)
        #expect(try client.forwarded() == 0)
    }

    @Test func anAnswerToAWholeRequestResetsNothing() throws {
        let client = try Client()
        client.request("POST", isWhole: false)
        client.body(3, isLast: true)
        client.answer(.badRequest)
        #expect(try client.resetCode() == nil)
    }

    @Test func aStreamWithoutAPlaceIsRefusedBeforeAnythingIsProcessed() throws {
        let connections = Connections.forTests(perAddress: 2)
        let clients = try (1...3).map { _ in try Client(connections) }
        for client in clients { client.request("GET", isWhole: true) }
        #expect(try clients.map { try $0.forwarded() } == [2, 2, 0])
        #expect(try clients.map { try $0.resetCode() } == [nil, nil, .refusedStream])
        clients[0].channel.close(promise: nil)
        clients[0].channel.embeddedEventLoop.run()
        let next = try Client(connections)
        next.request("GET", isWhole: true)
        #expect(try next.forwarded() == 2)
    }

    @Test func closingAllResetsStreams() throws {
        let connections = Connections.forTests()
        let client = try Client(connections)
        client.request("GET", isWhole: true)
        connections.closeAll()
        #expect(try client.resetCode() == .cancel)
    }

    @Test(arguments: [([], []), (["x"], []), (["y"], ["y"]), (["x", "x"], ["x", "x"])])
    func `a Host that repeats the authority is dropped`(_ hosts: [String], _ forwarded: [String]) throws {
        let client = try Client()
        client.request("GET", isWhole: true, hosts: hosts)
        let part = try client.channel.readInbound(as: HTTPRequestPart.self)
        guard case .head(let head) = part else {
            Issue.record("no head was forwarded")
            return
        }
        let name = try #require(HTTPField.Name("Host"))
        #expect(head.headerFields[values: name] == forwarded)
        #expect(head.authority == "x")
    }

    // MARK: Connections

    @Test func aConnectionWithoutAStreamIsClosedAfter10SecondsAndAfterItsLastOneAfter90() {
        var streams = OpenStreams(negotiatedAt: .uptimeNanoseconds(0))
        #expect(streams.nextLook == .uptimeNanoseconds(10_000_000_000))
        #expect(streams.use == .receiving)
        streams.opened()
        streams.opened()
        streams.closed(now: .uptimeNanoseconds(1_000_000_000))
        #expect(streams.nextLook == nil)
        #expect(streams.use == .streaming)
        streams.closed(now: .uptimeNanoseconds(2_000_000_000))
        #expect(streams.nextLook == .uptimeNanoseconds(92_000_000_000))
        #expect(streams.use == .idle)
    }
}

/// The limits of NIO's HTTP/2, which Hummingbird gives no way to set. If a new version of the library has others,
/// Operating.md ("Limits") and SyncAPI.docc/Protocol.md ("Limits") change with this test.
@Suite struct LibraryLimitsTests {
    private let limits = NIOHTTP2Handler.Configuration()

    private func setting(_ parameter: HTTP2SettingsParameter) -> Int? {
        limits.connection.initialSettings.first { $0.parameter == parameter }?.value
    }

    @Test func aConnectionHas100StreamsAndHeadersOf16KiBInSixFrames() {
        #expect(setting(.maxConcurrentStreams) == 100)
        #expect(setting(.maxHeaderListSize) == ConnectionRules.headBytes)
        // One frame with the beginning of the headers comes before these.
        #expect(limits.connection.maximumSequentialContinuationFrames == 5)
    }

    @Test func resetsErrorsAndControlFramesAre200In30Seconds() {
        #expect(limits.stream.streamResetFrameRateLimit.maximumCount == 200)
        #expect(limits.stream.streamResetFrameRateLimit.windowLength == .seconds(30))
        #expect(limits.stream.streamErrorRateLimit.maximumCount == 200)
        #expect(limits.stream.streamErrorRateLimit.windowLength == .seconds(30))
        #expect(limits.connection.controlFrameRateLimit.maximumCount == 200)
        #expect(limits.connection.controlFrameRateLimit.windowLength == .seconds(30))
    }

    @Test func theSecondOfTwoEmptyFramesOfDataIsOneTooMany() {
        #expect(limits.connection.maximumSequentialEmptyDataFrames == 1)
    }
}
