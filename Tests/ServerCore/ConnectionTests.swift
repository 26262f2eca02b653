import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import ServerCore

/// One connection with the server's handlers, on a manual clock.
@Suite struct ConnectionTests {
    /// The connection as its peer sees it.
    private final class Peer {
        let channel = EmbeddedChannel()
        let socket = Socket()

        init(_ connections: Connections = .forTests()) throws {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers([
                HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
            ])
            try ConnectionGuard.open(on: channel, connections)
            try ConnectionGuard.observeMessages(on: channel)
            try pipeline.addHandler(socket, position: .first)
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
        }

        var isOpen: Bool { channel.isActive }

        func send(_ text: String) {
            guard isOpen else { return }
            channel.pipeline.fireChannelRead(ByteBuffer(string: text))
            channel.pipeline.fireChannelReadComplete()
        }

        func send(bytes count: Int) { send(String(repeating: " ", count: count)) }

        func wait(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        /// The server's action for a request.
        func answer(_ status: HTTPResponseStatus, type: String = "text/plain", body: Int = 0) {
            begin(status, type: type)
            if body > 0 { piece(body) }
            end()
        }

        func begin(_ status: HTTPResponseStatus, type: String = "text/plain") {
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: ["Content-Type": type])
            channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        }

        func piece(_ count: Int) {
            let bytes = ByteBuffer(repeating: 0x20, count: count)
            channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
        }

        func closeSide() { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }

        func end() { channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil) }

