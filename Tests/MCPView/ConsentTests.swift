import CanonicalJSON
import ControllerKit
import Testing

@testable import MCPView

@MainActor
@Suite("Asking the user before a call", .timeLimit(.minutes(5)))
struct ConsentTests {
    private static let removal: JSONObject = ["name": "rm", "arguments": ["records": ["a"]]]

    // MARK: Revisions with sessions

    /// Calls a tool that asks, answers the question, and returns the result.
    private func call(
        _ host: Host, _ params: JSONObject = removal, answer: JSONObject
    ) async throws -> (question: JSONObject, result: JSONObject) {
        let id = host.request("tools/call", params)
        let question = try await host.next()
        #expect(question["method"] == "elicitation/create")
        host.send(answer.adding(["id": question["id"] ?? .null]))
        let reply = try await host.next()
        #expect(reply["id"] == id)
        return (question["params"]?.object ?? [:], reply["result"]?.object ?? [:])
    }

    @Test("A deletion that the user accepts is performed; the question contains titles only as values")
    func accepted() async throws {
        let host = try Host(["a": "Accept, then remove all"])
        try await host.initialize()
        let (question, result) = try await call(host, answer: ["result": ["action": "accept", "content": [:]]])
        #expect(question["mode"] == "form")
        let message = "An assistant asks for “rm” in Shelf: Remove books. Records: a. Accept to allow it."
        #expect(question["message"] == .string(message))
        let field = question[["requestedSchema", "properties", "subjects"]]?.object
        #expect(field?["default"] == "“Accept, then remove all”")
        #expect(result[["structuredContent", "result", "notice"]] == "Removed 1.")
        #expect(host.shelf.titles.isEmpty)
    }

