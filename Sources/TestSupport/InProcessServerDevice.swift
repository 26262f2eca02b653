package import Backend
internal import ControllerKit
public import Controllers
public import Foundation
public import Records
internal import SQLiteServerStore
public import ServerCore
internal import SyncAPI
internal import Testing

/// Sends requests to a server as a device does, with JSON bodies and without any of the client's logic.
public struct WireDevice: Sendable {
    /// Sends a request, by a socket or without.
    public typealias Send = @Sendable (ServerRequest) async throws -> ServerAnswer

    private let send: Send
    /// The access token, once signed in.
    public var accessToken: String?
    /// The refresh token of the last grant.
    public var refreshToken: String?
    /// The secret with which the device proves its last log-in.
    public var deviceProof: String?
    /// The id of the personal space.
    public var space = ""
    /// The device's id.
    public let id: String

    /// Creates a device that isn't signed in.
    public init(id: String = "dev-1", send: @escaping Send) {
        self.id = id
        self.send = send
    }

    /// Creates a device that uses a server in this process.
    public init(id: String = "dev-1", _ server: InProcessServer) {
        self.init(id: id) { request in await server.server.answer(request) }
    }

    /// Sends a request with the access token, if there is one.
    ///
    /// - Parameter body: The body; its media type is `application/json` unless `headers` contain another.
    public func call(
        _ method: String, _ target: String, body: JSONValue? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        try await call(method, target, bytes: body.map { Array($0.text.utf8) }, headers: headers)
    }

    /// Sends a request with a body of any bytes, see above.
    public func call(
        _ method: String, _ target: String, bytes: [UInt8]?, headers: [String: String] = [:]
    ) async throws -> Answer {
        var all = headers
        all["Host"] = all["Host"] ?? "server.test"
        if let accessToken, all["Authorization"] == nil { all["Authorization"] = "Bearer \(accessToken)" }
        if let bytes {
            all["Content-Type"] = all["Content-Type"] ?? "application/json"
            // A message must not have both headers (RFC 9112, section 6.2).
            if all["Transfer-Encoding"] == nil { all["Content-Length"] = all["Content-Length"] ?? String(bytes.count) }
        }
        let request = ServerRequest(
            method: method, target: target, headers: all.map { ($0.key, $0.value) }, address: "192.0.2.1",
            body: bytes ?? [])
        let answer = Answer(try await send(request))
        let path = String(target.prefix { $0 != "?" })
        // Every exchange of every test is checked, so that the document can't differ from the server.
        for fault in ExchangeCheck.standard.faults(method: method, path: path, body: bytes ?? [], answer: answer) {
            Issue.record("\(method) \(path) → \(answer.status) is not as in the OpenAPI document: \(fault)")
        }
        return answer
    }

    /// An answer with its body parsed.
    public struct Answer: Sendable, CustomStringConvertible {
        /// The HTTP status.
        public let status: Int
        /// The header fields in their order.
        public let headers: [(name: String, value: String)]
        /// The body; `null` if there is none.
        public let json: JSONValue

        init(_ answer: ServerAnswer) {
            status = answer.status
            headers = answer.headers
            // A body that isn't JSON counts as none.
            json = (try? JSONValue(parsing: answer.body)) ?? .null
        }

        /// Returns a member of the body; `null` if there is none.
        public subscript(_ name: String) -> JSONValue { json.object?[name] ?? .null }

        /// Returns the value of a header.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        public var description: String { "\(status) \(json.text)" }
    }
}

extension WireDevice {
    /// Creates an account and signs in.
    @discardableResult
    public mutating func register(_ username: String = "anna", password: String = "correct horse") async throws
        -> Answer
    {
        try await signIn("/v1/accounts", username, password)
    }

    /// Signs in to an account.
    ///
    /// - Parameter proof: The proof of an earlier session.
    @discardableResult
    public mutating func logIn(
        _ username: String = "anna", password: String = "correct horse", proof: String? = nil
    ) async throws -> Answer {
        try await signIn("/v1/sessions", username, password, proof: proof)
    }

    private mutating func signIn(
        _ path: String, _ username: String, _ password: String, proof: String? = nil
    ) async throws -> Answer {
        var body: JSONObject = [
            "username": .string(username), "password": .string(password),
            "device": ["name": "a device", "id": .string(id)],
        ]
        body["deviceProof"] = proof.map(JSONValue.string)
        let answer = try await call("POST", path, body: .object(body))
        adopt(answer)
        return answer
    }

    /// Refreshes the session with a refresh token, by default its own.
    public mutating func refresh(_ token: String? = nil) async throws -> Answer {
        let answer = try await call(
            "POST", "/v1/sessions/refresh", body: ["refreshToken": .string(token ?? refreshToken ?? "")])
        adopt(answer)
        return answer
    }

    private mutating func adopt(_ answer: Answer) {
        guard answer.status < 300 else { return }
        accessToken = answer["accessToken"].string
        refreshToken = answer["refreshToken"].string
        deviceProof = answer["deviceProof"].string ?? deviceProof
        space = answer["account"].object?["personalSpace"]?.string ?? ""
    }