        /// What has arrived at the peer since the last call.
        func received() throws -> String {
            var text = ""
            while let data = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: data) }
            return text
        }

        /// The bytes of bodies that the server's logic received since the last call.
        func forwardedBytes() throws -> Int {
            var count = 0
            while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
                if case .body(let bytes) = part { count += bytes.readableBytes }
            }
            return count
        }
    }

    /// The socket: it accepts what is written unless its peer doesn't read.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var isReading = true
        private(set) var isOutputClosed = false
        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func flush(context: ChannelHandlerContext) {
            if isReading { context.flush() }
        }

        /// The peer reads what waits.
        func read() { context?.flush() }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if mode == .output { isOutputClosed = true } else { context.close(mode: mode, promise: promise) }
        }
    }

    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func post(_ bytes: Int) -> String {
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(bytes)\r\n\r\n"
    }

    // MARK: Deadlines

    @Test func aStreamWhoseReaderHasClosedItsSideIsClosed() throws {
        let early = try Peer()
        early.send(Self.get)
        early.closeSide()
        #expect(early.isOpen)
        early.begin(.ok, type: "text/event-stream")
        #expect(!early.isOpen)
        let late = try Peer()
        late.send(Self.get)
        late.begin(.ok, type: "text/event-stream")
        #expect(late.isOpen)
        late.closeSide()
        #expect(!late.isOpen)
    }

    @Test func aClientThatHasClosedItsSideReceivesItsAnswer() throws {
        let peer = try Peer()
        peer.send(Self.get)
        peer.closeSide()
        peer.answer(.ok, body: 5)
        #expect(try peer.received().contains("     "))
    }

    @Test func aConnectionWithoutARequestIsClosedAfter10Seconds() throws {
        let peer = try Peer()
        peer.wait(9)
        #expect(peer.isOpen)
        peer.wait(1)
        #expect(!peer.isOpen)
    }

    @Test func headersHave10SecondsHoweverOftenAByteArrives() throws {
        let peer = try Peer()
        for letter in "GET / HTT" {
            peer.send(String(letter))
            peer.wait(1)
        }
        #expect(peer.isOpen)
        peer.send("P")
        peer.wait(1)
        #expect(!peer.isOpen)
    }

    @Test func anIdleConnectionWaits90SecondsButTheNextHeadersHave10() throws {
        let idle = try Peer()
        let slow = try Peer()
        for peer in [idle, slow] {
            peer.send(Self.get)
            peer.answer(.ok)
            peer.wait(80)
            #expect(peer.isOpen)
        }
        slow.send("G")
        for peer in [idle, slow] { peer.wait(9) }
        #expect(idle.isOpen && slow.isOpen)
        for peer in [idle, slow] { peer.wait(1) }
        #expect(!idle.isOpen && !slow.isOpen)
    }

    @Test func aBodyHas30SecondsAndOneMoreForEach64KiB() throws {
        let peer = try Peer()
        peer.send(Self.post(1 << 20))
        peer.send(bytes: 128 << 10)
        for _ in 1...31 {
            peer.send(" ")
            peer.wait(1)
        }
        #expect(peer.isOpen)
        peer.wait(1)
        #expect(!peer.isOpen)
    }

    @Test func aLargeBodyThatArrivesSteadilyIsReadWhole() throws {
        let peer = try Peer()
        peer.send(Self.post(8 << 20))
        for _ in 1...128 {
            peer.wait(1)
            peer.send(bytes: 64 << 10)
        }
        #expect(peer.isOpen)
        #expect(try peer.forwardedBytes() == 8 << 20)
    }

    @Test func anEventStreamIsNotCutOff() throws {
        let peer = try Peer()
        peer.send(Self.get)
        peer.begin(.ok, type: "text/event-stream")
        for _ in 1...180 {
            peer.wait(20)
            peer.piece(3)
        }
        #expect(peer.isOpen)
    }

    @Test func aSlowHandlerIsNotCutOff() throws {
        let peer = try Peer()
        peer.send(Self.get)
        peer.wait(600)
        #expect(peer.isOpen)
        peer.answer(.ok)
        #expect(try peer.received().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func aSlowReaderGetsTheWholeAnswerAndOneThatDoesNotReadIsCutOffWithinAMinute() throws {
        let peer = try Peer()
        peer.send(Self.get)
        peer.socket.isReading = false
        peer.begin(.ok)
        for _ in 1...20 {
            peer.socket.read()
            peer.piece(100)
            peer.wait(29)
        }
        peer.end()
        #expect(peer.isOpen)
        peer.socket.read()
        peer.send(Self.get)
        peer.answer(.ok, body: 100)
        peer.wait(60)
        #expect(!peer.isOpen)
    }

    // MARK: Refused bodies

    @Test func aRefusedBodyIsAnsweredWithConnectionCloseAndNotReadBeyond256KiB() throws {
        let peer = try Peer()
        peer.send(Self.post(1 << 30))
        peer.send(bytes: 1_000)
        #expect(try peer.forwardedBytes() == 1_000)
        peer.answer(.notFound, body: 10)
        let answer = try peer.received()
        #expect(answer.hasPrefix("HTTP/1.1 404 ") && answer.contains("Connection: close\r\n"))
        #expect(peer.socket.isOutputClosed)
        peer.send(bytes: 256 << 10)
        #expect(peer.isOpen)
        #expect(try peer.forwardedBytes() == 0)
        peer.send(" ")
        #expect(!peer.isOpen)
    }

    @Test func aRefusedBodyThatEndsSoonOrStopsEndsTheConnection() throws {
        let ending = try Peer()
        let stopping = try Peer()
        for peer in [ending, stopping] {
            peer.send(Self.post(1_000))
            peer.answer(.notFound)
        }
        ending.send(bytes: 1_000)
        #expect(!ending.isOpen)
        stopping.wait(4)
        #expect(stopping.isOpen)
        stopping.wait(1)
        #expect(!stopping.isOpen)
    }

    @Test func anAnswerToAWholeRequestKeepsTheConnectionOpen() throws {
        let peer = try Peer()
        peer.send(Self.post(3) + "abc")
        peer.answer(.badRequest)
        #expect(try !peer.received().contains("Connection: close"))
        #expect(peer.isOpen && !peer.socket.isOutputClosed)
    }

    // MARK: Closing

    @Test func closingWaitsForAnAnswerThatIsWrittenAndNotSent() throws {
        let peer = try Peer()
        peer.send(Self.get)
        peer.socket.isReading = false
        peer.answer(.ok, body: 100)
        peer.channel.close(promise: nil)
        #expect(peer.isOpen)
        peer.socket.read()
        #expect(!peer.isOpen)
        #expect(try peer.received().contains(String(repeating: " ", count: 100)))
    }

    @Test func closingAllWaitsForNothing() throws {
        let connections = Connections.forTests()
        let peers = try (1...3).map { _ in try Peer(connections) }
        peers[1].send(Self.post(10))
        peers[2].send(Self.get)
        peers[2].socket.isReading = false
        peers[2].answer(.ok, body: 100)
        connections.closeAll()
        #expect(peers.count(where: \.isOpen) == 0)
        #expect(connections.count == 0)
    }

    // MARK: Number

    @Test func whenAllPlacesAreInUseUnknownConnectionsAreClosedAndSignedInDevicesStay() throws {
        let connections = Connections.forTests(total: 32)
        let device = try Peer(connections)
        device.send(Self.get)
        connections.signedIn(ObjectIdentifier(device.channel))
        device.answer(.ok)
        let strangers = try (1...100).map { _ in try Peer(connections) }
        #expect(device.isOpen)
        #expect(strangers.count(where: \.isOpen) < 32)
        #expect(strangers.last?.isOpen == true)
        #expect(connections.count <= 32)
    }

    @Test func anAddressWithAllItsPlacesInUseGetsNoMoreAndAStreamUsesNone() throws {
        let connections = Connections.forTests(perAddress: 3)
        let busy = try (1...3).map { _ in try Peer(connections) }
        for peer in busy { peer.send(Self.get) }
        #expect(try !Peer(connections).isOpen)
        #expect(busy.count(where: \.isOpen) == 3)
        // A stream is counted separately, so it frees a place.
        busy[0].begin(.ok, type: "text/event-stream")
        #expect(try Peer(connections).isOpen)
    }

    @Test func theEighthConnectionToTheMetricsClosesASilentOne() throws {
        let connections = Connections.forMetrics(logger: .silent)
        let silent = try (1...7).map { _ in try Peer(connections) }
        #expect(silent.count(where: \.isOpen) == 7)
        let prometheus = try Peer(connections)
        #expect(silent.count(where: \.isOpen) == 6)
        #expect(prometheus.isOpen)
    }

    @Test func noFurtherConnectionToTheMetricsIsAcceptedBeyondEight() {
        let gate = Connections.forMetrics(logger: .silent).gate
        for _ in 1...7 { gate.connectionOpened() }
        #expect(gate.isAcceptingNewConnections())
        gate.connectionOpened()
        #expect(!gate.isAcceptingNewConnections())
        gate.connectionClosed()
        #expect(gate.isAcceptingNewConnections())
    }
}

