import Backend
import Records
import ServerCore
import SQLiteServerStore
import SyncAPI
import Testing

@testable import TestSupport

/// The findings of the check of exchanges.
@Suite struct ExchangeCheckTests {
    private func faults(
        _ method: String, _ path: String, status: Int, _ body: String, type: String = "application/json",
        request: String = "", headers further: [(name: String, value: String)] = []
    ) -> [String] {
        let headers = (body.isEmpty ? [] : [(name: "Content-Type", value: type)]) + further
        let answer = WireDevice.Answer(ServerAnswer(status: status, headers: headers, body: Array(body.utf8)))
        return ExchangeCheck.standard.faults(method: method, path: path, body: Array(request.utf8), answer: answer)
    }

    @Test func anAnswerThatIsDescribedHasNoFaults() {
        #expect(faults("GET", "/v1/spaces", status: 200, #"{"spaces":[]}"#) == [])
        #expect(faults("DELETE", "/v1/sessions/current", status: 204, "") == [])
    }

    @Test func aMemberThatIsNotDescribedIsAFault() {
        #expect(
            faults("GET", "/v1/spaces", status: 200, #"{"spaces":[],"more":true}"#) == ["answer/more isn't documented"])
        #expect(faults("GET", "/v1/spaces", status: 200, "{}") == ["answer/spaces is missing"])
        #expect(faults("GET", "/v1/spaces", status: 200, #"{"spaces":{}}"#) == ["answer/spaces is not of type array"])
        let role = #"{"spaces":[{"id":"s","role":"guest","personal":true}]}"#
        #expect(
            faults("GET", "/v1/spaces", status: 200, role)
                == [#"answer/spaces/0/role is "guest", which isn't documented"#])
    }

    @Test func aStatusOrACodeThatIsNotDescribedIsAFault() {
        #expect(faults("GET", "/v1/spaces", status: 202, "{}") == ["the status 202 isn't documented"])
        let problem = #"{"type":"about:blank","title":"t","status":409,"code":"username-taken"}"#
        #expect(faults("POST", "/v1/accounts", status: 409, problem, type: Problem.mediaType) == [])
        #expect(faults("POST", "/v1/sessions", status: 409, problem, type: Problem.mediaType) != [])
    }

    @Test func aHeaderThatIsMissingOrNotDescribedIsAFault() {
        let problem = #"{"type":"about:blank","title":"t","status":429,"code":"rate-limited"}"#
        let wait = (name: "Retry-After", value: "5")
        #expect(
            faults("POST", "/v1/sessions", status: 429, problem, type: Problem.mediaType)
                == ["the header Retry-After is missing"])
        #expect(faults("POST", "/v1/sessions", status: 429, problem, type: Problem.mediaType, headers: [wait]) == [])
        #expect(
            faults("GET", "/v1/spaces", status: 200, #"{"spaces":[]}"#, headers: [wait])
                == ["the header Retry-After isn't documented"])
    }

    @Test func anAcceptedRequestOfAnotherFormIsAFault() {
        let path = "/v1/account/password"
        #expect(faults("PUT", path, status: 204, "", request: #"{"currentPassword":"a","newPassword":"b"}"#) == [])
        #expect(
            faults("PUT", path, status: 204, "", request: #"{"currentPassword":"a"}"#)
                == ["request/newPassword is missing"])
    }
}

/// The transport of the simulation: no socket, no thread, a manual clock.
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

    @Test func anAddressWithoutSchemeIsRefused() async throws {
        let transport = InProcessServerTransport(try InProcessServer().server)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(method: "GET", url: "nowhere"))
        }
        #expect(error?.kind == .cannotResolve)
    }
}
