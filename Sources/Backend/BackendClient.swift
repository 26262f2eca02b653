public import Foundation
public import Records
public import SyncAPI

/// The server, as typed calls over a transport.
///
/// Calls that need a session use its server and token. If the server refuses the token, it is renewed and the call is
/// sent once more. Nothing else is ever sent twice: the caller decides when to try again (`BackendError.isTransient`,
/// `retryAfter`). Cancelling the calling task ends a call with `.transport(.cancelled)`.
public struct BackendClient: Sendable {
    /// The session of this home.
    public let session: Session
    let wire: Wire

    /// - Parameters:
    ///   - transport: Carries the requests.
    ///   - credentials: Stores the session, for all processes of the home.
    ///   - userAgent: The name and version of the client, for example `satchel/1.2` (RFC 9110, 10.1.5).
    ///   - now: This device's clock.
    ///   - sleep: Waits for the given duration; throws `CancellationError`.
    ///   - executor: Runs the shared refresh, which no single caller owns; nil: the default executor.
    public init(
        transport: any HTTPTransport, credentials: any CredentialStore, userAgent: String = "sync-client",
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        executor: (any TaskExecutor)? = nil
    ) {
        wire = Wire(transport: transport, userAgent: userAgent, now: now, sleep: sleep)
        session = Session(store: credentials, wire: wire, executor: executor)
    }

    /// The time without a byte, in either direction, after which an ordinary request times out. A stream of events has
    /// `eventSilence`.
    public static let answerSilence = Duration.seconds(15)

    /// Opens a stream under the session.
    func stream(_ call: Call) async throws(BackendError) -> HTTPStream {
        try await authenticated(call.endpoint) { access async throws(BackendError) in
            try await wire.stream(call, to: access.server, token: access.token)
        }
    }

    /// Sends a call under the session.
    func send(_ call: Call) async throws(BackendError) -> BackendAnswer {
        try await authenticated(call.endpoint) { access async throws(BackendError) in
            try await wire.send(call, to: access.server, token: access.token)
        }
    }

    /// Sends a request with the session's token, and explains why the server doesn't know the endpoint.
    private func authenticated<Answer: Sendable>(
        _ endpoint: any Endpoint, _ request: (Session.Access) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        do {
            return try await renewing(request)
        } catch .problem(let problem, let wait) where problem.mayMeanUnknownEndpoint {
            throw await explanation(of: problem, retryAfter: wait, at: endpoint)
        }
    }

    /// Sends a request with the session's token, and once more with another token if the server refuses the first.
    private func renewing<Answer: Sendable>(
        _ request: (Session.Access) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        let access = try await session.access()
        do {
            return try await request(access)
        } catch .problem(let problem, _) where access.isRenewable ? problem.refusesToken : problem.endsSession {
            // The server checks the token first, so the refused request had no effect.
            return try await request(try await session.access(insteadOf: access.token))
        }
    }
}

extension Problem {
    /// Whether another access token may help: any 401 but the one for a wrong password.
    var refusesToken: Bool { status == 401 && code != .invalidCredentials }

    /// Whether a refused refresh means that the session is over, and not that something on the way (a proxy, a captive
    /// portal) requires a sign-in of its own.
    var endsSession: Bool { status == 401 && [.tokenExpired, .tokenInvalid].contains(code) }
}

/// A successful answer, with its body as received: pages of records go into the cache without being decoded.
public struct BackendAnswer: Sendable {
    /// Status and headers.
    public var head: HTTPHead
    /// JSON text, decompressed.
    public var body: [UInt8]

    public init(head: HTTPHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    /// The server's clock when it answered, to the second; it shows by how much this device's clock is wrong.
    public var date: Date? { head.date }
}

extension BackendAnswer {
    /// Returns the answer if its media type is JSON. Any other answer comes from something on the way (a portal, a
    /// proxy).
    func json() throws(BackendError) -> BackendAnswer {
        let type = head.header("Content-Type") ?? "no media type"
        guard type.lowercased().hasPrefix("application/json") else {
            throw .malformedAnswer("status \(head.status) with \(type) instead of JSON")
        }
        return self
    }

