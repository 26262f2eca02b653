import Records
import SQLiteServerStore
import TestSupport
import Testing

@testable import ServerCore
@testable import SyncAPI

/// The answer to each kind of caller at each endpoint. The endpoints come from the table of routes, and each has a row here:
/// without one, the tests don't compile.
@Suite struct AuthorisationTests {
    /// The caller of a request.
    enum Visitor: CaseIterable {
        case noToken, expiredToken, revokedToken, disabledAccount, otherAccount, reader
        /// App passwords of the owner.
        case readOnlyAppPassword, fullAppPassword, expiredAppPassword, revokedAppPassword
        case appPasswordOfDisabledAccount
        case owner

        /// Whether the owner's account is disabled.
        var isDisabled: Bool { self == .disabledAccount || self == .appPasswordOfDisabledAccount }

        /// The name of the caller's account.
        var username: String {
            switch self {
            case .otherAccount: "other"
            case .reader: "reader"
            case .noToken, .expiredToken, .revokedToken, .disabledAccount, .readOnlyAppPassword, .fullAppPassword,
                .expiredAppPassword, .revokedAppPassword, .appPasswordOfDisabledAccount, .owner:
                "owner"
            }
        }
    }

    /// The statuses for callers with a valid token. Others have the same answer at every endpoint.
    private struct Row {
        /// The account whose space, record and device the request names.
        let owner: Int
        /// A member of the space who may only read.
        let reader: Int
        /// Any other account.
        let other: Int

        /// A request about the caller's own account, whoever that is.
        static func own(_ status: Int) -> Row { Row(owner: status, reader: status, other: status) }
        /// A request that reads a space.
        static let reads = Row(owner: 200, reader: 200, other: 404)
        /// A request that changes a space.
        static func writes(_ status: Int) -> Row { Row(owner: status, reader: 403, other: 404) }
    }

    private static func row(_ kind: AuthenticatedRoute.Kind) -> Row {
        switch kind {
        case .logOut, .changePassword, .deleteAccount: .own(204)
        case .account, .devices, .events, .spaces: .own(200)
        case .signOutDevices: .own(200)
        case .createAppPassword: .own(201)
        case .revokeDevice, .renameDevice: Row(owner: 204, reader: 404, other: 404)
        case .pullChanges, .records, .readRecord, .revisions: .reads
        case .pushChanges, .replaceRecord, .patchRecord: .writes(200)
        case .deleteRecord: .writes(204)
        }
    }

    /// The answer to a caller: its status, and its code if it is a problem.
    private struct Outcome: Equatable, CustomStringConvertible {
        let status: Int
        let code: String?

        init(_ status: Int, _ code: String? = nil) { (self.status, self.code) = (status, code) }

        var description: String { "\(status) \(code ?? "")" }
    }

    private static func outcome(_ kind: AuthenticatedRoute.Kind, _ visitor: Visitor) -> Outcome {
        let status: Int
        switch visitor {
        case .noToken: return Outcome(401, "token-missing")
        case .expiredToken, .expiredAppPassword: return Outcome(401, "token-expired")
        case .revokedToken, .revokedAppPassword: return Outcome(401, "token-invalid")
        case .disabledAccount, .appPasswordOfDisabledAccount: return Outcome(403, "account-disabled")
        case .readOnlyAppPassword: status = isReading(kind) && !isManaging(kind) ? row(kind).owner : 403
        case .fullAppPassword: status = isManaging(kind) ? 403 : row(kind).owner
        case .otherAccount: status = row(kind).other
        case .reader: status = row(kind).reader
        case .owner: status = row(kind).owner
        }
        return Outcome(status, status == 404 ? "not-found" : status == 403 ? "forbidden" : nil)
    }

    private static func isReading(_ kind: AuthenticatedRoute.Kind) -> Bool {
        AuthenticatedRoute.table[kind].method == .get
    }

    /// The answer of an open endpoint: it ignores who the caller is, except the one that refreshes a session. There the
    /// credential is in the body.
    private static func outcome(_ route: OpenRoute, _ visitor: Visitor) -> Outcome {
        switch route {
        case .capabilities, .document, .health, .readiness: Outcome(200)
        case .register: Outcome(201)
        // The code in the request is wrong.
        case .resetLogIn: Outcome(401, "invalid-credentials")
        // With the owner's password.
        case .logIn: visitor.isDisabled ? Outcome(403, "account-disabled") : Outcome(201)
        case .refresh:
            switch visitor {
            case .expiredToken: Outcome(401, "token-expired")
            // An app password has no refresh token, and can't be used as one.
            case .noToken, .revokedToken, .readOnlyAppPassword, .fullAppPassword, .expiredAppPassword,
                .revokedAppPassword:
                Outcome(401, "token-invalid")
            case .disabledAccount, .appPasswordOfDisabledAccount: Outcome(403, "account-disabled")
            case .otherAccount, .reader, .owner: Outcome(200)
            }
        }
    }

