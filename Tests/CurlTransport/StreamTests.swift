import Backend
import CurlTransport
import Foundation
import Locking
import TestSupport
import Testing

@Suite("Streams over libcurl", .timeLimit(.minutes(5)))
struct StreamTests {
    let transport = CurlTransport()

    static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    static func chunk(_ text: String) -> String { String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n" }

    private func stream(_ server: LoopbackServer, timeout: Duration = .seconds(600)) async throws -> HTTPStream {
        try await transport.stream(HTTPRequest(method: "GET", url: server.url(), timeout: timeout))
    }

    @Test("The head arrives at once, and each piece when it is sent")
    func pieces() async throws {
        let next = Locked(0)
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head)
            for number in 1...3 {
                while next.withLock({ $0 }) < number { usleep(1_000) }
                connection.write(Self.chunk("piece \(number)"))
            }
            connection.write("0\r\n\r\n")
        }
        defer { server.stop() }
        let stream = try await stream(server)
        #expect(stream.head.header("content-type") == "text/event-stream")
        var pieces = stream.body.makeAsyncIterator()
        for number in 1...3 {
            next.withLock { $0 = number }
            #expect(try await pieces.next() == Array("piece \(number)".utf8))
        }
        #expect(try await pieces.next() == nil)
    }

    @Test("A reader that doesn't read stops the sender, and receives everything in the end")
    func backPressure() async throws {
        let total = 64 << 20
        let sent = Locked(0)
        let (heldBack, whole) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let piece = [UInt8](repeating: 1, count: 64 << 10)
            for _ in 0..<(total / piece.count) {
                if heldBack.isClosed, connection.isHeldBack(for: 250) { heldBack.open() }
                guard connection.write(piece) else { return }
                sent.withLock { $0 += piece.count }
            }
            heldBack.open()
            whole.open()
        }
        defer { server.stop() }
        let stream = try await stream(server)
        try await heldBack.pass()
        #expect(sent.withLock { $0 } < total / 2)
        var received = 0
        for try await piece in stream.body {
            #expect(piece.count <= CurlTransport.Options().streamBuffer + (512 << 10))
            received += piece.count
        }
        #expect(received == total)
        try await whole.pass()
    }

    @Test("A stream that falls silent ends after its time limit")
    func silence() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head + Self.chunk("one"))
            connection.awaitEnd()
        }
        defer { server.stop() }
        var pieces = try await stream(server, timeout: .milliseconds(150)).body.makeAsyncIterator()
        #expect(try await pieces.next() == Array("one".utf8))
        let error = await #expect(throws: TransportError.self) { _ = try await pieces.next() }
        #expect(error?.kind == .timedOut)
    }

    @Test("A stream whose head doesn't arrive ends after its time limit")
    func silentHead() async throws {
        let server = try LoopbackServer { $0.awaitEnd() }
        defer { server.stop() }
        let error = await #expect(throws: TransportError.self) {
            _ = try await stream(server, timeout: .milliseconds(100))
        }
        #expect((error)?.kind == .timedOut)
    }

    @Test("A stream that lives longer than its time limit and isn't silent continues")
    func longLived() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head)
            for _ in 0..<40 where connection.write(Self.chunk("beat")) { usleep(50_000) }
            connection.write("0\r\n\r\n")
        }
        defer { server.stop() }
        var size = 0
        for try await piece in try await stream(server, timeout: .seconds(1)).body { size += piece.count }
        #expect(size == 160)
    }

    @Test("A stream that breaks off reports so after the data that had arrived")
    func brokenOff() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head + Self.chunk("one"))
        }
        defer { server.stop() }
        var pieces = try await stream(server).body.makeAsyncIterator()
        #expect(try await pieces.next() == Array("one".utf8))
        let error = await #expect(throws: TransportError.self) { _ = try await pieces.next() }
        #expect(error?.kind == .protocolViolation)
    }

    @Test("Dropping a stream ends the exchange")
    func dropped() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head)
            connection.awaitEnd()
        }
        defer { server.stop() }
        var stream: HTTPStream? = try await stream(server)
        #expect(stream?.head.status == 200)
        stream = nil
        try await eventually("the connection is closed") { server.open == 0 }
    }

    @Test("Cancelling the reading task ends the exchange and the reading")
    func cancelledReader() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head + Self.chunk("one"))
            connection.awaitEnd()
        }
        defer { server.stop() }
        let reading = Gate()
        let stream = try await stream(server)
        let reader = Task {
            for try await _ in stream.body { reading.open() }
        }
        try await reading.pass()
        reader.cancel()
        let error = await #expect(throws: TransportError.self) { try await reader.value }
        #expect(error?.kind == .cancelled)
        try await eventually("the connection is closed") { server.open == 0 }
    }

    @Test("Cancelling before the head has arrived ends the exchange")
    func cancelledBeforeHead() async throws {
        let asked = Gate()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            asked.open()
            connection.awaitEnd()
        }
        defer { server.stop() }
        let task = Task { try await stream(server).head.status }
        try await asked.pass()
        task.cancel()
        let error = await #expect(throws: TransportError.self) { _ = try await task.value }
        #expect(error?.kind == .cancelled)
        try await eventually("the connection is closed") { server.open == 0 }
    }

    @Test("A request that begins while a stream connects is answered before the stream's head arrives, also over TLS")
    func requestDuringConnectingStream() async throws {
        let certificates = try Certificates()
        let secure = try TLSServer(certificates)
        defer { secure.stop() }
        for isSecure in [false, true] {
            let connections = Locked(0)
            // The first connection is the stream's. It is accepted and never answered.
            let server = try LoopbackServer { connection in
                if connections.withLock({
                    $0 += 1; return $0
                }) == 1 {
                    return connection.awaitEnd()
                }
                if isSecure { return connection.relay(to: UInt16(secure.port)) }
                while connection.readRequest() != nil { connection.write(LoopbackServer.answer("secure")) }
            }
            defer { server.stop() }
            var options = CurlTransport.Options()
            options.certificateAuthorities = certificates.authority
            let transport = CurlTransport(options: options)
            let url = "\(isSecure ? "https" : "http")://localhost:\(server.port)/"
            let stream = Task { try await transport.stream(HTTPRequest(method: "GET", url: url)).head.status }
            try await eventually("the stream connects") { connections.withLock { $0 } == 1 }
            let answer = try await transport.send(HTTPRequest(method: "GET", url: url, timeout: .seconds(5)))
            #expect(answer.body == Array("secure".utf8))
            stream.cancel()
            _ = await stream.result
        }
    }

    @Test("A stream outlives the caller's reference to the transport")
    func outlivesTransport() async throws {
        let next = Gate()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head)
            while next.isClosed { usleep(1_000) }
            connection.write(Self.chunk("one") + "0\r\n\r\n")
        }
        defer { server.stop() }
        var transport: CurlTransport? = CurlTransport()
        let stream = try await transport?.stream(HTTPRequest(method: "GET", url: server.url()))
        transport = nil
        next.open()
        var pieces = try #require(stream).body.makeAsyncIterator()
        #expect(try await pieces.next() == Array("one".utf8))
        #expect(try await pieces.next() == nil)
    }
}
