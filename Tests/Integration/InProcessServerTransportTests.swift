import Backend
import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

/// The way of the simulation: no socket, no thread, a clock that is turned by hand.
@Suite struct InProcessServerTransportTests {
    @Test func aRequestIsAnsweredWithoutASocket() async throws {
        let server = try InProcessServer(store: SQLiteServerStore(scheduling: .inline))
        let transport = InProcessServerTransport(server.server)
        let body = #"{"username":"anna","password":"correct horse","device":{"name":"n"}}"#
        let response = try await transport.send(
            HTTPRequest(
                method: "POST", url: "http://server.test" + OpenRoute.register.path,
                headers: [("Content-Type", "application/json")], body: Array(body.utf8)))
        #expect(response.head.status == 201)
        let members = try JSONValue(parsing: response.body).object
        #expect(members?["account"]?.object?["username"] == "anna")
    }

    @Test func anAddressWithoutSchemeIsNone() async throws {
        let transport = InProcessServerTransport(try InProcessServer().server)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(method: "GET", url: "nowhere"))
        }
        #expect(error?.kind == .cannotResolve)
    }
}