    /// Whether the request manages the account, which no app password may.
    private static func isManaging(_ kind: AuthenticatedRoute.Kind) -> Bool {
        switch kind {
        case .changePassword, .deleteAccount, .devices, .revokeDevice, .renameDevice, .signOutDevices,
            .createAppPassword:
            true
        case .logOut, .account, .events, .spaces, .pullChanges, .pushChanges, .records, .readRecord, .revisions,
            .replaceRecord, .patchRecord, .deleteRecord:
            false
        }
    }

    // MARK: The tests

    @Test(arguments: AuthenticatedRoute.Kind.allCases, Visitor.allCases)
    func anAuthenticatedEndpointAnswersEachCallerByTheTable(
        _ kind: AuthenticatedRoute.Kind, _ visitor: Visitor
    ) async throws {
        let scene = try await Scene(visitor)
        let before = try await scene.held()
        let answer = try await scene.call(kind)
        let expected = Self.outcome(kind, visitor)
        #expect(Outcome(answer.status, answer["code"].string) == expected)
        if expected.status >= 400 { #expect(try await scene.held() == before, "a refused request changes nothing") }
        switch visitor {
        case .owner, .reader, .readOnlyAppPassword, .fullAppPassword: break
        case .noToken, .expiredToken, .revokedToken, .disabledAccount, .otherAccount, .expiredAppPassword,
            .revokedAppPassword, .appPasswordOfDisabledAccount:
            #expect(!answer.json.text.contains(Scene.secret))
        }
    }

    @Test(arguments: OpenRoute.allCases, Visitor.allCases)
    func anOpenEndpointAnswersEachCallerByTheTable(_ route: OpenRoute, _ visitor: Visitor) async throws {
        let lifetimes = SessionRules()
        let scene = try await Scene(visitor, lifetime: route == .refresh ? lifetimes.refresh : lifetimes.access)
        let before = try await scene.held()
        let answer = try await scene.call(route)
        let expected = Self.outcome(route, visitor)
        #expect(Outcome(answer.status, answer["code"].string) == expected)
        if route == .refresh, expected.status == 200 {
            #expect(answer["account"].object?["username"]?.string == visitor.username, "the session is the caller's")
        }
        // A log-in adds a device to what the owner has; the other endpoints change nothing of it, whatever they answer.
        let isSignedIn = route == .logIn && expected.status == 201
        #expect(try await scene.held() == before.with(isSignedIn ? ["new"] : []))
    }
}

/// A server with an owner, whose space has a record and a reader, and another account.
private struct Scene {
    /// A text of the owner's record, which no other account may see.
    static let secret = "the secret title"

    private let server: InProcessServer
    private let owner: WireDevice
    /// The caller.
    private let visitor: WireDevice

    /// - Parameter lifetime: That of the token which the request sends, in milliseconds.
    init(_ visitor: AuthorisationTests.Visitor, lifetime: Int64 = SessionRules().access) async throws {
        server = try InProcessServer()
        var owner = WireDevice(id: "laptop", server)
        try await owner.register("owner")
        var phone = WireDevice(id: "phone", server)
        try await phone.logIn("owner")
        let set: JSONValue = ["title": .string(Self.secret)]
        let mutation: JSONValue = [
            "collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-laptop", "set": set,
        ]
        try #require(await owner.push([mutation], key: "first").status == 200)
        self.owner = owner
        var caller = WireDevice(id: "caller", server)
        switch visitor {
        case .noToken: break
        case .expiredToken:
            try await caller.logIn("owner")
            server.clock.advance(by: .milliseconds(lifetime))
        case .revokedToken:
            try await caller.logIn("owner")
            let path = AuthenticatedRoute.revokeDevice(id: "caller").path
            try #require(await owner.call("DELETE", path).status == 204)
        case .disabledAccount:
            try await caller.logIn("owner")
            try await Self.disable(server)
        case .appPasswordOfDisabledAccount:
            caller.accessToken = try await Self.appPassword("full", of: owner).secret
            try await Self.disable(server)
        case .expiredAppPassword:
            caller.accessToken = try await Self.appPassword("full", of: owner, expiresIn: 60).secret
            server.clock.advance(by: .seconds(60))
        case .revokedAppPassword:
            let grant = try await Self.appPassword("full", of: owner)
            caller.accessToken = grant.secret
            try #require(await owner.call("DELETE", AuthenticatedRoute.revokeDevice(id: grant.id).path).status == 204)
        case .readOnlyAppPassword: caller.accessToken = try await Self.appPassword("read-only", of: owner).secret
        case .fullAppPassword: caller.accessToken = try await Self.appPassword("full", of: owner).secret
        case .otherAccount: try await caller.register(visitor.username)
        case .reader:
            try await caller.register(visitor.username)
            try await server.store.write { [space = owner.space] tx in
                let reader = try #require(try tx.account(username: "reader"))
                try tx.setRole(.reader, of: reader.id, in: space)
            }
        case .owner: try await caller.logIn("owner")
        }
        self.visitor = caller
    }