    /// Decodes a small answer.
    func decoded<Value: Decodable>(_ type: Value.Type) throws(BackendError) -> Value {
        do {
            return try JSONBody.decode(type, from: json().body)
        } catch let error as BackendError {
            throw error
        } catch {
            throw .malformedAnswer("\(type): \(error)")
        }
    }
}

extension BackendClient {
    /// Calls an endpoint of another module under the session, in the way of Satchel's own calls: with the access token,
    /// which is renewed once if the server refuses it, and with a refusal as `BackendError.problem`.
    ///
    /// - Parameters:
    ///   - query: Names and values, not encoded.
    ///   - body: The body, which is sent as JSON; nil: none.
    ///   - answer: The type as which the server's JSON is decoded.
    public func call<Answer: Decodable & Sendable>(
        _ endpoint: some Endpoint, query: [(name: String, value: String)] = [], body: (any Encodable)? = nil,
        as answer: Answer.Type = Answer.self
    ) async throws(BackendError) -> Answer {
        var call = Call(endpoint: endpoint, query: query)
        if let body { call.body = try json(body) }
        return try await send(call).decoded(answer)
    }
}

extension BackendClient {
    /// Creates an account: `POST /v1/accounts`. The session is not stored until `session.begin` is called with it, so
    /// that the caller can check first to which account the home belongs.
    ///
    /// - Parameter insecureHTTP: Whether the user accepts plain http to another machine; otherwise it is refused.
    public func register(
        _ request: RegisterRequest, at server: ServerAddress, insecureHTTP: Bool = false
    ) async throws(BackendError) -> Credentials {
        let server = try Destination(server, insecureHTTP: insecureHTTP)
        return try await wire.grant(Call(endpoint: OpenRoute.register, body: json(request)), from: server)
    }

    /// Opens a session: `POST /v1/sessions`. It is not stored until `session.begin` is called with it.
    ///
    /// - Parameter insecureHTTP: Whether the user accepts plain http to another machine; otherwise it is refused.
    public func logIn(
        _ request: LogInRequest, at server: ServerAddress, insecureHTTP: Bool = false
    ) async throws(BackendError) -> Credentials {
        let server = try Destination(server, insecureHTTP: insecureHTTP)
        return try await wire.grant(Call(endpoint: OpenRoute.logIn, body: json(request)), from: server)
    }

    /// Opens a session with a one-time code, and sets a new password: `POST /v1/sessions/reset`. Every other session of
    /// the account ends. It is not stored until `session.begin` is called with it.
    ///
    /// - Parameter insecureHTTP: Whether the user accepts plain http to another machine; otherwise it is refused.
    public func resetLogIn(
        _ request: ResetLogInRequest, at server: ServerAddress, insecureHTTP: Bool = false
    ) async throws(BackendError) -> Credentials {
        let destination = try Destination(server, insecureHTTP: insecureHTTP)
        let call = Call(endpoint: OpenRoute.resetLogIn, body: try json(request))
        do {
            return try await wire.grant(call, from: destination)
        } catch .problem(let problem, _) where problem.mayMeanUnknownEndpoint && problem.isDocument {
            throw .unsupported(server, .passwordReset)
        }
    }

    /// Ends a session on the server that was opened and is not stored. An app password stays valid: other programs may use
    /// it.
    public func discard(_ credentials: Credentials) async throws(BackendError) {
        guard let tokens = credentials.tokens, !tokens.isAppPassword else { return }
        let server = try Destination(credentials.identity)
        _ = try await wire.send(Call(endpoint: AuthenticatedRoute.logOut), to: server, token: tokens.access)
    }

    /// Ends the session on the server, if it can be reached, with `DELETE /v1/sessions/current`, and on this device in
    /// any case, also if the store can't return the tokens. An app password is only removed from this device, since
    /// other programs may use it.
    ///
    /// - Throws: `.credentialStore` or `.diskFull` if the store can't be written; then the session continues here.
    ///   `.tokensLeft`; then it has ended here, and the text says whether the server was notified.
    public func logOut() async throws(BackendError) -> LogOutOutcome {
        var outcome = LogOutOutcome.everywhere
        do {
            if try await session.access().isRenewable {
                _ = try await send(Call(endpoint: AuthenticatedRoute.logOut))
            }
        } catch .signedOut(let end) where end != .tokensMissing {
            // The session has ended, also here.
            return .everywhere
        } catch {
            outcome = .hereOnly(error)
        }
        do throws(BackendError) { try await session.end(.loggedOut) } catch .tokensLeft(let why) {
            // A program that can't return the tokens usually can't remove them either.
            guard let notice = outcome.notice else { throw .tokensLeft(why) }
            throw .tokensLeft("\(why.hasSuffix(".") ? why : why + ".") \(notice)")
        }
        return outcome
    }

