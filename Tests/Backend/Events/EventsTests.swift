import Backend
import SyncAPI
import TestSupport
import Testing

@Suite("The server's events", .timeLimit(.minutes(5)))
struct EventsTests {
    private static let head = HTTPHead(status: 200, headers: [("Content-Type", "text/event-stream; charset=utf-8")])
    private let home = Home()
    private let body = MockBody()

    private func expectStream(_ head: HTTPHead = EventsTests.head) {
        home.transport.expectStream("GET", "/satchel/v1/events", head: head, body: body)
    }

    @Test("Changes arrive as they are sent, with the id to resume from; heartbeats and unknown events are ignored")
    func changes() async throws {
        expectStream()
        var events = try await home.client.events().makeAsyncIterator()
        body.send(": beat\n\nretry: 3000\nevent: changes\nid: 7\ndata: {\"space\": \"s1\", \"cur".utf8)
        body.send(
            "sor\": \"c7\"}\n\nevent: news\ndata: ?\n\nevent: changes\ndata: {\"space\":\"s2\",\"cursor\":\"d\"}\n\n"
                .utf8)
        #expect(try await events.next() == .retry(.seconds(3)))
        #expect(try await events.next() == .changes(ChangeEvent(space: "s1", cursor: "c7", id: "7")))
        #expect(try await events.next() == .changes(ChangeEvent(space: "s2", cursor: "d", id: "7")))
        body.finish()
        #expect(try await events.next() == nil)
        let request = try #require(home.transport.requests.first)
        #expect(request.header("Accept") == "text/event-stream, application/problem+json")
        #expect(request.bearerToken == "access-1")
        #expect(request.header("Last-Event-ID") == nil)
        #expect(request.timeout == BackendClient.eventSilence)
    }

    @Test("After a disconnection the stream resumes from the last event")
    func lastEventID() async throws {
        expectStream()
        var events = try await home.client.events(after: "41").makeAsyncIterator()
        body.send("event: changes\ndata: {\"space\": \"s1\", \"cursor\": \"c\"}\n\n".utf8)
        #expect(try await events.next() == .changes(ChangeEvent(space: "s1", cursor: "c", id: "41")))
        #expect(home.transport.requests.first?.header("Last-Event-ID") == "41")
    }

    @Test("An expired token is renewed, as for any call")
    func refresh() async throws {
        home.transport.expect(AuthenticatedRoute.events, answer: Home.tokenExpired)
        home.transport.expect(OpenRoute.refresh) { [date = home.clock.date] _ throws(TransportError) in
            Home.grant(2, now: date)
        }
        expectStream()
        _ = try await home.client.events()
        #expect(home.transport.requests.map(\.bearerToken) == ["access-1", nil, "access-2"])
        home.transport.verify()
    }

    @Test("A server without events is distinguished from one that isn't a Satchel server")
    func refused() async throws {
        home.transport.expect(AuthenticatedRoute.events, answer: .problem(404, .notFound))
        await #expect(throws: BackendError.unsupported(Home.server, .events)) { _ = try await home.client.events() }
        expectStream(HTTPHead(status: 200, headers: [("Content-Type", "text/html")]))
        await #expect(throws: BackendError.malformedAnswer("status 200 with text/html instead of events")) {
            _ = try await home.client.events()
        }
    }

    @Test("A stream that breaks, falls silent or sends invalid data ends with the reason")
    func broken() async throws {
        expectStream()
        var silent = try await home.client.events().makeAsyncIterator()
        body.fail(.timedOut)
        await #expect(throws: BackendError.transport(TransportError(.timedOut))) { _ = try await silent.next() }

        let nonsense = MockBody()
        home.transport.expectStream("GET", "/satchel/v1/events", head: Self.head, body: nonsense)
        var events = try await home.client.events().makeAsyncIterator()
        nonsense.send("event: changes\ndata: {}\n\n".utf8)
        await #expect {
            _ = try await events.next()
        } throws: { error in
            if case .malformedAnswer? = error as? BackendError { true } else { false }
        }
    }
}
