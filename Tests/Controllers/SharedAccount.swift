import Backend
import ControllerKit
import Controllers
import Foundation
import LocalStore
import Locking
import Records
import SyncAPI
import TestSupport
import Testing

/// An account on a real server in this process, and its devices. Server and devices each have a clock.
@MainActor
struct SharedAccount {
    let server: InProcessServer
    static let start: Int64 = 1_795_238_400_000
    static let password = "correct horse battery"

    init() throws { server = try InProcessServer(clock: .init(milliseconds: Self.start)) }

    /// A device without a session.
    func device(store: LocalStore? = nil) throws -> Device { try Device(of: self, store: store) }

    /// One device with its home.
    @MainActor
    struct Device {
        let services: Services
        let clock: ManualClock
        let credentials = InMemoryCredentialStore()
        /// Whether answers to edits are lost after the server has acted.
        let losesAnswers = Locked(false)

        /// A device whose clock begins at a time, in seconds since 1970.
        init(
            at seconds: Int64 = SharedAccount.start / 1_000, of account: SharedAccount, store: LocalStore? = nil
        ) throws {
            clock = ManualClock(start: Date(timeIntervalSince1970: TimeInterval(seconds)))
            services = try .testing(
                DatedTransport(account.server, losesAnswers), credentials: credentials, clock: clock, store: store)
        }

        func login() -> Presentation<LoginScreen> {
            Presentation(LoginController(services.account)) { Issue.record($0) }
        }
        func session() -> Presentation<SessionScreen> {
            Presentation(SessionController(services.account)) { Issue.record($0) }
        }
        func doctor() -> Presentation<DoctorScreen> {
            Presentation(
                DoctorController(services.notebook, engine: services.engine, sync: services.sync, hooks: services.hooks)
            ) { Issue.record($0) }
        }

        /// Creates the account and signs in.
        func register() async throws -> Self {
            try await login().send(
                .register(username: "anna", password: password, server: "https://example.org", invite: nil))
            return self
        }

        /// Signs in, with another password if one is given.
        func logIn(_ other: String? = nil) async throws -> Self {
            try await login().send(.logIn(username: "anna", password: other ?? password, server: "https://example.org"))
            return self
        }

        /// Syncs and returns the message for the user.
        @discardableResult
        func sync() async throws -> String {
            let sync = Presentation(SyncController(services.notebook, services.sync)) { Issue.record($0) }
            try await sync.send(.sync)
            return sync.state.notice ?? ""
        }

        /// Creates or edits a task.
        func edit(_ id: String, _ patch: JSONObject) throws {
            try services.store.writeNow { _ = try $0.edit(RecordKey(collection: "tasks", id: id), patch) }
        }

        func delete(_ id: String) throws {
            try services.store.writeNow { try $0.delete(RecordKey(collection: "tasks", id: id)) }
        }

        /// The titles of all live tasks, sorted.
        func titles() throws -> [String] {
            try services.store.readNow { try $0.records(in: ["tasks"]) }.compactMap { $0.fields["title"]?.string }
                .sorted()
        }

        /// The number of records with unsent edits.
        func unsent() throws -> Int { try services.store.readNow { try $0.outbox.unsent().records } }
    }
}

/// A transport to a server in this process that sends the time, as a server behind a socket does.
private struct DatedTransport: HTTPTransport {
    private let way: InProcessServerTransport
    private let clock: InProcessServer.Clock
    private let losesAnswers: Locked<Bool>

    init(_ server: InProcessServer, _ losesAnswers: Locked<Bool>) {
        self.losesAnswers = losesAnswers
        way = InProcessServerTransport(server.server)
        clock = server.clock
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let answer = try await way.send(request)
        if request.header(Header.idempotencyKey) != nil, losesAnswers.withLock({ $0 }) {
            throw TransportError(.timedOut)
        }
        return HTTPResponse(
            status: answer.head.status, headers: answer.head.headers + [("Date", date)], body: answer.body)
    }

    func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream { try await way.stream(request) }

    private var date: String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(timeIntervalSince1970: TimeInterval(clock.now) / 1_000))
    }
}
