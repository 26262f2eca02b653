import Backend
import SyncAPI
import TestSupport
import Testing

@Suite("The mock transport", .timeLimit(.minutes(5)))
struct MockTransportTests {
    let request = HTTPRequest(method: "GET", url: "https://example.org/v1/account?x=1")

    @Test("An unexpected request records an issue that names it, and fails")
    func unexpected() async throws {
        let transport = MockTransport()
        await withKnownIssue {
            await #expect(throws: TransportError.self) { try await transport.send(request) }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("unexpected request GET /v1/account?x=1") }
        }
        #expect(transport.requests == [request])
    }

    @Test("An expectation that was never met is an issue")
    func unmet() {
        let transport = MockTransport()
        transport.expect(AuthenticatedRoute.devices, answer: .noContent)
        withKnownIssue {
            transport.verify()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("never asked: GET /v1/devices") }
        }
    }

    @Test("Expectations of one route are met in order")
    func order() async throws {
        let transport = MockTransport()
        transport.expect(AuthenticatedRoute.account, answer: .json("1"))
        transport.expect(AuthenticatedRoute.account, answer: .json("2"))
        #expect(try await transport.send(request).body == Array("1".utf8))
        #expect(try await transport.send(request).body == Array("2".utf8))
        transport.verify()
    }

    @Test("The server has acted on a request whose answer is lost, not on one that failed before")
    func lostAnswer() async throws {
        let transport = MockTransport()
        let acted = Gate()
        transport.expect(AuthenticatedRoute.account, failing: .refused)
        transport.expect(AuthenticatedRoute.account, losingAnswer: .timedOut) { _ throws(TransportError) in
            acted.open()
            return .noContent
        }
        await #expect(throws: TransportError.self) { try await transport.send(request) }
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.kind == .timedOut)
        try await acted.pass()
    }

    @Test("A request held back by a gate can be cancelled")
    func cancelledAtGate() async throws {
        let transport = MockTransport()
        let gate = Gate()
        transport.expect(AuthenticatedRoute.account, behind: gate, answer: .noContent)
        let task = Task { try await transport.send(request) }
        try await eventually("the request waits") { gate.waiting == 1 }
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.kind == .cancelled)
    }

    @Test("A streamed body arrives piece by piece and may break off")
    func stream() async throws {
        let transport = MockTransport()
        let body = MockBody()
        transport.expectStream("GET", "/v1/account", body: body)
        let stream = try await transport.stream(request)
        var pieces = stream.body.makeAsyncIterator()
        body.send("one".utf8)
        #expect(try await pieces.next() == Array("one".utf8))
        body.fail(.protocolViolation)
        await #expect(throws: TransportError.self) { try await pieces.next() }
    }

    @Test("A sleeper wakes when the manual clock reaches its time, not before")
    func manualClock() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
        try await eventually("one sleeps") { clock.sleeping == 1 }
        clock.advance(by: .seconds(9))
        #expect(clock.sleeping == 1)
        clock.advance(by: .seconds(1))
        try await sleeper.value
        #expect(clock.now.sinceStart == .seconds(10))
    }
}
