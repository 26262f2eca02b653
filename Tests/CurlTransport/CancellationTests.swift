import Backend
import CurlTransport
import Foundation
import TestSupport
import Testing

@Suite("Cancellation over libcurl", .timeLimit(.minutes(5)))
struct CancellationTests {
    let transport = CurlTransport()

    /// Sends in a separate task.
    private func sending(_ url: String) -> Task<HTTPResponse, any Error> {
        Task { try await transport.send(HTTPRequest(method: "GET", url: url)) }
    }

    private func kind(_ task: Task<HTTPResponse, any Error>) async -> TransportError.Kind? {
        do { _ = try await task.value } catch { return (error as? TransportError)?.kind }
        return nil
    }

    @Test("A request of a task that is already cancelled is not sent")
    func beforeSending() async throws {
        let server = try LoopbackServer.answering { _ in LoopbackServer.answer("") }
        defer { server.stop() }
        let gate = Gate()
        let task = Task {
            try? await gate.pass()
            return try await transport.send(HTTPRequest(method: "GET", url: server.url()))
        }
        task.cancel()
        #expect(await kind(task) == .cancelled)
    }

    @Test("A request that waits for its answer ends at once, and so does its connection")
    func waitingForHead() async throws {
        let asked = Gate()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            asked.open()
            connection.awaitEnd()
        }
        defer { server.stop() }
        let task = sending(server.url())
        try await asked.pass()
        task.cancel()
        #expect(await kind(task) == .cancelled)
        try await eventually("the connection is closed") { server.open == 0 }
    }

    @Test("A request in the middle of its answer's body ends at once")
    func middleOfBody() async throws {
        let answered = Gate()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
            answered.open()
            connection.awaitEnd()
        }
        defer { server.stop() }
        let task = sending(server.url())
        try await answered.pass()
        task.cancel()
        #expect(await kind(task) == .cancelled)
        try await eventually("the connection is closed") { server.open == 0 }
    }

    @Test("A request that waits for a free connection ends at once; those before it continue")
    func waitingForConnection() async throws {
        var options = CurlTransport.Options()
        options.connectionsPerHost = 1
        let narrow = CurlTransport(options: options)
        let (asked, gate) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                asked.open()
                while gate.isClosed { usleep(1_000) }
                connection.write(LoopbackServer.answer("ok"))
            }
        }
        defer { server.stop() }
        let request = HTTPRequest(method: "GET", url: server.url())
        let first = Task { try await narrow.send(request) }
        try await asked.pass()
        let second = Task { try await narrow.send(request) }
        second.cancel()
        #expect(await kind(second) == .cancelled)
        gate.open()
        #expect(try await first.value.head.status == 200)
        #expect(server.accepted == 1)
    }

    @Test("Cancelled at any moment, a request ends with an answer or an error; other requests are not disturbed")
    func anyMoment() async throws {
        let server = try LoopbackServer.answering { _ in LoopbackServer.answer("ok") }
        defer { server.stop() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let task = sending(server.url())
                    for _ in 0..<(number % 30) { await Task.yield() }
                    task.cancel()
                    let kind = await kind(task)
                    #expect(kind == nil || kind == .cancelled)
                }
            }
        }
        #expect(try await sending(server.url()).value.head.status == 200)
    }

    @Test("Shutting down ends running requests and refuses later ones")
    func shutDown() async throws {
        let asked = Gate()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            asked.open()
            connection.awaitEnd()
        }
        defer { server.stop() }
        let task = sending(server.url())
        try await asked.pass()
        await transport.shutDown()
        #expect(await kind(task) == .cancelled)
        #expect(await kind(sending(server.url())) == .cancelled)
        await transport.shutDown()
    }

    @Test("A transport that was never used shuts down as well")
    func unusedShutDown() async {
        await transport.shutDown()
    }

    @Test("When the transport is released, its connections are closed")
    func dropped() async throws {
        let server = try LoopbackServer.answering { _ in LoopbackServer.answer("ok") }
        defer { server.stop() }
        var transport: CurlTransport? = CurlTransport()
        _ = try await transport?.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(server.open == 1)
        transport = nil
        try await eventually("the connection is closed") { server.open == 0 }
    }
}