    private static func disable(_ server: InProcessServer) async throws {
        try await server.store.write { tx in
            let account = try #require(try tx.account(username: "owner"))
            try tx.setDisabled(1, account: account.id)
        }
    }

    private static func appPassword(
        _ scope: String, of owner: WireDevice, expiresIn seconds: Int64 = 3_600
    ) async throws -> (id: String, secret: String) {
        let body: JSONValue = [
            "name": "a script", "scope": .string(scope), "expiresIn": .integer(seconds), "password": "correct horse",
        ]
        let answer = try await owner.call("POST", AuthenticatedRoute.createAppPassword.path, body: body)
        let id = try #require(answer["device"].object?["id"]?.string)
        return (id, try #require(answer["secret"].string))
    }

    /// Sends the request of an authenticated endpoint about what the owner has.
    func call(_ kind: AuthenticatedRoute.Kind) async throws -> WireDevice.Answer {
        let values = ["space": owner.space, "collection": "tasks", "id": "a", "device": "phone"]
        let pattern = AuthenticatedRoute.table[kind]
        let route = pattern.make(pattern.template.parameters.map { values[$0.name] ?? "" })
        let (body, headers) = Self.request(for: kind)
        return try await visitor.call(route.method, route.path, body: body, headers: headers)
    }

    private static func request(for kind: AuthenticatedRoute.Kind) -> (body: JSONValue?, headers: [String: String]) {
        switch kind {
        case .logOut, .account, .devices, .revokeDevice, .events, .spaces, .pullChanges, .records, .readRecord,
            .revisions:
            return (nil, [:])
        case .changePassword: return (["currentPassword": "correct horse", "newPassword": "battery staple"], [:])
        case .renameDevice: return (["name": "another name"], [:])
        case .signOutDevices: return (["includingThis": false], [:])
        case .createAppPassword:
            return (["name": "a script", "scope": "full", "password": "correct horse"], [:])
        case .deleteAccount: return (["password": "correct horse"], [:])
        case .pushChanges:
            let set: JSONValue = ["title": "new"]
            let mutation: JSONValue = [
                "collection": "tasks", "id": "b", "base": 0, "at": "000000000002-0000-caller", "set": set,
            ]
            return (["mutations": [mutation]], [Header.idempotencyKey: WireDevice.key("second")])
        case .replaceRecord: return (["fields": ["title": "new"]], ["If-Match": "*"])
        case .patchRecord:
            return (
                ["fields": ["title": "new"]], ["If-Match": "*", "Content-Type": "application/merge-patch+json"]
            )
        case .deleteRecord: return (nil, ["If-Match": "*"])
        }
    }

    /// Sends the request of an open endpoint. Where a session is refreshed, the body has the caller's own credential.
    func call(_ route: OpenRoute) async throws -> WireDevice.Answer {
        let device: JSONValue = ["name": "new", "id": "new"]
        let body: JSONValue? =
            switch route {
            case .capabilities, .document, .health, .readiness: nil
            case .register: ["username": "new", "password": "correct horse", "device": device]
            case .logIn: ["username": "owner", "password": "correct horse", "device": device]
            case .resetLogIn:
                ["username": "owner", "code": "wrong", "newPassword": "battery staple", "device": device]
            case .refresh: ["refreshToken": .string(visitor.refreshToken ?? visitor.accessToken ?? "none")]
            }
        return try await visitor.call(route.method, route.path, body: body)
    }

    /// What the owner has.
    struct Held: Equatable {
        var account: StoredAccount?
        var space: SpaceRow?
        var devices: [String]
        var record: RawRecord?

        /// The same with further devices.
        func with(_ more: [String]) -> Held {
            var next = self
            next.devices = (devices + more).sorted()
            return next
        }
    }

    func held() async throws -> Held {
        let space = owner.space
        return try await server.store.read { tx in
            let account = try tx.account(username: "owner")
            let key = RecordKey(collection: "tasks", id: "a")
            return Held(
                account: account, space: try tx.space(space),
                devices: try tx.sessions(account: account?.id ?? "").map(\.device).sorted(),
                record: try tx.records([key], in: space)[key])
        }
    }
}
