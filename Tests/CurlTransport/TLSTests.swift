import Backend
import CurlTransport
import Foundation
import Testing
import TestSupport

@Suite("TLS and HTTP/2 over libcurl", .timeLimit(.minutes(5)))
struct TLSTests {
    private func trusting(_ certificates: Certificates) -> CurlTransport {
        var options = CurlTransport.Options()
        options.certificateAuthorities = certificates.authority
        return CurlTransport(options: options)
    }

    private func get(_ url: String) -> HTTPRequest { HTTPRequest(method: "GET", url: url) }

    @Test("A server of a private certificate authority is trusted when the authority is configured")
    func customAuthority() async throws {
        let certificates = try Certificates()
        let server = try TLSServer(certificates)
        defer { server.stop() }
        let response = try await trusting(certificates).send(get("https://localhost:\(server.port)/"))
        #expect(response.body == Array("secure".utf8))
    }

    @Test("A server of an unknown authority is refused before anything is sent")
    func unknownAuthority() async throws {
        let server = try TLSServer(try Certificates())
        defer { server.stop() }
        let error = try await #require(throws: TransportError.self) {
            _ = try await CurlTransport().send(get("https://localhost:\(server.port)/"))
        }
        #expect(error.kind == .tls)
        #expect(error.detail.contains("certificate"))
    }

    @Test("A certificate for another name is refused")
    func wrongName() async throws {
        let certificates = try Certificates()
        let server = try TLSServer(certificates)
        defer { server.stop() }
        let error = try await #require(throws: TransportError.self) {
            _ = try await trusting(certificates).send(get("https://127.0.0.2:\(server.port)/"))
        }
        #expect(error.kind == .tls)
    }

    // On Debian, OpenSSL's own settings refuse them, too; test_former_tls.py permits them.
    @Test("A server that only has versions of TLS before 1.2 is refused, although its certificate is trusted")
    func formerVersions() async throws {
        let certificates = try Certificates()
        let server = try TLSServer(certificates, .onlyFormerVersions)
        defer { server.stop() }
        let error = try await #require(throws: TransportError.self) {
            _ = try await trusting(certificates).send(get("https://localhost:\(server.port)/"))
        }
        #expect(error.kind == .tls)
    }

    @Test("A server without TLS is distinguished from one that refuses the connection")
    func plainServer() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.read(100)
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        defer { server.stop() }
        let error = try await #require(throws: TransportError.self) {
            _ = try await CurlTransport().send(get("https://127.0.0.1:\(server.port)/"))
        }
        #expect(error.kind == .tls)
    }

    @Test("A missing authority file is a TLS error that names the file")
    func missingAuthority() async throws {
        let server = try TLSServer(try Certificates())
        defer { server.stop() }
        var options = CurlTransport.Options()
        options.certificateAuthorities = "/nowhere/ca.pem"
        let transport = CurlTransport(options: options)
        let error = try await #require(throws: TransportError.self) {
            _ = try await transport.send(get("https://localhost:\(server.port)/"))
        }
        #expect(error.kind == .tls)
        #expect(error.detail.contains("/nowhere/ca.pem"))
    }

    @Test("Requests share one HTTP/2 connection, with bodies of a megabyte in both directions")
    func http2() async throws {
        let certificates = try Certificates()
        let server = try await HTTP2Server.start(certificates, trusting(certificates))
        defer { server.stop() }
        let relay = try LoopbackServer.relay(to: server.port)
        defer { relay.stop() }
        let transport = trusting(certificates)
        let request = HTTPRequest(
            method: "POST", url: "https://localhost:\(relay.port)/", body: [UInt8](repeating: 7, count: 1 << 20))
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<50 { group.addTask { try await transport.send(request) } }
            return try await group.reduce(into: []) { $0.append($1.body == request.body) }
        }
        #expect(statuses == Array(repeating: true, count: 50))
        #expect(relay.accepted == 1)
    }

    @Test("One cancelled request doesn't disturb those that share its connection")
    func cancelledHTTP2() async throws {
        let certificates = try Certificates()
        let server = try await HTTP2Server.start(certificates, trusting(certificates))
        defer { server.stop() }
        let transport = trusting(certificates)
        let request = HTTPRequest(method: "POST", url: server.url, body: [UInt8](repeating: 7, count: 1 << 20))
        let tasks = (0..<40).map { _ in Task { try await transport.send(request).body.count } }
        for task in tasks.prefix(20) { task.cancel() }
        for task in tasks.suffix(20) { #expect(try await task.value == 1 << 20) }
        for task in tasks.prefix(20) { _ = await task.result }
    }
}

/// An HTTPS server in Python, HTTP/1.1 only.
struct TLSServer {
    let port: Int
    private let helper: Helper

    enum Versions: String {
        case all, onlyFormerVersions
    }

    init(_ certificates: Certificates, _ versions: Versions = .all) throws {
        helper = try Helper(
            "python3", ["-c", Self.script, certificates.certificate, certificates.key, versions.rawValue])
        guard let port = Int(helper.firstLine()) else { throw helper.failure }
        self.port = port
    }

    func stop() { helper.stop() }

    private static let script = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", "6")
                self.end_headers()
                self.wfile.write(b"secure")
        server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        if sys.argv[3] == "onlyFormerVersions":
            context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
            context.set_ciphers("DEFAULT@SECLEVEL=0")
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}

/// nghttpd (Debian's nghttp2-server), which speaks only HTTP/2 and sends each body back.
struct HTTP2Server {
    let port: UInt16
    private let helper: Helper

    var url: String { "https://localhost:\(port)/" }

    /// Starts it and waits until it answers. nghttpd can't choose a port: another one is tried if the first is in use.
    static func start(_ certificates: Certificates, _ transport: CurlTransport) async throws -> HTTP2Server {
        for _ in 1..<5 {
            do { return try await HTTP2Server(certificates, transport) } catch is HelperFailed {}
        }
        return try await HTTP2Server(certificates, transport)
    }

    private init(_ certificates: Certificates, _ transport: CurlTransport) async throws {
        let free = try LoopbackServer { _ in }
        free.stop()
        port = free.port
        helper = try Helper(
            "nghttpd", ["--echo-upload", "-a", "127.0.0.1", "\(port)", certificates.key, certificates.certificate])
        try await eventually("nghttpd answers") { [url, helper] in
            if helper.hasEnded { throw helper.failure }
            return (try? await transport.send(HTTPRequest(method: "GET", url: url))) != nil
        }
    }

    func stop() { helper.stop() }
}

/// A private certificate authority and its certificate for `localhost` and `127.0.0.1`, created by openssl in a
/// temporary directory that is removed with the value.
final class Certificates: Sendable {
    private let directory: URL

    var authority: String { path("ca.pem") }
    var certificate: String { path("server.pem") }
    var key: String { path("server.key") }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try "subjectAltName=DNS:localhost,IP:127.0.0.1".write(
            toFile: path("names"), atomically: true, encoding: .utf8)
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try Helper.run(
            "openssl",
            ["req", "-x509", "-subj", "/CN=Test CA", "-days", "2", "-keyout", path("ca.key"), "-out", authority]
                + newKey)
        try Helper.run(
            "openssl", ["req", "-subj", "/CN=localhost", "-keyout", key, "-out", path("server.csr")] + newKey)
        try Helper.run(
            "openssl",
            [
                "x509", "-req", "-in", path("server.csr"), "-CA", authority, "-CAkey", path("ca.key"),
                "-CAcreateserial",
                "-days", "2", "-extfile", path("names"), "-out", certificate,
            ])
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func path(_ name: String) -> String { directory.appending(path: name).path }
}
