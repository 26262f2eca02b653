import Records
import SyncAPI
import Synchronization
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

    private static let notJSON: [[UInt8]] = notJSONTexts.map { Array($0.utf8) } + notUTF8

    private static let notJSONTexts: [String] = [
        "not json", "{", #"{"mutations":["#, #"{"mutations":[],}"#, #"{"mutations":[],"mutations":[]}"#,
        // A member's name that is spelled differently.
        #"{"mutations":[],"\u006dutations":[]}"#,
        #"{"x":"\uD800"}"#, #"{"x":\#(deep(100))}"#, #"{"mutations":\#(deep(10_000))}"#, deep(100_000),
        String(repeating: "[", count: 100_000), "{}{}", #"{"mutations":[]} []"#,
        #"{"mutations":[],"limit":01}"#, #"{"mutations":[NaN]}"#,
        // A byte order mark and control characters.
        "\u{FEFF}{\"mutations\":[]}", "{\"mutations\":[],\"since\":\"\u{1}\"}", "\u{0}",
    ]

    /// Invalid bytes, and an overlong encoding.
    private static let notUTF8: [[UInt8]] = [[0xFF, 0xFE], [0xC0, 0xAF]].map { (bytes: [UInt8]) -> [UInt8] in
        Array(#"{"mutations":[],"since":""#.utf8) + bytes + Array(#""}"#.utf8)
    }

    @Test(arguments: notJSON)
    func aBodyThatIsNotJSONIsRefused(_ bytes: [UInt8]) async throws {
        let answer = try await push(bytes)
        expectProblem(answer, 400, "invalid-json")
        #expect(answer.header("Content-Type") == "application/problem+json")
        #expect(answer["requestID"].string == answer.header("X-Request-ID"))
    }

    @Test func aBodyOfTheWrongShapeIsRefused() async throws {
        let answer = try await push(Array(#"{"mutations":[{"collection":7}]}"#.utf8))
        #expect(answer.status == 422)
        #expect(answer["errors"].array?.first?.object?["pointer"] == "/mutations/0/collection")
    }

    @Test func aBodyThatIsTooLargeIsRefused() async throws {
        let answer = try await push([UInt8](repeating: UInt8(ascii: "["), count: Limits.bodyBytes + 1))
        #expect(answer.status == 413)
        #expect(answer["code"] == "too-large")
    }

    @Test func aBodyThatIsTooLargeAndDoesNotSaySoIsRefused() async throws {
        let body = [UInt8](repeating: UInt8(ascii: "["), count: Limits.bodyBytes + 1)
        #expect(try await push(body, headers: ["Transfer-Encoding": "chunked"]).status == 413)
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
    func aBodyOfAnotherMediaTypeIsRefused(_ mediaType: String) async throws {
        let answer = try await push(Array("{}".utf8), headers: ["Content-Type": mediaType])
        expectProblem(answer, 415, "unsupported-media-type")
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
            #expect(results[1].object?["problem"]?.object?["status"] == 413)
        }
    }

    @Test(arguments: [
        ("GET", "/v1/nothing", 404, nil), ("GET", "/v1/spaces/%FF/changes", 404, nil),
        ("PATCH", "/v1/accounts", 405, "POST"), ("OPTIONS", "/healthz", 405, "GET, HEAD"),
        ("DELETE", "/v1/spaces/s/changes", 405, "GET, HEAD, POST"),
        ("POST", "/v1/spaces/s/records/tasks/x", 405, "GET, HEAD, PUT, PATCH, DELETE"),
        ("POST", "/v1/accounts", 415, nil),
    ])
    func aWrongPathMethodOrMediaTypeIsRefused(
        _ method: String, _ path: String, _ status: Int, _ allowed: String?
    ) async throws {
        let server = try InProcessServer()
        try await server.withSocket { url in
            let device = WireDevice(send: Curl(baseURL: url).send)
            let answer = try await device.call(method, path)
            #expect(answer.status == status)
            #expect(answer.header("Allow") == allowed)
        }
    }

    @Test func anIDWithASlashInAPathIsRefused() async throws {
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
            expectProblem(answer, 401, "token-missing")
        }
    }

    @Test func aRequestsIDIsTheServersOwn() async throws {
        let device = WireDevice(try InProcessServer())
        var ids: [String?] = []
        for _ in 0..<2 {
            let answer = try await device.call("GET", "/healthz", headers: ["X-Request-ID": "my-id"])
            ids.append(answer.header("X-Request-ID"))
        }
        #expect(ids.allSatisfy { $0 != nil && $0 != "my-id" })
        #expect(ids[0] != ids[1])
    }
}

/// Checks that an answer is a problem document with this status and this code.
private func expectProblem(
    _ answer: WireDevice.Answer, _ status: Int, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, sourceLocation: sourceLocation)
    #expect(answer["code"] == .string(code), sourceLocation: sourceLocation)
    #expect(answer["status"] == .integer(Int64(status)), sourceLocation: sourceLocation)
    #expect(answer["title"].string?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(answer["requestID"].string?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(answer["type"].string != nil, sourceLocation: sourceLocation)
}

