import Backend
import Foundation
import Locking
import SyncAPI
import TestSupport
import Testing

@Suite("Calls to the server", .timeLimit(.minutes(5)))
struct BackendClientTests {
    @Test("C21 a request carries the token, names the client and asks for JSON")
    func headers() async throws {
        let home = Home(server: Home.takingOnly(1))
        _ = try await home.client.account()
        let request = try #require(home.transport.requests.first)
        #expect(request.url == "https://notes.example.org/satchel/v1/account")
        #expect(request.bearerToken == "access-1")
        #expect(request.header("User-Agent") == "satchel/9.9")
        #expect(request.header("Accept") == "application/json, application/problem+json")
    }

    @Test("A registration carries no token")
    func noToken() async throws {
        let home = Home()
        home.transport.expect(OpenRoute.register) { [date = home.clock.date] request throws(TransportError) in
            #expect(request.bearerToken == nil)
            #expect(request.header("Content-Type") == "application/json")
            return Home.grant(1, now: date)
        }
        let request = RegisterRequest(username: "ada", password: "secret", device: DeviceClaim(name: "laptop"))
        let credentials = try await home.client.register(request, at: Home.server)
        #expect(credentials.identity == Home.identity)
    }

    @Test("A one-time code opens a session without a token, which isn't stored")
    func reset() async throws {
        let home = Home(credentials: nil)
        home.transport.expect(OpenRoute.resetLogIn, answer: Home.grant(1, now: home.clock.date))
        let request = ResetLogInRequest(
            username: "ada", code: "K7PQ", newPassword: "a new password", device: DeviceClaim(name: "laptop"))
        #expect(try await home.client.resetLogIn(request, at: Home.server).identity == Home.identity)
        #expect(home.transport.requests[0].bearerToken == nil)
        #expect(home.store.credentials == nil)
    }

