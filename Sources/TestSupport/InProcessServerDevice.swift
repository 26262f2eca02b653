package import Backend
internal import ControllerKit
public import Controllers
public import Records
internal import SQLiteServerStore
public import ServerCore
internal import SyncAPI
internal import Testing

/// Drives a server as a device does, JSON in and JSON out, without any of the client's logic.
public struct WireDevice: Sendable {
    /// Carries a request, by a socket or without.
    public typealias Send = @Sendable (ServerRequest) async throws -> ServerAnswer

    private let send: Send
    /// The session, once signed in.
    public var accessToken: String?
    /// The refresh token of the last grant.
    public var refreshToken: String?
    /// The id of the personal space.
    public var space = ""
    /// The device's id.
    public let id: String

    /// A device that isn't signed in.
    public init(id: String = "dev-1", send: @escaping Send) {
        self.id = id
        self.send = send
    }

    /// A device that talks to a server in this process.
    public init(id: String = "dev-1", _ server: InProcessServer) {
        self.init(id: id) { request in await server.server.answer(request) }
    }

    /// Sends a request with the access token, if there is one.
    ///
    /// - Parameter body: gets the media type `application/json`, unless `headers` name another.
    public func call(
        _ method: String, _ target: String, body: JSONValue? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        try await call(method, target, bytes: body.map { Array($0.text.utf8) }, headers: headers)
    }

    /// As above, with a body of any bytes.
    public func call(
        _ method: String, _ target: String, bytes: [UInt8]?, headers: [String: String] = [:]
    ) async throws -> Answer {
        var all = headers
        all["Host"] = all["Host"] ?? "server.test"
        if let accessToken, all["Authorization"] == nil { all["Authorization"] = "Bearer \(accessToken)" }
        if let bytes {
            all["Content-Type"] = all["Content-Type"] ?? "application/json"
            if all["Transfer-Encoding"] == nil { all["Content-Length"] = all["Content-Length"] ?? String(bytes.count) }
        }
        let request = ServerRequest(
            method: method, target: target, headers: all.map { ($0.key, $0.value) }, address: "192.0.2.1",
            body: bytes ?? [])
        let answer = Answer(try await send(request))
        let path = String(target.prefix { $0 != "?" })
        for fault in ExchangeCheck.standard.faults(method: method, path: path, body: bytes ?? [], answer: answer) {
            Issue.record("\(method) \(path) → \(answer.status) is not as in the OpenAPI document: \(fault)")
        }
        return answer
    }

    /// An answer with its body parsed.
    public struct Answer: Sendable, CustomStringConvertible {
        /// The HTTP status.
        public let status: Int
        /// The header fields, as they were sent.
        public let headers: [(name: String, value: String)]
        /// `null` where there is none.
        public let json: JSONValue

        init(_ answer: ServerAnswer) {
            status = answer.status
            headers = answer.headers
            json = (try? JSONValue(parsing: answer.body)) ?? .null
        }

        /// A member of the body; `null` where there is none.
        public subscript(_ name: String) -> JSONValue { json.object?[name] ?? .null }

        /// The value of a header.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        public var description: String { "\(status) \(json.text)" }
    }
}

extension WireDevice {
    /// Makes an account and signs in.
    @discardableResult
    public mutating func register(_ username: String = "anna", password: String = "correct horse") async throws
        -> Answer
    {
        try await signIn("/v1/accounts", username, password)
    }

    /// Signs in to an account.
    @discardableResult
    public mutating func logIn(_ username: String = "anna", password: String = "correct horse") async throws -> Answer {
        try await signIn("/v1/sessions", username, password)
    }

    private mutating func signIn(_ path: String, _ username: String, _ password: String) async throws -> Answer {
        let answer = try await call(
            "POST", path,
            body: [
                "username": .string(username), "password": .string(password),
                "device": ["name": "a device", "id": .string(id)],
            ])
        adopt(answer)
        return answer
    }

    /// Refreshes the session with a token, by default its own.
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
        space = answer["account"].object?["personalSpace"]?.string ?? ""
    }

    /// Asks for what changed.
    ///
    /// - Parameter collections: names, separated by commas; nil: all.
    public func pull(since: String? = nil, limit: Int? = nil, collections: String? = nil) async throws -> Answer {
        let query = [
            since.map { "since=\($0)" }, limit.map { "limit=\($0)" }, collections.map { "collections=\($0)" },
        ].compactMap { $0 }
        let path = AuthenticatedRoute.pullChanges(space: space).path
        return try await call("GET", query.isEmpty ? path : path + "?" + query.joined(separator: "&"))
    }

    /// An idempotency key with a name for people: a UUID made of its bytes, the same for the same name.
    ///
    /// - Parameter name: at most 16 bytes.
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
    ///   - collections: the collections whose changes the answer contains, separated by commas; nil: all.
    ///   - key: names the idempotency key, see `key(_:)`.
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
    /// Services of a device that is signed in on a server in this process, to an account that its first device makes. Nothing
    /// is synced by itself: `services.engine.sync()` does it when the test says so. The device's clock is the server's, so
    /// that `server.clock.advance(by:)` turns them all.
    ///
    ///     let server = try InProcessServer()
    ///     let laptop = try await Services.testing(on: server)
    ///     let phone = try await Services.testing(on: server)
    ///
    /// - Parameters:
    ///   - username: whose device it is.
    ///   - types: the record types, with their merge rules.
    /// - Throws: What signing in throws.
    @MainActor
    public static func testing(
        on server: InProcessServer, username: String = "ada", types: RecordTypes = .standard
    ) async throws -> Services {
        let clock = server.clock
        let services = try testing(
            InProcessServerTransport(server.server), InMemoryCredentialStore(), { UInt64(max(0, clock.now)) },
            types: types)
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
    /// The record as on the wire.
    package var json: JSONValue {
        // What is written is always JSON.
        (try? JSONValue(parsing: RawRecord(self).body)) ?? .null
    }
}

/// Carries requests to a `SyncServer` in this process without a socket, for tests and the simulation.
package struct InProcessServerTransport: HTTPTransport {
    private let server: SyncServer

    /// A transport that ignores hosts: every address is the server's.
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

    /// The headers as they would arrive over a socket.
    private static func headers(of request: HTTPRequest) -> [(name: String, value: String)] {
        request.headers + (request.body.map { [("Content-Length", String($0.count))] } ?? [])
    }

    /// The host with its port, and path with query, of an absolute address.
    private static func parts(of url: String) -> (host: String, target: String)? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let rest = url[scheme.upperBound...]
        guard let slash = rest.firstIndex(of: "/") else { return (String(rest), "/") }
        return (String(rest[..<slash]), String(rest[slash...]))
    }
}