/// Invalid requests of a signed-in device, without a socket.
@Suite struct InvalidRequestTests {
    /// Runs `test` with a signed-in device. Afterwards the server must answer, store no record and have logged no
    /// error.
    private func withDevice(_ test: (WireDevice) async throws -> Void) async throws {
        let flag = ErrorFlag()
        let server = try InProcessServer { line in
            if line.contains("level=error") { flag.isRaised.store(true, ordering: .relaxed) }
        }
        var device = WireDevice(server)
        try await device.register()
        try await test(device)
        #expect(try await device.call("GET", "/healthz").status == 200)
        #expect(try await device.pull()["records"] == [])
        let hasLoggedError = flag.isRaised.load(ordering: .relaxed)
        #expect(!hasLoggedError)
    }

    /// Whether the server has logged an error.
    private final class ErrorFlag: Sendable {
        let isRaised = Atomic(false)
    }

    private func push(_ body: String, of device: WireDevice) async throws -> WireDevice.Answer {
        try await device.call(
            "POST", AuthenticatedRoute.pushChanges(space: device.space).path, bytes: Array(body.utf8),
            headers: [Header.idempotencyKey: WireDevice.key("k")])
    }

    /// Returns the text of a mutation in which some members have other values. An empty value removes its member.
    private static func mutation(_ changes: [String: String] = [:]) -> String {
        let usual = [
            "collection": #""tasks""#, "id": #""a""#, "base": "0", "at": #""019350000000-0000-tester""#,
            "set": #"{"title":"x"}"#,
        ]
        let members = usual.merging(changes) { $1 }.filter { !$0.value.isEmpty }
        return "{" + members.map { "\"\($0.key)\":\($0.value)" }.sorted().joined(separator: ",") + "}"
    }

    private static func body(_ mutations: [String], more: String = "") -> String {
        "{\"mutations\":[" + mutations.joined(separator: ",") + "]" + more + "}"
    }

    // MARK: Bodies

    @Test func anEmptyBodyIsRefused() async throws {
        try await withDevice { device in
            expectProblem(try await push("", of: device), 400, "invalid-json")
        }
    }

