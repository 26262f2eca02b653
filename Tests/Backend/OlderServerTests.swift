import Foundation
import Records
import SyncAPI
import TestSupport
import Testing

@testable import Backend

/// A client works with a server that is a version older.
///
/// `OlderServer/0.1.json` has the answers of such a server. The file is never changed to fit the client: members that a
/// later server adds are optional for the client, and it still reads those that a later server omits.
@Suite("A server that is a version older", .timeLimit(.minutes(5)))
struct OlderServerTests {
    private let home = Home()

    /// The cursors of the file.
    private static let cursor = "ZTRiMS1lcG9jaC40Mi40Mg"
    private static let next = "ZTRiMS1lcG9jaC40My40Mw"

    private static func entries() throws -> [JSONObject] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "OlderServer/0.1.json")
        let json = try JSONValue(parsing: try Data(contentsOf: file))
        return try #require(json.array).compactMap(\.object)
    }

    /// Returns the answers of an endpoint in the file.
    private static func answers(_ endpoint: String) throws -> [HTTPResponse] {
        try entries().filter { $0["endpoint"]?.string == endpoint }.map { entry in
            let text = try #require(entry["text"]?.string ?? entry["body"]?.text)
            let type = entry["type"]?.string ?? "application/json"
            let status = try #require(entry["status"]?.integer)
            return HTTPResponse(status: Int(status), headers: [("Content-Type", type)], body: Array(text.utf8))
        }
    }

    private static func answer(_ endpoint: String) throws -> HTTPResponse {
        try #require(try answers(endpoint).first)
    }

    @Test("Each answer that a client reads is in the file")
    func complete() throws {
        let open = OpenRoute.allCases.filter(Self.isRead).map { String(describing: $0) }
        let others = AuthenticatedRoute.Kind.allCases.filter(Self.isRead).map { String(describing: $0) }
        let present = Set(try Self.entries().compactMap { $0["endpoint"]?.string })
        #expect(present == Set(open + others + ["problem"]))
    }

    private static func isRead(_ route: OpenRoute) -> Bool {
        switch route {
        case .capabilities, .register, .logIn, .resetLogIn, .refresh: true
        case .document, .health, .readiness: false
        }
    }

    /// Whether the client reads the body of the answer.
    private static func isRead(_ kind: AuthenticatedRoute.Kind) -> Bool {
        switch kind {
        case .account, .devices, .signOutDevices, .createAppPassword, .events, .pullChanges, .pushChanges, .revisions:
            true
        // They have no body, or are for other programs.
        case .logOut, .changePassword, .deleteAccount, .revokeDevice, .renameDevice, .spaces, .records, .readRecord,
            .replaceRecord, .patchRecord, .deleteRecord:
            false
        }
    }

    @Test("What the server announces is understood")
    func capabilities() async throws {
        home.transport.expect(OpenRoute.capabilities, answer: try Self.answer("capabilities"))
        let offer = try await home.client.offer()
        #expect(offer.name == "satcheld" && offer.commonProtocol() == 1)
        #expect(offer.registration == .invite)
        #expect(offer.limits?.mutations == 1_000)
        let parts: [Capability] = [
            .records, .revisions, .events, .passwordReset, .accountDeletion, .signOut, .deviceNames, .appPasswords,
        ]
        for part in parts { #expect(offer.supports(part) == true) }
    }

    @Test(
        "A session is opened and refreshed",
        arguments: [("register", true), ("logIn", true), ("resetLogIn", true), ("refresh", false)])
    func sessions(endpoint: String, hasProof: Bool) throws {
        let answer = try Self.answer(endpoint)
        let grant = try BackendAnswer(head: answer.head, body: answer.body).decoded(SessionGrant.self)
        #expect(grant.account == Home.account && grant.device == Home.device)
        #expect(grant.accessTokenExpiresAt.date != nil && grant.refreshTokenExpiresAt.date != nil)
        #expect(grant.epoch == "e4b1-epoch")
        #expect((grant.deviceProof != nil) == hasProof)
    }

    @Test("The account, its devices and app passwords are read")
    func account() async throws {
        home.transport.expect(AuthenticatedRoute.account, answer: try Self.answer("account"))
        let status = try await home.client.account()
        #expect(status.account == Home.account)
        #expect(status.usage == AccountStatus.Usage(records: 3, bytes: 420, devices: 2, streams: 1))
        #expect(status.quota == AccountStatus.Quota(records: 1_000_000, bytes: 1_073_741_824, devices: 100))
        home.transport.expect(AuthenticatedRoute.devices, answer: try Self.answer("devices"))
        let devices = try await home.client.devices()
        #expect(devices.map(\.id) == ["d1", "d2"] && devices.map(\.current) == [true, false])
        #expect(devices.map(\.appPassword?.scope) == [nil, .readOnly])
        home.transport.expect(AuthenticatedRoute.createAppPassword, answer: try Self.answer("createAppPassword"))
        let request = AppPasswordRequest(name: "calendar", scope: .readOnly, password: "correct horse")
        let grant = try await home.client.createAppPassword(request)
        #expect(grant.secret.hasPrefix(AppPasswordGrant.secretPrefix) && grant.device.name == "calendar")
        home.transport.expect(AuthenticatedRoute.signOutDevices, answer: try Self.answer("signOutDevices"))
        #expect(try await home.client.signOutDevices(includingThis: false) == 2)
    }

    @Test("Changes and revisions are read")
    func changes() async throws {
        home.transport.expect(AuthenticatedRoute.pullChanges(space: "s1"), answer: try Self.answer("pullChanges"))
        let page = try ChangesPage(body: try await home.client.pull(space: "s1", since: nil).body)
        let records = try page.records.records()
        #expect(records.map(\.version) == [41, 42] && records.map(\.deleted) == [false, true])
        #expect(records.first?.fields["title"]?.string == "Milk")
        var digest = SpaceDigest()
        digest.add(collection: "tasks", id: "milk", version: 41)
        #expect(page.digest == digest)
        #expect(page.cursor == Self.cursor && !page.more)
        let key = RecordKey(collection: "tasks", id: "milk")
        let route = AuthenticatedRoute.revisions(space: "s1", collection: key.collection, id: key.id)
        home.transport.expect(route, answer: try Self.answer("revisions"))
        let revisions = try await home.client.revisions(of: key, space: "s1")
        #expect(revisions.records.map(\.version) == [41, 40] && !revisions.more)
    }

    @Test("The results of a push are read")
    func pushes() async throws {
        var answers: [PushAnswer] = []
        for answer in try Self.answers("pushChanges") {
            home.transport.expect(AuthenticatedRoute.pushChanges(space: "s1"), answer: answer)
            answers.append(try PushAnswer(body: try await home.client.push(space: "s1", key: "key", body: []).body))
        }
        try #require(answers.count == 2)
        let kinds = answers[0].results.map(Self.kind)
        #expect(kinds == ["applied 43", "conflict 41", "gone", "conflict", "rejected too-large"])
        guard case .page(let page) = answers[0].changes else {
            Issue.record("no page: \(answers[0].changes)")
            return
        }
        #expect(page.cursor == Self.next)
        #expect(answers[1].changes == .resync(.cursorExpired))
    }

    private static func kind(_ result: MutationResult) -> String {
        switch result {
        case .applied(let version, _, _): "applied \(version)"
        case .conflict(let current): current.map { "conflict \($0.version)" } ?? "gone"
        case .conflictWithoutCurrent: "conflict"
        case .rejected(let problem): "rejected \(problem.code.rawValue)"
        }
    }

    @Test("Events are read")
    func events() async throws {
        home.transport.expect(AuthenticatedRoute.events, answer: try Self.answer("events"))
        var events = try await home.client.events().makeAsyncIterator()
        #expect(try await events.next() == .retry(.seconds(2)))
        #expect(try await events.next() == .changes(ChangeEvent(space: "s1", cursor: Self.cursor, id: "7")))
        #expect(try await events.next() == nil)
    }

    @Test("Problems are read with their codes and extensions")
    func problems() throws {
        let problems = try Self.answers("problem").map { answer in
            Problem(json: try JSONValue(parsing: answer.body), status: answer.head.status)
        }
        #expect(
            problems.map(\.code) == [
                .tokenExpired, .quotaExceeded, .epochChanged, .invalidBody, .insufficientStorage,
            ])
        try #require(problems.count == 5)
        #expect(problems[0].refusesToken)
        #expect(problems[1].extensions["quota"]?.string == "records")
        #expect(problems[2].extensions["shared"]?.integer == 40)
        #expect(problems[3].extensions["errors"]?.array?.first?.object?["pointer"]?.string == "/device/name")
        #expect(problems[4].requestID == "r5")
    }
}
