import Backend
import CurlTransport
import Records
import SyncAPI
import Testing
import TestSupport

/// Live events over real sockets, with the transport of the client.
@Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
    private func events(
        _ url: String, _ device: WireDevice, _ transport: any HTTPTransport = CurlTransport()
    ) async throws -> HTTPStream {
        try await transport.stream(
            HTTPRequest(
                method: "GET", url: url + AuthenticatedRoute.events.path,
                headers: [("Authorization", "Bearer \(device.accessToken ?? "")")], timeout: .seconds(60)))
    }

    private func push(_ device: WireDevice, _ id: String) async throws {
        _ = try await device.push(
            [["collection": "tasks", "id": .string(id), "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]]],
            key: id)
    }

    private func text(_ piece: [UInt8]?) -> String { String(decoding: piece ?? [], as: UTF8.self) }

    @Test func aCommitArrivesAndAnEndedSessionEndsTheStream() async throws {
        let server = try InProcessServer()
        var (anna, phone) = (WireDevice(server), WireDevice(id: "phone", server))
        try await anna.register()
        try await phone.logIn()
        try await server.withSocket { [anna, phone] url in
            let stream = try await events(url, phone)
            #expect(stream.head.status == 200)
            #expect(stream.head.header("content-type") == "text/event-stream")
            #expect(stream.head.header("content-encoding") == nil)
            var pieces = stream.body.makeAsyncIterator()
            #expect(text(try await pieces.next()).hasPrefix("retry: "))
            try await push(anna, "a")
            let cursor = try #require(try await anna.pull()["cursor"].string)
            #expect(text(try await pieces.next()).contains(cursor))
            _ = try await anna.call("DELETE", "/v1/devices/phone")
            #expect(try await pieces.next() == nil)
        }
    }

    @Test func aDisconnectedClientIsNoticedAtOnce() async throws {
        let server = try InProcessServer()
        var anna = WireDevice(server)
        try await anna.register()
        try await server.withSocket { [anna] url in
            let reader = Task {
                var pieces = try await events(url, anna).body.makeAsyncIterator()
                while try await pieces.next() != nil {}
            }
            // The stream sleeps until its heartbeat, by a clock that doesn't advance.
            try await eventually("the stream, the maintenance and both watches wait") { server.clock.sleeping == 4 }
            reader.cancel()
            _ = await reader.result
            try await eventually("the stream is gone") { server.clock.sleeping == 3 }
        }
    }

    @Test func aServerThatStopsEndsItsStreamsAtOnce() async throws {
        let server = try InProcessServer()
        var anna = WireDevice(server)
        try await anna.register()
        let rest = try await server.withSocket { [anna] url in
            var pieces = try await events(url, anna).body.makeAsyncIterator()
            #expect(try await pieces.next() != nil)
            try await eventually("the stream, the maintenance and both watches wait") { server.clock.sleeping == 4 }
            return Task { [pieces] in
                var pieces = pieces
                return try await pieces.next()
            }
        }
        #expect(try await rest.value == nil)
    }

    @Test func aStreamWorksInProcess() async throws {
        let server = try InProcessServer()
        var anna = WireDevice(server)
        try await anna.register()
        let stream = try await events("http://server.test", anna, InProcessServerTransport(server.server))
        var pieces = stream.body.makeAsyncIterator()
        #expect(text(try await pieces.next()).hasPrefix("retry: "))
        try await push(anna, "a")
        #expect(text(try await pieces.next()).hasPrefix("event: changes\n"))
    }
}
