import Backend
import CurlTransport
import Foundation
import Testing

@Suite("Requests over libcurl", .timeLimit(.minutes(5)))
struct ExchangeTests {
    let transport = CurlTransport()

    @Test("An answer's status, headers and body arrive")
    func get() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackServer.answer("hello", status: "404 Not Found", headers: "X-One: 1\r\nx-two:  two \r\nX-Empty:\r\n")
        }
        defer { server.stop() }
        let response = try await transport.send(HTTPRequest(method: "GET", url: server.url("/a?b=c")))
        #expect(response.head.status == 404)
        #expect(response.head.header("x-one") == "1")
        #expect(response.head.header("X-Two") == "two")
        #expect(response.head.header("X-Empty") == "")
        #expect(response.body == Array("hello".utf8))
    }

    @Test(
        "Method, path, headers and body are sent unchanged",
        arguments: [
            ("POST", "{}"), ("PUT", "text"), ("PATCH", "x"), ("DELETE", nil), ("POST", ""), ("POST", nil), ("GET", nil),
        ] as [(String, String?)])
    func request(method: String, body: String?) async throws {
        let server = try LoopbackServer.answering { request in
            LoopbackServer.answer(
                [
                    request.line, request.headers["x-a"] ?? "-", request.headers["content-type"] ?? "-",
                    request.headers["content-length"] ?? "-", request.headers["expect"] ?? "-", request.bodyText,
                ]
                .joined(separator: "|"))
        }
        defer { server.stop() }
        let response = try await transport.send(
            HTTPRequest(
                method: method, url: server.url("/a/../b%2Fc?x=%20"), headers: [("X-A", "1, 2")],
                body: body.map { Array($0.utf8) }))
        let length = body.map { String($0.utf8.count) } ?? (method == "POST" ? "0" : "-")
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == "\(method) /a/../b%2Fc?x=%20 HTTP/1.1|1, 2|-|\(length)|-|\(body ?? "")")
    }

    @Test("A body of 8 MiB arrives whole, in both directions")
    func large() async throws {
        let server = try LoopbackServer.answering { LoopbackServer.answer($0.bodyText) }
        defer { server.stop() }
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)
        let response = try await transport.send(HTTPRequest(method: "POST", url: server.url(), body: body))
        #expect(response.body == body)
    }

    @Test(
        "HEAD, 204 and 304 have no body, though they may declare a length",
        arguments: [
            ("HEAD", "200 OK\r\nContent-Length: 5"), ("GET", "204 No Content"),
            ("GET", "304 Not Modified\r\nContent-Length: 5"),
        ])
    func bodiless(method: String, head: String) async throws {
        let server = try LoopbackServer.answering { _ in "HTTP/1.1 \(head)\r\n\r\n" }
        defer { server.stop() }
        let response = try await transport.send(HTTPRequest(method: method, url: server.url()))
        #expect(response.body.isEmpty)
    }

    @Test("Interim answers and trailers are ignored, chunks are joined")
    func chunked() async throws {
        let server = try LoopbackServer.answering { _ in
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
                + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-T: 1\r\n\r\n"
        }
        defer { server.stop() }
        let response = try await transport.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(response.head.status == 200)
        #expect(response.head.headers.map(\.name) == ["Transfer-Encoding", "Trailer"])
        #expect(response.body == Array("abcde".utf8))
    }

    @Test("A redirect is an answer and isn't followed")
    func redirect() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackServer.answer("", status: "302 Found", headers: "Location: /elsewhere\r\n")
        }
        defer { server.stop() }
        let response = try await transport.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(response.head.status == 302)
        #expect(response.head.header("Location") == "/elsewhere")
    }

    @Test("Compressed answers are requested and decompressed")
    func compressed() async throws {
        let packed = try #require(Data(base64Encoded: Self.thousandHellos))
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                let offered = request.headers["accept-encoding"] ?? ""
                let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-Offered: \(offered)\r\n"
                connection.write(Array("\(head)Content-Length: \(packed.count)\r\n\r\n".utf8) + packed)
            }
        }
        defer { server.stop() }
        let response = try await transport.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(response.body == Array(String(repeating: "hello ", count: 1_000).utf8))
        let offered = response.head.header("X-Offered") ?? ""
        #expect(offered.contains("gzip"))
        #expect(offered.contains("br"))
    }

    /// "hello " a thousand times, compressed with gzip.
    private static let thousandHellos = "H4sIAAAAAAACA+3EMQ0AAAgDMCuYI+FYgv8PEbzt0elka2zbtm3btm3b9uMDwTcMQHAXAAA="

    @Test("Consecutive requests share one connection")
    func sequentialReuse() async throws {
        let server = try LoopbackServer.answering { _ in LoopbackServer.answer("ok") }
        defer { server.stop() }
        for _ in 0..<20 { _ = try await transport.send(HTTPRequest(method: "GET", url: server.url())) }
        #expect(server.accepted == 1)
    }

    @Test("A hundred concurrent requests share a few connections")
    func concurrentReuse() async throws {
        let server = try LoopbackServer.answering { LoopbackServer.answer($0.line) }
        defer { server.stop() }
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let request = HTTPRequest(method: "GET", url: server.url("/\(number)"))
                    return String(decoding: try await transport.send(request).body, as: UTF8.self)
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(bodies == Set((0..<100).map { "GET /\($0) HTTP/1.1" }))
        #expect(server.accepted <= CurlTransport.Options().connectionsPerHost)
    }

    @Test("A request on a connection that the server has closed meanwhile uses a new one")
    func staleConnection() async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(LoopbackServer.answer("ok"))
        }
        defer { server.stop() }
        for _ in 0..<5 { _ = try await transport.send(HTTPRequest(method: "GET", url: server.url())) }
        #expect(server.accepted == 5)
    }
}