    @Test("Signing out all devices ends the session here only if this one is included")
    func signOut() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.signOutDevices, answer: .json(#"{"devices": 2}"#))
        #expect(try await home.client.signOutDevices(includingThis: false) == 2)
        #expect(home.store.credentials?.end == nil)
        home.transport.expect(AuthenticatedRoute.signOutDevices, answer: .json(#"{"devices": 3}"#))
        #expect(try await home.client.signOutDevices(includingThis: true) == 3)
        #expect(home.store.credentials?.end == .loggedOut)
    }

    @Test("The messages about a quota and a disabled account say what to do, and that nothing is lost")
    func accountProblems() async throws {
        var problem = Problem(status: 403, code: .quotaExceeded, title: "The quota is used up")
        problem.detail = "the account may have 3 records; delete some, or ask the server's owner for more"
        #expect(
            BackendError.problem(problem).message
                == "The account's quota on the server is used up: the account may have 3 records; delete some, or ask the "
                + "server's owner for more. Unsent edits stay here; `whoami` shows the usage.")
        let disabled = BackendError.problem(Problem(status: 403, code: .accountDisabled, title: "Disabled"))
        #expect(disabled.message.contains("unsent edits stay here") && !disabled.isTransient)
    }

    @Test("A page arrives as on the wire, its cursor is sent encoded, and the server's time is known")
    func pull() async throws {
        let home = Home()
        let page = #"{"records": [ {"x": 1.0} ], "cursor": "c", "more": false}"#
        home.transport.expect("GET", "/satchel/v1/spaces/s%2F1/changes?since=a%26b%3D&limit=50") {
            _ throws(TransportError) in
            .json(page, headers: [("date", "Sun, 06 Nov 1994 08:49:37 GMT")])
        }
        let answer = try await home.client.pull(space: "s/1", since: "a&b=", limit: 50)
        #expect(answer.body == Array(page.utf8))
        #expect(answer.date == Date(timeIntervalSince1970: 784_111_777))
        home.transport.verify()
    }

    @Test("A notice names the server if its answer takes longer than the delay")
    func waitNotice() async throws {
        let (transport, clock, gate) = (MockTransport(), ManualClock(), Gate())
        let client = BackendClient(
            transport: transport, credentials: InMemoryCredentialStore(), now: { clock.date },
            sleep: { try await clock.sleep(for: $0) })
        let notices = Locked<[String]>([])
        let receive: @Sendable (String) -> Void = { notice in notices.withLock { $0.append(notice) } }
        transport.expect(OpenRoute.capabilities, behind: gate, answer: .json("{}"))
        let call = Task {
            await WaitNotice.reported(to: receive) { _ = try? await client.negotiate(with: Home.server) }
        }
        try await eventually("both wait") { clock.sleeping == 1 && gate.waiting == 1 }
        #expect(WaitNotice.delay == .seconds(2))
        clock.advance(by: WaitNotice.delay - .nanoseconds(1))
        #expect(notices.withLock { $0 } == [])
        clock.advance(by: .nanoseconds(1))
        try await eventually("it is reported") { notices.withLock { !$0.isEmpty } }
        gate.open()
        await call.value
        #expect(notices.withLock { $0 } == ["Waiting for \(Home.server) to answer …"])
    }

    @Test("A wait for the head of a stream is reported to the user")
    func streamNotice() async throws {
        let (transport, clock, gate) = (MockTransport(), ManualClock(), Gate())
        let client = BackendClient(
            transport: transport, credentials: InMemoryCredentialStore(try .testing()), now: { clock.date },
            sleep: { try await clock.sleep(for: $0) })
        let notices = Locked<[String]>([])
        transport.expect(AuthenticatedRoute.pullChanges(space: "s"), behind: gate, answer: .json("{}"))
        let call = Task {
            try await WaitNotice.reported(to: { notice in notices.withLock { $0.append(notice) } }) {
                _ = try await client.pullInPieces(space: "s", since: nil)
            }
        }
        try await eventually("both wait") { clock.sleeping == 1 && gate.waiting == 1 }
        clock.advance(by: WaitNotice.delay)
        try await eventually("it is reported") { notices.withLock { !$0.isEmpty } }
        gate.open()
        try await call.value
        #expect(notices.withLock { $0.count } == 1)
    }

    @Test("An answer in time causes no notice, nor does a wait without a user")
    func noWaitNotice() async throws {
        let (transport, clock, gate) = (MockTransport(), ManualClock(), Gate())
        let client = BackendClient(
            transport: transport, credentials: InMemoryCredentialStore(), now: { clock.date },
            sleep: { try await clock.sleep(for: $0) })
        let notices = Locked(0)
        transport.expect(OpenRoute.capabilities, answer: .json("{}"))
        await WaitNotice.reported(to: { _ in notices.withLock { $0 += 1 } }) {
            _ = try? await client.negotiate(with: Home.server)
        }
        try await eventually("nothing waits any more") { clock.sleeping == 0 }
        transport.expect(OpenRoute.capabilities, behind: gate, answer: .json("{}"))
        let call = Task { try? await client.negotiate(with: Home.server) }
        try await eventually("the call is running") { gate.waiting == 1 }
        #expect(clock.sleeping == 0)
        gate.open()
        _ = await call.value
        #expect(notices.withLock { $0 } == 0)
    }

    @Test("A push sends body and key unchanged")
    func push() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.pushChanges(space: "s1")) { request throws(TransportError) in
            #expect(request.silence == .seconds(15))
            #expect(request.header("idempotency-key") == "k1")
            #expect(request.bodyText == #"{ "mutations":[] }"#)
            return .json("{}")
        }
        let answer = try await home.client.push(space: "s1", key: "k1", body: Array(#"{ "mutations":[] }"#.utf8))
        #expect(answer.head.status == 200)
        home.transport.verify()
    }

    @Test("A web page as an answer is malformed, whatever its status")
    func webPage() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.pullChanges(space: "s1")) { _ throws(TransportError) in
            HTTPResponse(status: 200, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
        }
        await #expect(throws: BackendError.malformedAnswer("status 200 with text/html instead of JSON")) {
            try await home.client.pull(space: "s1", since: nil)
        }
    }

    @Test("A refusal contains the server's problem, its extensions and how long to wait")
    func problem() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.devices) { _ throws(TransportError) in
            .problem(429, .rateLimited, headers: [("Retry-After", "7")])
        }
        let error = await #expect(throws: BackendError.self) { try await home.client.devices() }
        #expect(error?.problem?.code == .rateLimited)
        #expect(error?.retryAfter == .seconds(7))
        #expect(error?.isTransient == true)
    }

    @Test("A redirect is reported with its target and is not followed")
    func redirect() async throws {
        let home = Home()
        home.transport.expect(OpenRoute.capabilities) { _ throws(TransportError) in
            HTTPResponse(status: 301, headers: [("Location", "https://new.example.org/")])
        }
        let error = await #expect(throws: BackendError.self) { try await home.client.negotiate(with: Home.server) }
        #expect(error?.message.contains("https://new.example.org/") == true)
    }

    @Test("C20 devices are listed and revoked")
    func devices() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.devices) { _ throws(TransportError) in
            .json(
                #"{"devices": [{"id": "d1", "name": "laptop", "createdAt": "t", "lastSeenAt": "t", "current": true}]}"#)
        }
        home.transport.expect(AuthenticatedRoute.revokeDevice(id: "d1")) { _ throws(TransportError) in .noContent }
        let devices = try await home.client.devices()
        #expect(devices.map(\.id) == ["d1"])
        try await home.client.revokeDevice(id: "d1")
        home.transport.verify()
    }
}