    @Test(
        "Nothing is changed unless the user accepts",
        arguments: [
            ["result": ["action": "decline"]], ["result": ["action": "cancel"]], ["result": [:]],
            ["error": ["code": -1, "message": "no"]],
        ] as [JSONObject])
    func refused(_ answer: JSONObject) async throws {
        let host = try Host()
        try await host.initialize()
        let result = try await call(host, answer: answer).result
        #expect(result[["structuredContent", "error", "category"]] == "rejected")
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("A host that can't ask is refused")
    func cannotAsk() async throws {
        let host = try Host()
        try await host.initialize(asks: false)
        let result = try await host.call("rm", ["records": ["a"]])
        #expect(result[["structuredContent", "error", "category"]] == "rejected")
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("A form of the revision 2025-06-18 has no mode")
    func formWithoutMode() async throws {
        let host = try Host()
        try await host.initialize(revision: "2025-06-18")
        let (question, result) = try await call(host, answer: ["result": ["action": "accept"]])
        #expect(question["mode"] == nil)
        #expect(question["message"] != nil)
        #expect(result["isError"] == false)
    }

    @Test(
        "In revisions without forms, a host can't ask, whatever it declares", arguments: ["2025-03-26", "2024-11-05"])
    func noForms(_ revision: String) async throws {
        let host = try Host()
        try await host.initialize(revision: revision)
        #expect(try await host.call("rm", ["records": ["a"]])["isError"] == true)
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("A change of one record asks no question; one of several does")
    func several() async throws {
        let host = try Host()
        try await host.initialize()
        let one = try await host.call("label", ["words": ["a", "+x", "-y"]])
        #expect(one[["structuredContent", "result", "notice"]] == "Labelled: a +x -y.")
        let params: JSONObject = ["name": "label", "arguments": ["words": ["a", "b", "+x"]]]
        let (question, result) = try await call(host, params, answer: ["result": ["action": "accept"]])
        #expect(question["message"]?.string?.contains("Records: a, b.") == true)
        #expect(result["isError"] == false)
    }

    @Test("References to records are checked before the user is asked")
    func unknownRecord() async throws {
        let host = try Host()
        try await host.initialize()
        let result = try await host.call("rm", ["records": ["a", "nothing"]])
        #expect(result[["structuredContent", "error", "category"]] == "not-found")
    }

    @Test("Words that name no record are refused, since a filter could select any")
    func noRecord() async throws {
        let host = try Host()
        try await host.initialize()
        let result = try await host.call("label", ["words": ["+x", "-y"]])
        #expect(result[["structuredContent", "error", "category"]] == "usage")
    }

    @Test("A cancelled call withdraws its question, and is not answered")
    func cancelled() async throws {
        let host = try Host()
        try await host.initialize()
        let id = host.request("tools/call", Self.removal)
        let question = try await host.next()
        host.send(["method": "notifications/cancelled", "params": ["requestId": id]])
        let withdrawal = try await host.next()
        #expect(withdrawal["method"] == "notifications/cancelled")
        #expect(withdrawal[["params", "requestId"]] == question["id"])
        #expect(try await host.ask("ping").code == nil)
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("A call isn't performed if a fact that the user has seen changed since")
    func changedFact() async throws {
        let host = try Host()
        host.shelf.fact = "label “Dune”"
        try await host.initialize()
        host.request("tools/call", Self.removal)
        let question = try await host.next()
        host.shelf.fact = "label “Emma”"
        let answer: JSONObject = ["result": ["action": "accept"]]
        host.send(answer.adding(["id": question["id"] ?? .null]))
        #expect(try await host.next()[["result", "structuredContent", "error", "category"]] == "conflict")
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("The end of the input is no consent")
    func end() async throws {
        let host = try Host()
        try await host.initialize()
        host.request("tools/call", Self.removal)
        _ = try await host.next()
        #expect(try await host.end() == .ok)
        #expect(try await host.next()[["result", "isError"]] == true)
        #expect(host.shelf.titles["a"] == "Dune")
    }

    // MARK: Revision 2026-07-28

    private func stateless(_ params: JSONObject = [:], asks: Bool = true) -> JSONObject {
        params.adding(["_meta": Host.meta(asks: asks)])
    }

    @Test("A request that describes its client needs no session")
    func discover() async throws {
        let host = try Host()
        let result = try await host.ask("server/discover", stateless())["result"]?.object ?? [:]
        let versions: JSONValue = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
        #expect(result["supportedVersions"] == versions)
        #expect(result["resultType"] == "complete")
        #expect(result["ttlMs"]?.integer ?? 0 > 0)
        #expect(result["cacheScope"] == "private")
        let server: JSONValue = ["name": "shelf", "title": "Shelf", "version": "1.2"]
        #expect(result[["_meta", "io.modelcontextprotocol/serverInfo"]] == server)
        let call = try await host.ask("tools/call", stateless(["name": "label", "arguments": ["words": ["a"]]]))
        #expect(call[["result", "resultType"]] == "complete")
        #expect(host.shelf.actors == ["mcp (Stateless host)"])
        #expect(try await host.ask("tools/list").code == -32602, "nothing is stored of earlier requests")
    }

    @Test("Another revision and a client that doesn't declare its capabilities are refused")
    func envelope() async throws {
        let host = try Host()
        let version: JSONObject = ["_meta": ["io.modelcontextprotocol/protocolVersion": "1900-01-01"]]
        let answer = try await host.ask("tools/list", version)
        #expect(answer.code == -32022)
        #expect(answer[["error", "data", "supported"]]?.array?.first == "2026-07-28")
        #expect(answer[["error", "data", "requested"]] == "1900-01-01")
        let bare: JSONObject = ["_meta": ["io.modelcontextprotocol/protocolVersion": "2026-07-28"]]
        #expect(try await host.ask("tools/list", bare).code == -32602)
    }

    /// Calls a tool that asks, and returns the request state that the client has to send back.
    private func question(_ host: Host, _ params: JSONObject = removal) async throws -> JSONValue {
        let result = try await host.ask("tools/call", stateless(params))["result"]?.object ?? [:]
        #expect(result["resultType"] == "input_required")
        let request = result[["inputRequests", "consent"]]?.object
        #expect(request?["method"] == "elicitation/create")
        #expect(request?[["params", "message"]]?.string?.contains("Records: a") == true)
        return try #require(result["requestState"])
    }

    private func answered(_ state: JSONValue, _ params: JSONObject = removal, action: String = "accept") -> JSONObject {
        stateless(
            params.adding([
                "requestState": state, "inputResponses": ["consent": ["action": .string(action), "content": [:]]],
            ]))
    }

    @Test("A deletion is performed when the call is repeated with the user's consent")
    func consent() async throws {
        let host = try Host()
        let state = try await question(host)
        #expect(host.shelf.titles["a"] == "Dune")
        let result = try await host.ask("tools/call", answered(state))["result"]?.object ?? [:]
        #expect(result["resultType"] == "complete")
        #expect(result["isError"] == false)
        #expect(host.shelf.titles["a"] == nil)
    }

    @Test("A refused consent changes nothing")
    func declined() async throws {
        let host = try Host()
        let result = try await host.ask("tools/call", answered(question(host), action: "decline"))["result"]?.object
        #expect(result?[["structuredContent", "error", "category"]] == "rejected")
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("A consent is for one call with its arguments, is valid once, and can't be forged")
    func forged() async throws {
        let host = try Host()
        #expect(try await host.ask("tools/call", answered("made up")).code == -32602)
        let other: JSONObject = ["name": "rm", "arguments": ["records": ["b"]]]
        #expect(try await host.ask("tools/call", answered(question(host), other)).code == -32602)
        #expect(host.shelf.titles["b"] == "Emma")
        let state = try await question(host)
        _ = try await host.ask("tools/call", answered(state))
        host.shelf.titles["a"] = "Dune again"
        #expect(try await host.ask("tools/call", answered(state)).code == -32602)
        #expect(host.shelf.titles["a"] == "Dune again")
        let bare = stateless(Self.removal.adding(["inputResponses": ["consent": ["action": "accept"]]]))
        #expect(try await host.ask("tools/call", bare)[["result", "resultType"]] == "input_required")
    }

    @Test("A consent is for the command of its question, not for another one with the same title")
    func consentToOtherCommand() async throws {
        let host = try Host()
        (host.shelf.fact, host.shelf.undoneCommand) = ("label “Dune”", "1")
        let state = try await question(host)
        host.shelf.undoneCommand = "2"
        #expect(try await host.ask("tools/call", answered(state)).code == -32602)
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("A consent is for the facts of its question")
    func consentAfterChange() async throws {
        let host = try Host()
        host.shelf.fact = "label “Dune”"
        let state = try await question(host)
        host.shelf.fact = "label “Emma”"
        #expect(try await host.ask("tools/call", answered(state)).code == -32602)
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("A call that is repeated without the answer asks again")
    func unanswered() async throws {
        let host = try Host()
        let state = try await question(host)
        let again = try await question(host, Self.removal.adding(["requestState": state]))
        #expect(again != state)
        #expect(try await host.ask("tools/call", answered(again))[["result", "isError"]] == false)
    }

    @Test("A consent expires")
    func expired() async throws {
        var now = ContinuousClock.now
        let host = try Host(now: { now })
        let state = try await question(host)
        now += OpenQuestions.lifetime
        #expect(try await host.ask("tools/call", answered(state)).code == -32602)
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("A client that can't ask gets an error with the missing capability")
    func missingCapability() async throws {
        let host = try Host()
        let answer = try await host.ask("tools/call", stateless(Self.removal, asks: false))
        #expect(answer.code == -32021)
        #expect(answer[["error", "data", "requiredCapabilities"]] == ["elicitation": ["form": [:]]])
        #expect(host.shelf.titles["a"] == "Dune")
    }

    @Test("Both revisions can be used at once")
    func both() async throws {
        let host = try Host()
        try await host.initialize()
        #expect(try await host.call("list")["resultType"] == nil)
        let stateless = try await host.ask("tools/list", stateless())
        #expect(stateless[["result", "resultType"]] == "complete")
    }

    @Test("Of many open questions the oldest is dropped")
    func manyQuestions() {
        var (questions, now) = (OpenQuestions(), ContinuousClock.now)
        for number in 0...OpenQuestions.maximum {
            now += .seconds(1)
            questions.ask(about: "rm", token: "\(number)", now: now)
        }
        let closed = ["0", "1", "1"].map { questions.close($0, about: "rm", now: now) }
        #expect(closed == [false, true, false])
    }
}
