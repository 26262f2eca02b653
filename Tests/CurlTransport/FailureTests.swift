import Backend
import CurlTransport
import Foundation
import Testing

@Suite("Failures over libcurl", .timeLimit(.minutes(5)))
struct FailureTests {
    let transport = CurlTransport()

    private func failure(
        _ request: HTTPRequest, over transport: CurlTransport? = nil
    ) async throws -> TransportError {
        let transport = transport ?? self.transport
        return try await #require(throws: TransportError.self) { _ = try await transport.send(request) }
    }

    @Test("A name without an address can't be resolved")
    func cannotResolve() async throws {
        // A label may have 63 characters: the resolver refuses it without a request to the network.
        let name = String(repeating: "a", count: 64) + ".invalid"
        let error = try await failure(HTTPRequest(method: "GET", url: "http://\(name)/"))
        #expect(error.kind == .cannotResolve)
    }

    @Test("A port without a listener refuses the connection")
    func refused() async throws {
        let server = try LoopbackServer.answering { _ in "" }
        server.stop()
        let error = try await failure(HTTPRequest(method: "GET", url: server.url()))
        #expect(error.kind == .refused)
        #expect(!error.detail.isEmpty)
    }

    @Test("A server that never answers takes no longer than the time limit")
    func timedOut() async throws {
        let server = try LoopbackServer { $0.awaitEnd() }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: server.url(), timeout: .milliseconds(100)))
        #expect(error.kind == .timedOut)
    }

    @Test(
        "A server that falls silent takes no longer than the limit for silence, whatever the time limit",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nThe beginning"])
    func silent(beginning: String) async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(beginning)
            connection.awaitEnd()
        }
        defer { server.stop() }
        // Only the limit for silence can end it within the suite's own limit.
        let request = HTTPRequest(
            method: "POST", url: server.url(), body: [1], timeout: .seconds(86_400), silence: .seconds(1))
        #expect(try await failure(request).kind == .timedOut)
    }

    @Test("A slow exchange is not silent")
    func slow() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n")
            for _ in 0..<40 {
                connection.write("x")
                usleep(60_000)
            }
        }
        defer { server.stop() }
        let answer = try await transport.send(
            HTTPRequest(method: "GET", url: server.url(), timeout: .seconds(86_400), silence: .seconds(2)))
        #expect(answer.body.count == 40)
    }

    @Test("A request that waits for a free connection also ends after its limit for silence")
    func waitingForConnection() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(StreamTests.head)
            connection.awaitEnd()
        }
        defer { server.stop() }
        var options = CurlTransport.Options()
        options.connectionsPerHost = 1
        let transport = CurlTransport(options: options)
        let stream = try await transport.stream(HTTPRequest(method: "GET", url: server.url()))
        let request = HTTPRequest(
            method: "GET", url: server.url(), timeout: .seconds(86_400), silence: .milliseconds(200))
        #expect(try await failure(request, over: transport).kind == .timedOut)
        #expect((stream.head.status, server.accepted) == (200, 1))
    }

    @Test("A slow upload is not silent")
    func slowUpload() async throws {
        let size = 48 << 20
        let server = try LoopbackServer { connection in
            var left = size
            while left > 0, let bytes = connection.read(1 << 20) {
                left -= bytes.count
                usleep(40_000)
            }
            connection.write(LoopbackServer.answer(""))
        }
        defer { server.stop() }
        let answer = try await transport.send(
            HTTPRequest(
                method: "POST", url: server.url(), body: [UInt8](repeating: 1, count: size), timeout: .seconds(86_400),
                silence: .seconds(1)))
        #expect(answer.head.status == 200)
    }

    @Test("A server that sends slowly can't extend the time limit")
    func dribbling() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while connection.write("x") { usleep(5_000) }
        }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: server.url(), timeout: .milliseconds(200)))
        #expect(error.kind == .timedOut)
    }

    @Test(
        "An invalid or incomplete HTTP answer violates the protocol",
        arguments: [
            "", "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        ])
    func protocolViolation(answer: String) async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write(answer)
        }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: server.url()))
        #expect(error.kind == .protocolViolation)
    }

    @Test("A head that is too large violates the protocol, in one line or in many", arguments: [1, 300])
    func largeHead(lines: Int) async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            let line = "X: " + String(repeating: "x", count: (300 << 10) / lines) + "\r\n"
            connection.write("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: lines) + "\r\n")
        }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: server.url()))
        #expect(error.kind == .protocolViolation)
    }

    @Test("A connection that is reset in the middle violates the protocol")
    func reset() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.reset()
        }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: server.url()))
        #expect(error.kind == .protocolViolation)
    }

    @Test("An answer beyond the limit is cut off, however small its compressed form is")
    func tooLarge() async throws {
        var options = CurlTransport.Options()
        options.largestAnswer = 1_000
        let small = CurlTransport(options: options)
        let server = try LoopbackServer.answering { request in
            LoopbackServer.answer(String(repeating: "x", count: request.line.contains("/fits") ? 1_000 : 1_001))
        }
        defer { server.stop() }
        #expect(try await small.send(HTTPRequest(method: "GET", url: server.url("/fits"))).body.count == 1_000)
        let error = try await failure(HTTPRequest(method: "GET", url: server.url("/not")), over: small)
        #expect(error == TransportError(.tooLarge, detail: "the answer is larger than 1000 bytes"))
    }

    @Test(
        "Only http and https are accepted", arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "nonsense:", ""])
    func otherProtocols(url: String) async throws {
        let error = try await failure(HTTPRequest(method: "GET", url: url))
        #expect(error.kind == .protocolViolation)
    }

    @Test(
        "A header can't inject another one",
        arguments: [
            ("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\0"), ("X: y\r\nZ", "b"), ("", "x"), ("X Y", "x"), ("X:", "x"),
        ])
    func smuggledHeader(name: String, value: String) async throws {
        let server = try LoopbackServer.answering { _ in LoopbackServer.answer("") }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: server.url(), headers: [(name, value)]))
        #expect(error.kind == .protocolViolation)
        #expect(server.accepted == 0)
    }
}