    private static let wrongShapes: [(String, String)] = [
        ("[]", ""), (#""x""#, ""), ("{}", "/mutations"), (#"{"mutations":{}}"#, "/mutations"),
        (#"{"mutations":[7]}"#, "/mutations/0"), (body([mutation(["id": "5"])]), "/mutations/0/id"),
        (body([mutation(["base": "-1"])]), "/mutations/0/base"),
        (body([mutation(["base": "1.5"])]), "/mutations/0/base"),
        (body([mutation(["at": #""yesterday""#])]), "/mutations/0/at"),
        (body([mutation(["at": ""])]), "/mutations/0/at"), (body([mutation(["delete": "true"])]), "/mutations/0"),
        (body([mutation(["set": ""])]), "/mutations/0"), (body([mutation(["set": "[1]"])]), "/mutations/0/set"),
        (body([mutation(), mutation()]), "/mutations"), (body([mutation(["base": "7"])]), "/since"),
        (body([], more: #","since":5"#), "/since"),
    ]

    @Test(arguments: wrongShapes)
    func aBodyOfTheWrongShapeIsRefusedWithThePlace(_ body: String, _ pointer: String) async throws {
        try await withDevice { device in
            let answer = try await push(body, of: device)
            expectProblem(answer, 422, "invalid-body")
            let errors = answer["errors"].array ?? []
            #expect(errors.contains { $0.object?["pointer"] == .string(pointer) })
            #expect(errors.allSatisfy { $0.object?["detail"]?.string?.isEmpty == false })
        }
    }

    @Test func aPushHasAtMost1000Mutations() async throws {
        try await withDevice { device in
            let mutations = (0...1_000).map { Self.mutation(["id": "\"r\($0)\""]) }
            let answer = try await push(Self.body(mutations), of: device)
            expectProblem(answer, 422, "invalid-body")
            #expect(answer["errors"].array?.first?.object?["pointer"] == "/mutations")
        }
    }

    @Test(arguments: [
        ("tasks", "a/b"), ("tasks", ""), ("tasks", String(repeating: "x", count: 65)), ("tasks", "naïve"),
        ("tasks", "../../etc/passwd"), ("tasks", "a b"), ("Tasks", "a"), ("", "a"),
        (String(repeating: "t", count: 65), "a"), ("a/b", "a"),
    ])
    func aMutationOfARecordWithABadNameIsRejectedAloneAndTheRestIsApplied(
        _ collection: String, _ id: String
    ) async throws {
        try await withDevice { device in
            let bad = Self.mutation(["collection": "\"\(collection)\"", "id": "\"\(id)\""])
            let answer = try await push(Self.body([bad, Self.mutation(["id": #""good""#])]), of: device)
            let results = answer["results"].array ?? []
            try #require(results.count == 2)
            #expect(results.map { $0.object?["status"] } == ["rejected", "applied"])
            #expect(results[0].object?["problem"]?.object?["code"] == "invalid-request")
            let version = try #require(results[1].object?["version"]?.integer)
            // The check after the test expects a space without records.
            let path = AuthenticatedRoute.deleteRecord(space: device.space, collection: "tasks", id: "good").path
            #expect(try await device.call("DELETE", path, headers: ["If-Match": "\"\(version)\""]).status == 204)
        }
    }

    @Test(arguments: ["a/b", " ", String(repeating: "x", count: 65)])
    func aBadIDInAPathIsRefused(_ id: String) async throws {
        try await withDevice { device in
            let path = AuthenticatedRoute.replaceRecord(space: device.space, collection: "tasks", id: id).path
            let answer = try await device.call("PUT", path, body: ["fields": [:]], headers: ["If-None-Match": "*"])
            expectProblem(answer, 422, "invalid-request")
        }
    }

    @Test func anIdempotencyKeyThatIsNoUUIDIsRefused() async throws {
        try await withDevice { device in
            let answer = try await device.call(
                "POST", AuthenticatedRoute.pushChanges(space: device.space).path, body: ["mutations": []],
                headers: [Header.idempotencyKey: "a-key-of-my-own"])
            expectProblem(answer, 400, "invalid-request")
        }
    }

    @Test(arguments: [
        #"{"username":"","password":"long enough","device":{"name":"x"}}"#,
        #"{"username":"a/b","password":"long enough","device":{"name":"x"}}"#,
        #"{"username":"\#(String(repeating: "x", count: 300))","password":"long enough","device":{"name":"x"}}"#,
        #"{"username":"ada","password":"short","device":{"name":"x"}}"#,
        #"{"username":"ada","password":"\#(String(repeating: "x", count: 1_025))","device":{"name":"x"}}"#,
        #"{"username":"ada","password":"long enough"}"#,
        #"{"username":["ada"],"password":"long enough","device":{"name":"x"}}"#,
    ])
    func aRegistrationWithAnInvalidNameOrPasswordCreatesNothing(_ body: String) async throws {
        try await withDevice { device in
            expectProblem(
                try await device.call("POST", "/v1/accounts", bytes: Array(body.utf8)), 422, "invalid-body")
            var other = device
            #expect(try await other.logIn("ada", password: "long enough")["code"] == "invalid-credentials")
            #expect(try await device.call("GET", "/v1/")["registration"] == "open")
        }
    }

    // MARK: Authorisation

    @Test func nothingOfABodyIsReadForAnInvalidTokenOrAnotherSpace() async throws {
        try await withDevice { device in
            let large = [UInt8](repeating: UInt8(ascii: "{"), count: Limits.bodyBytes + 1)
            let own = AuthenticatedRoute.pushChanges(space: device.space).path
            let headers = ["Authorization": "Bearer made-up"]
            expectProblem(
                try await device.call("POST", own, bytes: large, headers: headers), 401, "token-invalid")
            let other = AuthenticatedRoute.pushChanges(space: "another").path
            expectProblem(try await device.call("POST", other, bytes: large), 404, "not-found")
        }
    }

    @Test func theRefusalWithoutATokenNamesTheScheme() async throws {
        let answer = try await WireDevice(try InProcessServer()).call("GET", "/v1/account")
        expectProblem(answer, 401, "token-missing")
        #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
    }

    // MARK: Addresses

    @Test(arguments: ["made-up", "%00", "AAAA", String(repeating: "9", count: 5_000), "%ff", "..", "e30="])
    func anInvalidCursorIsRefused(_ cursor: String) async throws {
        try await withDevice { device in
            expectProblem(try await device.pull(since: cursor), 400, "invalid-cursor")
        }
    }

    @Test func anInvalidCursorInAPushIsRefused() async throws {
        try await withDevice { device in
            let body = Self.body([Self.mutation()], more: #","since":"made-up""#)
            expectProblem(try await push(body, of: device), 400, "invalid-cursor")
        }
    }

    @Test func aCursorOfAnotherDatabaseIsRefused() async throws {
        var elsewhere = WireDevice(try InProcessServer())
        try await elsewhere.register()
        let cursor = try #require(try await elsewhere.pull()["cursor"].string)
        try await withDevice { device in
            expectProblem(try await device.pull(since: cursor), 410, "epoch-changed")
            let body = Self.body([Self.mutation()], more: ",\"since\":\"\(cursor)\"")
            expectProblem(try await push(body, of: device), 410, "epoch-changed")
        }
    }

    @Test(arguments: [
        "/", "/v2/", "/v1/nothing", "/v1/spaces/x", "/%", "/v1/%ff", "/v1//account", "/etc/passwd",
    ])
    func anUnknownPathIsNotFound(_ path: String) async throws {
        try await withDevice { device in expectProblem(try await device.call("GET", path), 404, "not-found") }
    }

    @Test func aWrongMethodIsRefusedWithTheAllowedOnes() async throws {
        try await withDevice { device in
            let path = AuthenticatedRoute.pullChanges(space: device.space).path
            let answer = try await device.call("PUT", path, body: [:])
            expectProblem(answer, 405, "method-not-allowed")
            let allowed = answer.header("Allow")?.split(separator: ",").map { $0.filter { $0 != " " } } ?? []
            #expect(Set(allowed) == ["GET", "HEAD", "POST"])
        }
    }
}
