import Backend
import Controllers
import ControllerKit
import CountAPI
import CountServer
import SyncAPI
import TestSupport
import Testing

@MainActor
@Suite("A custom endpoint", .timeLimit(.minutes(5)))
struct CountTests {
    @Test("A client calls it in its session, with a token that is renewed when it has expired")
    func counts() async throws {
        let server = try InProcessServer(extensions: [CountExtension()])
        let device = try await Services.testing(on: server)
        let list = Presentation(ListController(device.notebook)) { Issue.record($0) }
        try await list.send(.add(["Buy", "milk"], body: nil))
        _ = try await device.engine.sync()
        let space = try await device.backend.account().account.personalSpace
        let route = CountRoute.count(space: space, collection: "tasks")
        #expect(try await device.backend.call(route) == Count(count: 1))
        server.clock.advance(by: .seconds(3_600))
        #expect(try await device.backend.call(route) == Count(count: 1))
    }

    @Test("A refusal is a problem like any other; the answer to a wrong method names the allowed ones")
    func refusals() async throws {
        let server = try InProcessServer(extensions: [CountExtension()])
        let device = try await Services.testing(on: server)
        let elsewhere = CountRoute.count(space: "another", collection: "tasks")
        do {
            let count = try await device.backend.call(elsewhere, as: Count.self)
            Issue.record("It was answered: \(count)")
        } catch {
            guard case .problem(let problem, _) = error else { throw error }
            #expect(problem.code == .notFound)
        }
        let nobody = WireDevice(server)
        #expect(try await nobody.call("GET", elsewhere.path)["code"] == "token-missing")
        let wrong = try await nobody.call("DELETE", elsewhere.path)
        #expect((wrong.status, wrong.header("Allow")) == (405, "GET, HEAD"))
    }

    @Test("The client's side needs no server: a script answers")
    func scripted() async throws {
        let transport = MockTransport()
        let route = CountRoute.count(space: "space-ada", collection: "tasks")
        transport.expect(route.method, route.path) { _ in .json(#"{"count": 3}"#) }
        let client = BackendClient(
            transport: transport, credentials: InMemoryCredentialStore(try .testing()))
        #expect(try await client.call(route) == Count(count: 3))
        transport.verify()
    }
}