    /// Signs out all devices of the account, app passwords included: `POST /v1/account/sign-out`.
    ///
    /// - Parameter includingThis: Whether the session of this device ends, too.
    /// - Returns: The number of devices and app passwords that were signed out.
    public func signOutDevices(includingThis: Bool) async throws(BackendError) -> Int {
        let request = SignOutRequest(includingThis: includingThis)
        let answer = try await send(Call(endpoint: AuthenticatedRoute.signOutDevices, body: json(request)))
            .decoded(SignOutAnswer.self)
        if includingThis { try await session.end(.loggedOut) }
        return answer.devices
    }

    /// Returns the account, its usage and its quota: `GET /v1/account`.
    public func account() async throws(BackendError) -> AccountStatus {
        try await send(Call(endpoint: AuthenticatedRoute.account)).decoded(AccountStatus.self)
    }

    /// Changes the password: `PUT /v1/account/password`. Every other session of the account ends.
    public func changePassword(_ request: PasswordChangeRequest) async throws(BackendError) {
        _ = try await send(Call(endpoint: AuthenticatedRoute.changePassword, body: json(request)))
    }

    /// Deletes the account and its personal space on the server: `POST /v1/account/deletion`. The home keeps its
    /// records.
    public func deleteAccount(_ request: AccountDeletionRequest) async throws(BackendError) {
        _ = try await send(Call(endpoint: AuthenticatedRoute.deleteAccount, body: json(request)))
        try await session.forget()
    }

    /// Returns the signed-in devices and the app passwords: `GET /v1/devices`.
    public func devices() async throws(BackendError) -> [DeviceList.Entry] {
        try await send(Call(endpoint: AuthenticatedRoute.devices)).decoded(DeviceList.self).devices
    }

    /// Signs a device out, or revokes an app password, at once: `DELETE /v1/devices/{id}`.
    public func revokeDevice(id: String) async throws(BackendError) {
        _ = try await send(Call(endpoint: AuthenticatedRoute.revokeDevice(id: id)))
    }

    /// Gives a device or an app password another name: `PUT /v1/devices/{id}/name`.
    public func renameDevice(id: String, to name: String) async throws(BackendError) {
        let request = DeviceNameRequest(name: name)
        _ = try await send(Call(endpoint: AuthenticatedRoute.renameDevice(id: id), body: json(request)))
    }

    /// Creates an app password: `POST /v1/account/app-passwords`. Only this answer has its secret.
    public func createAppPassword(_ request: AppPasswordRequest) async throws(BackendError) -> AppPasswordGrant {
        try await send(Call(endpoint: AuthenticatedRoute.createAppPassword, body: json(request)))
            .decoded(AppPasswordGrant.self)
    }
}

/// The result of a log-out. New cases may be added.
public enum LogOutOutcome: Sendable, Equatable {
    /// The server has ended the session.
    case everywhere
    /// The server couldn't be asked, or didn't confirm it. The tokens expire in time; to end them sooner, revoke the
    /// device from another one.
    case hereOnly(BackendError)

    /// The notice that the server may still accept the session's tokens, and what to do; nil: it has ended the session.
    package var notice: String? {
        guard case .hereOnly(let error) = self else { return nil }
        return switch error {
        // No request was sent, for instance because there were no tokens.
        case .credentialStore, .diskFull, .damagedSession, .signedOut, .insecureServer, .incompatible:
            "The server wasn't notified: revoke this device from another one."
        case .transport, .problem, .unsupported, .malformedAnswer, .tokensLeft:
            "The server didn't confirm it; to be sure, revoke this device from another one."
        }
    }
}

extension BackendClient {
    /// The size of the largest answer that a transport has to receive whole, in bytes: `Limits.largestAnswer`.
    public static let largestAnswer = Limits.largestAnswer

