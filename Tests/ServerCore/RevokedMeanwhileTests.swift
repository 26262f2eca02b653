import Logging
import NIOConcurrencyHelpers
import Records
import SQLiteServerStore
import Testing
import TestSupport

@testable import ServerCore
@testable import SyncAPI

/// A session that ends between a request's authentication and its write.
@Suite struct RevokedMeanwhileTests {
    /// A store in which, once armed, another write happens right before the next transaction that writes.
    private final class RacingStore: ServerStore {
        let inner: SQLiteServerStore
        private let change = NIOLockedValueBox<(@Sendable (any StoreWriting) throws -> Void)?>(nil)

        init() throws { inner = try SQLiteServerStore(scheduling: .inline) }

        /// Makes a change right before the next write.
        func arm(_ change: @escaping @Sendable (any StoreWriting) throws -> Void) {
            self.change.withLockedValue { $0 = change }
        }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReading) throws -> Result
        ) async throws -> Result { try await inner.read(body) }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriting) throws -> Result
        ) async throws -> Result {
            let change = change.withLockedValue { change in
                defer { change = nil }
                return change
            }
            if let change { try await inner.write(change) }
            return try await inner.write(body)
        }
    }

    private let store: RacingStore
    private let server: SyncServer
    private var laptop: WireDevice
    private var phone: WireDevice

    init() async throws {
        let store = try RacingStore()
        let server = SyncServer(
            configuration: .forTests, store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        (self.store, self.server) = (store, server)
        laptop = WireDevice(id: "laptop") { await server.answer($0) }
        phone = WireDevice(id: "phone") { await server.answer($0) }
        try await laptop.register()
        try await phone.logIn()
        try #require(await laptop.push([Self.mutation("a")], key: "first").status == 200)
    }

    private static func mutation(_ id: String) -> JSONValue {
        ["collection": "tasks", "id": .string(id), "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]]
    }

    /// The state that a request would change.
    private struct Held: Equatable {
        var account: StoredAccount?
        var space: SpaceRow?
        var phone: StoredSession?
        /// The ids of the other devices and app passwords.
        var others: [String]
    }

    private func held() async throws -> Held {
        try await store.inner.read { [laptop] tx in
            let account = try tx.account(username: "anna")
            return Held(
                account: account, space: try tx.space(laptop.space),
                phone: try tx.session(account: account?.id ?? "", device: "phone"),
                others: try tx.sessions(account: account?.id ?? "").map(\.device).filter { $0 != "laptop" })
        }
    }

    private func session() async throws -> StoredSession {
        try #require(
            try await store.inner.read { tx in
                try tx.session(account: try tx.account(username: "anna")?.id ?? "", device: "laptop")
            })
    }

    /// A request that writes on behalf of a signed-in device; nil for a route that doesn't.
    private func request(for route: AuthenticatedRoute) -> (body: JSONValue?, headers: [String: String])? {
        switch route {
        case .account, .devices, .events, .spaces, .pullChanges, .records, .readRecord, .revisions: nil
        case .logOut, .revokeDevice: (nil, [:])
        case .renameDevice: (["name": "another name"], [:])
        case .signOutDevices: (["includingThis": false], [:])
        case .createAppPassword: (["name": "a script", "scope": "full", "password": "correct horse"], [:])
        case .changePassword: (["currentPassword": "correct horse", "newPassword": "correct horse"], [:])
        case .deleteAccount: (["password": "correct horse"], [:])
        case .pushChanges:
            (["mutations": [Self.mutation("b")]], [Header.idempotencyKey: WireDevice.key("second")])
        case .replaceRecord: (["fields": ["n": 2]], ["If-Match": "*"])
        case .patchRecord:
            (["fields": ["n": 3]], ["If-Match": "*", "Content-Type": "application/merge-patch+json"])
        case .deleteRecord: (nil, ["If-Match": "*"])
        }
    }

    /// Every authenticated route, with values that exist.
    private var routes: [AuthenticatedRoute] {
        let values = ["space": laptop.space, "collection": "tasks", "id": "a", "device": "phone"]
        return AuthenticatedRoute.Kind.allCases.map { kind in
            let pattern = AuthenticatedRoute.table[kind]
            return pattern.make(pattern.template.parameters.map { values[$0.name] ?? "" })
        }
    }

    @Test func everyWriteIsRefusedOnceTheSessionHasEnded() async throws {
        var count = 0
        for route in routes {
            guard let request = request(for: route) else { continue }
            var laptop = laptop
            try #require(await laptop.logIn().status == 201)
            let before = try await held()
            let session = try await session().id
            store.arm { tx in try tx.deleteSession(id: session) }
            let answer = try await laptop.call(route.method, route.path, body: request.body, headers: request.headers)
            #expect(answer.status == 401, "\(route)")
            #expect(answer["code"] == "token-invalid", "\(route)")
            #expect(try await held() == before, "\(route)")
            count += 1
        }
        #expect(count == 11, "the routes that write")
    }

    @Test func theSameWritesAreDoneWhileTheSessionIsActive() async throws {
        for route in routes {
            guard let request = request(for: route), route != .logOut, route != .deleteAccount else { continue }
            // Removed by one of these requests, and signed out by another.
            var phone = phone
            try #require(await phone.logIn().status == 201)
            let before = try await held()
            let answer = try await laptop.call(route.method, route.path, body: request.body, headers: request.headers)
            #expect(answer.status < 300, "\(route)")
            #expect(try await held() != before, "\(route)")
        }
    }

    @Test func aTokenThatIsWithdrawnDuringItsFirstUseEndsTheSession() async throws {
        var laptop = laptop
        try #require(await laptop.refresh().status == 200)
        let session = try await session()
        store.arm { tx in try tx.withdrawTokens(session: session.id, generation: session.generation, except: -1) }
        #expect(try await laptop.call("GET", "/v1/account").status == 401)
        #expect(try await store.inner.read { tx in try tx.session(id: session.id) } == nil)
    }

    @Test func aPushWhoseBodyArrivesAfterItsDeviceWasRevokedIsNotStored() async throws {
        let before = try await held().space
        let body = Array(JSONValue.object(["mutations": [Self.mutation("b")]]).text.utf8)
        let path = AuthenticatedRoute.pushChanges(space: laptop.space).path
        let headers = [
            (name: "Host", value: "server.test"), ("Authorization", "Bearer \(laptop.accessToken ?? "")"),
            ("Content-Type", "application/json"), (Header.idempotencyKey, WireDevice.key("second")),
        ]
        let revocation = Lines()
        let request = ServerRequest(
            method: "POST", target: path, headers: headers, address: "192.0.2.1"
        ) { [phone] receive in
            let answer = try await phone.call("DELETE", AuthenticatedRoute.revokeDevice(id: "laptop").path)
            revocation.add("\(answer.status)")
            try receive(body)
        }
        #expect(await server.answer(request).status == 401)
        #expect(revocation.all == ["204"])
        #expect(try await held().space == before)
    }
}
