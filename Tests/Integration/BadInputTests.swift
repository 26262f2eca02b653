import Records
import SyncAPI
import Testing
import TestSupport

/// Invalid input gets the error that the protocol specifies (SyncAPI.docc/Protocol.md, "Errors"), and the server
/// continues.
@Suite struct BadInputTests {
    /// Sends a body to `POST …/changes` over a socket.
    private func push(_ bytes: [UInt8], headers: [String: String] = [:]) async throws -> WireDevice.Answer {
        let server = try InProcessServer()
        return try await server.withSocket { url in
            var device = WireDevice(send: Curl(baseURL: url).send)
            try await device.register()
            let answer = try await device.call(
                "POST", AuthenticatedRoute.pushChanges(space: device.space).path, bytes: bytes,
                headers: headers.merging(["Idempotency-Key": WireDevice.key("k")]) { mine, _ in mine })
            #expect(try await device.pull()["records"] == [], "nothing was stored")
            return answer
        }
    }

    private static func deep(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    private static let notJSON: [[UInt8]] = [
        Array("not json".utf8), Array("{".utf8), Array(#"{"mutations":[],"mutations":[]}"#.utf8),
        Array(#"{"mutations":[],"x":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8), Array(#"{"x":"\uD800"}"#.utf8),
        Array(#"{"x":\#(deep(100))}"#.utf8), Array(deep(100_000).utf8), Array("{}{}".utf8), [0],
    ]

    @Test(arguments: notJSON)
    func aBodyThatIsNotJSON(_ bytes: [UInt8]) async throws {
        let answer = try await push(bytes)
        #expect(answer.status == 400)
        #expect(answer["code"] == "invalid-json")
        #expect(answer.header("Content-Type") == "application/problem+json")
        #expect(answer["requestID"].string == answer.header("X-Request-ID"))
    }

    @Test func aBodyOfTheWrongShape() async throws {
        let answer = try await push(Array(#"{"mutations":[{"collection":7}]}"#.utf8))
        #expect(answer.status == 422)
        #expect(answer["errors"].array?.first?.object?["pointer"] == "/mutations/0/collection")
    }

    @Test func aBodyThatIsTooLarge() async throws {
        let answer = try await push([UInt8](repeating: UInt8(ascii: "["), count: Limits.bodyBytes + 1))
        #expect(answer.status == 413)
        #expect(answer["code"] == "too-large")
    }

    @Test func aBodyThatIsTooLargeAndDoesNotSaySo() async throws {
        let body = [UInt8](repeating: UInt8(ascii: "["), count: Limits.bodyBytes + 1)
        #expect(try await push(body, headers: ["Transfer-Encoding": "chunked"]).status == 413)
    }

    @Test func aBodyOfAnotherMediaType() async throws {
        let answer = try await push(Array("{}".utf8), headers: ["Content-Type": "text/plain"])
        #expect(answer.status == 415)
    }

    @Test func anIDWithASlashAndATitleOfOneMebibyteAreRejectedAloneAndTheRestIsApplied() async throws {
        let server = try InProcessServer()
        try await server.withSocket { url in
            var device = WireDevice(send: Curl(baseURL: url).send)
            try await device.register()
            func set(_ id: String, _ title: String) -> JSONValue {
                [
                    "collection": "tasks", "id": .string(id), "base": 0, "at": "000000000001-0000-d",
                    "set": ["title": .string(title)],
                ]
            }
            let large = String(repeating: "x", count: 1 << 20)
            let answer = try await device.push([set("a/b", "x"), set("large", large), set("good", "x")], key: "k")
            let results = answer["results"].array ?? []
            #expect(results.map { $0.object?["status"] } == ["rejected", "rejected", "applied"])
            #expect(results[1].object?["problem"]?.object?["code"] == "too-large")
        }
    }

    @Test(arguments: [
        ("GET", "/v1/nothing", 404), ("GET", "/v1/spaces/%FF/changes", 404), ("PATCH", "/v1/accounts", 405),
        ("OPTIONS", "/healthz", 405), ("POST", "/v1/accounts", 415),
    ])
    func aRequestThatFitsNoRoute(_ method: String, _ path: String, _ status: Int) async throws {
        let server = try InProcessServer()
        try await server.withSocket { url in
            let device = WireDevice(send: Curl(baseURL: url).send)
            let answer = try await device.call(method, path)
            #expect(answer.status == status)
            #expect((answer.header("Allow") != nil) == (status == 405))
        }
    }

    @Test func anIDWithASlashInAPath() async throws {
        var device = WireDevice(try InProcessServer())
        try await device.register()
        let path = AuthenticatedRoute.replaceRecord(space: device.space, collection: "tasks", id: "a/b").path
        #expect(try await device.call("GET", path).status == 422)
        let put = try await device.call("PUT", path, body: ["fields": [:]], headers: ["If-None-Match": "*"])
        #expect(put.status == 422)
    }

    @Test func nothingOfABodyIsReadBeforeTheRequestIsKnownToBeAuthorised() async throws {
        let device = WireDevice(try InProcessServer())
        for route in [
            AuthenticatedRoute.pushChanges(space: "s"), .deleteAccount,
            .replaceRecord(space: "s", collection: "c", id: "i"),
        ] {
            let answer = try await device.call(
                route.method, route.path, bytes: [UInt8](repeating: 0, count: Limits.bodyBytes + 1))
            #expect(answer.status == 401)
        }
    }

    @Test func aRequestsOwnIDIsEchoedIfItIsSafeForALog() async throws {
        let device = WireDevice(try InProcessServer())
        func id(_ sent: String) async throws -> String? {
            try await device.call("GET", "/healthz", headers: ["X-Request-ID": sent]).header("X-Request-ID")
        }
        #expect(try await id("my-id") == "my-id")
        #expect(try await id("no good\n") != "no good\n")
    }
}