    /// Returns the records that changed after a cursor: `GET /v1/spaces/{space}/changes`. The answer is a page as on
    /// the wire.
    ///
    /// - Parameters:
    ///   - collections: The collections to receive; the page and its digest cover only their records.
    ///   - since: The cursor of the last answer; nil begins a first sync.
    ///   - limit: The number of records on the page; nil leaves it to the server.
    public func pull(
        space: String, collections: CollectionSet = .all, since: String?, limit: Int? = nil
    ) async throws(BackendError) -> BackendAnswer {
        try await send(Self.page(of: space, collections, since: since, limit: limit)).json()
    }

    /// Returns the same as `pull`, for a page that is too large to be received whole: the body is streamed, without a
    /// size limit.
    public func pullInPieces(
        space: String, collections: CollectionSet = .all, since: String?, limit: Int? = nil
    ) async throws(BackendError) -> HTTPStream {
        var call = Self.page(of: space, collections, since: since, limit: limit)
        // The timeout of a stream is the longest time without a byte.
        call.timeout = Self.answerSilence
        let stream = try await stream(call)
        // The media type is checked before anything of the body is read.
        _ = try BackendAnswer(head: stream.head, body: []).json()
        return stream
    }

    private static func page(of space: String, _ collections: CollectionSet, since: String?, limit: Int?) -> Call {
        var call = Call(endpoint: AuthenticatedRoute.pullChanges(space: space), timeout: pageTimeout)
        if let since { call.query.append(("since", since)) }
        if let limit { call.query.append(("limit", String(limit))) }
        call.query += query(of: collections)
        return call
    }

    private static func query(of collections: CollectionSet) -> [(String, String)] {
        collections.text.map { [("collections", $0)] } ?? []
    }

    /// Sends mutations, and returns what others changed since the cursor in `body`: `POST /v1/spaces/{space}/changes`.
    /// The answer is as on the wire.
    ///
    /// - Parameters:
    ///   - collections: The collections whose changes the answer contains; mutations may be of any collection.
    ///   - key: The idempotency key; the same key with the same body does nothing twice.
    ///   - body: The request's JSON text, which is sent unchanged.
    public func push(
        space: String, collections: CollectionSet = .all, key: String, body: [UInt8]
    ) async throws(BackendError) -> BackendAnswer {
        var call = Call(
            endpoint: AuthenticatedRoute.pushChanges(space: space), headers: [(Header.idempotencyKey, key)], body: body,
            timeout: Self.pageTimeout)
        call.query += Self.query(of: collections)
        return try await send(call).json()
    }

    /// Five minutes: enough for a push of 8 MiB at 30 kB a second; a page has about 4 MiB.
    private static let pageTimeout = Duration.seconds(300)
}

/// The last states of a record that the server keeps.
public struct Revisions: Sendable, Equatable {
    /// The states, the newest first, including deletions.
    public var records: [Record]
    /// Whether there may be older states: the answer doesn't contain them, or the server has removed them.
    public var more: Bool

    public init(records: [Record], more: Bool) {
        self.records = records
        self.more = more
    }
}

extension BackendClient {
    /// Returns a record's last states: `GET /v1/spaces/{space}/records/{collection}/{id}/revisions`.
    public func revisions(of key: RecordKey, space: String) async throws(BackendError) -> Revisions {
        let route = AuthenticatedRoute.revisions(space: space, collection: key.collection, id: key.id)
        return try Revisions(body: try await send(Call(endpoint: route)).json().body)
    }
}

extension Revisions {
    /// Parses an answer; numbers keep their text.
    fileprivate init(body: [UInt8]) throws(BackendError) {
        do {
            let page = try RecordPage(.revisions, body: body)
            let records = try page.records.records()
            // As many as the server keeps: older ones may have been removed.
            self.init(records: records, more: page.more || page.kept.map { records.count >= $0 } ?? false)
        } catch {
            throw .malformedAnswer("revisions: \(error.reason)")
        }
    }
}