extension Connections {
    static func forTests(total: Int = 1_000, perAddress: Int = 1_000) -> Connections {
        Connections(total: total, perAddress: perAddress, trustedProxies: [], logger: .silent)
    }
}

extension Logger {
    fileprivate static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// Which connection is closed when there are too many.
@Suite struct ConnectionRosterTests {
    private final class Place {}

    private let places = (0..<64).map { _ in Place() }
    private func id(_ number: Int) -> ConnectionRoster.ID { ObjectIdentifier(places[number]) }
    private func second(_ number: Int) -> NIODeadline { .uptimeNanoseconds(UInt64(number) * 1_000_000_000) }

    /// A roster of 4 places with connections 0, 1, 2.
    private func roster() -> ConnectionRoster {
        var roster = ConnectionRoster(total: 4, perAddress: 4)
        for number in 0..<3 { _ = roster.add(id(number), subscriber: "a", now: second(number)) }
        return roster
    }

    @Test func theLongestUnusedConnectionIsClosed() {
        var roster = roster()
        for (number, time) in [(0, 6), (1, 4), (2, 5)] { roster.use(.idle, of: id(number), now: second(time)) }
        #expect(roster.add(id(3), subscriber: "b", now: second(7)) == .init(isAdmitted: true, closing: [id(1)]))
    }