    /// Requests changes.
    ///
    /// - Parameter collections: The names of collections, separated by commas; nil: all.
    public func pull(since: String? = nil, limit: Int? = nil, collections: String? = nil) async throws -> Answer {
        let query = [
            since.map { "since=\($0)" }, limit.map { "limit=\($0)" }, collections.map { "collections=\($0)" },
        ].compactMap { $0 }
        let path = AuthenticatedRoute.pullChanges(space: space).path
        return try await call("GET", query.isEmpty ? path : path + "?" + query.joined(separator: "&"))
    }

    /// Returns the body of a request for an app password.
    public static func appPassword(_ password: String = "correct horse") -> JSONValue {
        ["name": "n", "scope": "full", "password": .string(password)]
    }

    /// Returns an idempotency key for a name: a UUID whose digits are the bytes of the name.
    ///
    /// - Parameter name: At most 16 bytes.
    public static func key(_ name: String) -> String {
        let digits = name.utf8.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
        var rest = Substring(digits + String(repeating: "0", count: max(0, 32 - digits.count)))
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }

    /// Sends mutations.
    ///
    /// - Parameters:
    ///   - collections: The collections whose changes the answer contains, separated by commas; nil: all.
    ///   - key: The name of the idempotency key, see `key(_:)`.
    public func push(
        _ mutations: [JSONValue], since: String? = nil, collections: String? = nil, key: String
    ) async throws -> Answer {
        var body: JSONObject = ["mutations": .array(mutations)]
        body["since"] = since.map(JSONValue.string)
        let path = AuthenticatedRoute.pushChanges(space: space).path
        return try await call(
            "POST", collections.map { "\(path)?collections=\($0)" } ?? path, body: .object(body),
            headers: [Header.idempotencyKey: Self.key(key)])
    }
}

extension Services {
    /// Returns services of a device that is signed in on a server in this process, to an account that its first device
    /// creates. Nothing is synced automatically: the test calls `services.engine.sync()`. The device has the server's
    /// clock, so `server.clock.advance(by:)` advances both.
    ///
    ///     let server = try InProcessServer()
    ///     let laptop = try await Services.testing(on: server)
    ///     let phone = try await Services.testing(on: server)
    ///
    /// - Parameters:
    ///   - username: The name of the account.
    ///   - types: The record types with their merge rules.
    ///   - timeZone: The user's time zone.
    /// - Throws: The error of signing in.
    @MainActor
    public static func testing(
        on server: InProcessServer, username: String = "ada", types: RecordTypes = .standard, timeZone: TimeZone = .gmt
    ) async throws -> Services {
        let clock = server.clock
        let services = try testing(
            InProcessServerTransport(server.server), InMemoryCredentialStore(), { UInt64(max(0, clock.now)) },
            types: types, timeZone: timeZone)
        let login = Presentation(LoginController(services.account)) { _ in }
        let (password, address) = ("correct horse battery", "https://notes.example.org")
        let isKnown = try await server.store.read { try $0.account(username: username) != nil }
        try await login.send(
            isKnown
                ? .logIn(username: username, password: password, server: address)
                : .register(username: username, password: password, server: address, invite: nil))
        login.unload()
        return services
    }
}

extension Record {
    /// The record in the format of the wire.
    package var json: JSONValue {
        // The encoded body of a record is always JSON.
        (try? JSONValue(parsing: RawRecord(self).body)) ?? .null
    }
}

/// Sends requests to a `SyncServer` in this process without a socket, for tests and the simulation.
package struct InProcessServerTransport: HTTPTransport {
    private let server: SyncServer

    /// Creates a transport that ignores hosts: all addresses are the server's.
    package init(_ server: SyncServer) { self.server = server }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let answer = try await answer(request)
        var body = answer.body
        while let piece = await answer.stream?.next() { body += piece }
        return HTTPResponse(status: answer.status, headers: answer.headers, body: body)
    }

    private func answer(_ request: HTTPRequest) async throws(TransportError) -> ServerAnswer {
        guard let (host, target) = Self.parts(of: request.url) else {
            throw TransportError(.cannotResolve, detail: request.url)
        }
        return await server.answer(
            ServerRequest(
                method: request.method, target: target, headers: [("Host", host)] + Self.headers(of: request),
                address: "in-process", body: request.body ?? []))
    }

    package func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        let answer = try await answer(request)
        let head = HTTPHead(status: answer.status, headers: answer.headers)
        if let stream = answer.stream {
            return HTTPStream(head: head, body: AsyncThrowingStream { await stream.next() })
        }
        return HTTPStream(
            head: head,
            body: AsyncThrowingStream { continuation in
                continuation.yield(answer.body)
                continuation.finish()
            })
    }

    /// Returns the headers as they would arrive over a socket.
    private static func headers(of request: HTTPRequest) -> [(name: String, value: String)] {
        request.headers + (request.body.map { [("Content-Length", String($0.count))] } ?? [])
    }

    /// Returns the host with its port, and the path with the query, of an absolute address.
    private static func parts(of url: String) -> (host: String, target: String)? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let rest = url[scheme.upperBound...]
        guard let slash = rest.firstIndex(of: "/") else { return (String(rest), "/") }
        return (String(rest[..<slash]), String(rest[slash...]))
    }
}