    @Test func anIdleUnknownConnectionIsClosedBeforeASlowOneAndThatBeforeASignedInOne() {
        var roster = roster()
        roster.signedIn(id(0))
        roster.use(.idle, of: id(0), now: second(3))
        roster.use(.idle, of: id(2), now: second(4))
        #expect(roster.add(id(3), subscriber: "b", now: second(7)).closing == [id(2)])
        roster.remove(id(2))
        #expect(roster.add(id(4), subscriber: "b", now: second(8)).closing == [id(1)])
        roster.remove(id(1))
        roster.use(.answering, of: id(3), now: second(9))
        roster.use(.answering, of: id(4), now: second(9))
        #expect(roster.add(id(5), subscriber: "b", now: second(10)).closing == [id(0)])
    }

    @Test func aNewConnectionIsNotClosedBeforeAnOlderOneWhoseFirstBytesWereRead() {
        var slow = ConnectionState(openedAt: second(0))
        slow.bytesArrived(now: second(0))
        #expect(slow.use == ConnectionState(openedAt: second(1)).use)
        var roster = roster()
        for number in 0..<3 { roster.use(slow.use, of: id(number), now: second(number)) }
        #expect(roster.add(id(3), subscriber: "b", now: second(3)).closing == [id(0)])
        #expect(roster.add(id(4), subscriber: "b", now: second(4)).closing == [id(1)])
    }

    @Test func answersStreamsAndBodiesOfSignedInDevicesAreNeverClosed() {
        var roster = roster()
        roster.use(.answering, of: id(0), now: second(4))
        roster.use(.streaming, of: id(1), now: second(4))
        roster.signedIn(id(2))
        roster.use(.receiving, of: id(2), now: second(4))
        #expect(roster.add(id(3), subscriber: "b", now: second(7)) == .init(isAdmitted: true))
    }

    @Test func anAddressWithAllItsPlacesInUseIsRefusedAndOthersAreNot() {
        var roster = ConnectionRoster(total: 32, perAddress: 2)
        for number in 0..<2 {
            _ = roster.add(id(number), subscriber: "a", now: second(number))
            roster.use(.answering, of: id(number), now: second(number))
        }
        #expect(roster.add(id(2), subscriber: "a", now: second(2)) == .init(isAdmitted: false))
        #expect(roster.add(id(3), subscriber: "b", now: second(2)).isAdmitted)
        #expect(roster.add(id(4), subscriber: nil, now: second(2)).isAdmitted)
        roster.use(.idle, of: id(0), now: second(3))
        #expect(roster.add(id(5), subscriber: "a", now: second(4)) == .init(isAdmitted: true, closing: [id(0)]))
    }

    @Test func streamsAndClosedConnectionsDoNotCountForAnAddress() {
        var roster = ConnectionRoster(total: 32, perAddress: 1)
        _ = roster.add(id(0), subscriber: "a", now: second(0))
        roster.use(.streaming, of: id(0), now: second(0))
        #expect(roster.add(id(1), subscriber: "a", now: second(1)) == .init(isAdmitted: true))
        roster.remove(id(1))
        #expect(roster.add(id(2), subscriber: "a", now: second(2)) == .init(isAdmitted: true))
    }

    @Test func aStreamIsRefusedIfAllPlacesAreInUse() {
        var roster = ConnectionRoster(total: 2, perAddress: 32)
        _ = roster.add(id(0), subscriber: nil, now: second(0))
        roster.use(.streaming, of: id(0), now: second(0))
        #expect(roster.add(id(1), subscriber: nil, isStream: true, now: second(0)).isAdmitted)
        roster.use(.answering, of: id(1), now: second(0))
        #expect(!roster.add(id(2), subscriber: nil, isStream: true, now: second(1)).isAdmitted)
        // The number of connections is limited before they are accepted.
        #expect(roster.add(id(3), subscriber: nil, now: second(1)).isAdmitted)
    }

    @Test(arguments: [(200, 8, 104), (1_024, 8, 928), (20_000, 8, 4_096), (64, 2, -8)])
    func descriptorsThatAreNotForConnectionsAreReserved(_ descriptors: Int, _ cores: Int, _ total: Int) {
        #expect(ConnectionLimits().total(descriptors: descriptors, cores: cores) == total)
        #expect(ConnectionLimits(total: 50).total(descriptors: descriptors, cores: cores) == min(50, total))
    }
}
