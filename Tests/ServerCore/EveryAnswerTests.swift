import Logging
import NIOConcurrencyHelpers
import Records
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

/// The rules for every request and every answer, whatever the endpoint.
@Suite struct EveryAnswerTests {
    let server: InProcessServer
    var device: WireDevice

    init() async throws {
        server = try InProcessServer()
        device = WireDevice(server)
        try await device.register()
    }

    private var record: String { AuthenticatedRoute.readRecord(space: device.space, collection: "tasks", id: "a").path }

    @Test func everyAnswerForbidsCachingAndGuessingItsMediaTypeAndUsingItAsAPage() async throws {
        let put = try await device.call("PUT", record, body: ["fields": [:]], headers: ["If-None-Match": "*"])
        let answers: [(status: Int, answer: WireDevice.Answer)] = [
            (201, put), (200, try await device.call("GET", record)),
            (304, try await device.call("GET", record, headers: ["If-None-Match": "*"])),
            (200, try await device.pull()), (200, try await device.call("GET", "/v1/")),
            (200, try await device.call("GET", "/healthz")),
            (200, try await device.call("GET", AuthenticatedRoute.events.path)),
            (204, try await device.call("DELETE", record, headers: ["If-Match": "*"])),
            (400, try await device.call("POST", "/v1/sessions", bytes: [0])),
            (400, try await device.call("GET", "/healthz", headers: ["Host": ""])),
            (401, try await device.call("GET", "/v1/account", headers: ["Authorization": "Bearer none"])),
            (404, try await device.call("GET", "/nothing")), (405, try await device.call("OPTIONS", "/healthz")),
            (428, try await device.call("PUT", record, body: ["fields": [:]])),
        ]
        for (status, answer) in answers {
            #expect(answer.status == status)
            #expect(answer.headers(named: "Cache-Control") == ["no-store"], "\(status)")
            #expect(answer.headers(named: "X-Content-Type-Options") == ["nosniff"], "\(status)")
            #expect(
                answer.headers(named: "Content-Security-Policy") == ["default-src 'none'; frame-ancestors 'none'"],
                "\(status)")
            #expect(answer.headers(named: "Strict-Transport-Security") == [], "\(status)")
        }
    }

    @Test func withTLSEveryAnswerForbidsPlainHTTP() async {
        var server = server.server
        server.isSecure = true
        for path in ["/healthz", "/v1/account", "/nothing"] {
            let answer = await server.answer(
                ServerRequest(method: "GET", target: path, headers: [("Host", "server.test")]))
            #expect(answer.header("Strict-Transport-Security") == "max-age=31536000; includeSubDomains", "\(path)")
        }
    }

    /// They are part of each answer, also of those that change one record, whose body is shorter.
    @Test(arguments: [(false, 127), (true, 191)])
    func theHeadersOfEveryAnswerAreShort(_ isSecure: Bool, _ bytes: Int) {
        let lines = ServerAnswer.commonHeaders(isSecure: isSecure).map { "\($0.name): \($0.value)\r\n" }
        #expect(lines.joined().utf8.count == bytes)
    }

    @Test(arguments: ["/healthz", "/v1/", "/v1/account", "/v1/spaces", "/v1/nothing"])
    func theAnswerToHEADIsThatToGETWithoutItsBody(_ path: String) async {
        func answer(_ method: String) async -> ServerAnswer {
            await server.server.answer(
                ServerRequest(
                    method: method, target: path,
                    headers: [
                        ("Host", "a.test"), ("Authorization", "Bearer \(device.accessToken ?? "")"),
                    ]))
        }
        let (get, head) = (await answer("GET"), await answer("HEAD"))
        #expect(head.status == get.status)
        #expect(head.body.isEmpty)
        #expect(head.header("Content-Length") == "\(get.body.count)")
        // Each request has an id of its own.
        func values(_ answer: ServerAnswer) -> [String] {
            answer.headers.filter { !["Content-Length", "X-Request-ID"].contains($0.name) }.map(\.value)
        }
        #expect(values(head) == values(get))
    }

    @Test func aHEADOfTheEventsOpensNoStream() async throws {
        let answer = try await device.call("HEAD", AuthenticatedRoute.events.path)
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/event-stream")
        #expect(try await device.call("HEAD", "/v1/accounts").status == 405)
    }

    @Test(arguments: ["limit", "before"])
    func aNumberOfAQueryIsDigitsAndHasABound(_ name: String) async throws {
        try #require(
            await device.call("PUT", record, body: ["fields": [:]], headers: ["If-None-Match": "*"]).status == 201)
        let path = record + "/revisions?\(name)="
        for number in ["1", "007", "9007199254740991"] {
            #expect(try await device.call("GET", path + number).status == 200, "\(number)")
        }
        for text in ["+1", "-1", "1.0", "", "x", "9007199254740992", "482618274818480002621759291392"] {
            let answer = try await device.call("GET", path + text)
            #expect(answer.status == 400, "\(text)")
            #expect(answer["code"] == "invalid-request", "\(text)")
        }
    }

    @Test(arguments: [[], ["a.test", "b.test"], ["a.test", "a.test"], [""], ["a b"], ["a.test/"], ["user@a.test"]])
    func aRequestNamesItsHostOnce(_ hosts: [String]) async {
        let request = ServerRequest(method: "GET", target: "/healthz", headers: hosts.map { ("Host", $0) })
        let answer = await server.server.answer(request)
        #expect(answer.status == 400)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("Host header"))
    }

    @Test(arguments: ["a.test", "127.0.0.1:8280", "[::1]:8280", "a_b-c.test"])
    func aHostIsANameOrAnAddressAndMayHaveAPort(_ host: String) async {
        let request = ServerRequest(method: "GET", target: "/healthz", headers: [("host", host)])
        #expect(await server.server.answer(request).status == 200)
    }

    @Test(arguments: ["PUT", "PATCH", "DELETE"], ["If-Match", "If-None-Match"])
    func aWriteWithAnInvalidPreconditionIsRefused(_ method: String, _ header: String) async throws {
        try #require(
            await device.call("PUT", record, body: ["fields": ["n": 1]], headers: ["If-None-Match": "*"]).status == 201)
        let media = method == "PATCH" ? "application/merge-patch+json" : "application/json"
        for value in ["garbage", "", "1"] {
            let answer = try await device.call(
                method, record, body: ["fields": ["n": 2]], headers: [header: value, "Content-Type": media])
            #expect(answer.status == 400)
            #expect(answer["code"] == "invalid-request")
        }
        #expect(try await device.call("GET", record)["fields"] == ["n": 1])
    }

    @Test func severalLinesOfOnePreconditionAreOneList() async throws {
        let put = try await device.call("PUT", record, body: ["fields": ["n": 1]], headers: ["If-None-Match": "*"])
        let tag = try #require(put.header("ETag"))
        func answer(_ tags: [String]) async -> Int {
            let headers = [
                (name: "Host", value: "server.test"), ("Authorization", "Bearer \(device.accessToken ?? "")"),
            ]
            let request = ServerRequest(
                method: "GET", target: record, headers: headers + tags.map { ("If-None-Match", $0) })
            return await server.server.answer(request).status
        }
        #expect(await answer(["\"0\"", tag]) == 304)
        #expect(await answer(["\"0\"", "\"0\""]) == 200)
        #expect(await answer(["\"0\"", "x"]) == 400)
    }
}

extension WireDevice.Answer {
    fileprivate func headers(named name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

@Suite struct CompressionTests {
    private let large = ServerAnswer.json([UInt8](repeating: UInt8(ascii: "x"), count: 100_000))

    private func request(_ encodings: String?) -> ServerRequest {
        ServerRequest(method: "GET", target: "/", headers: encodings.map { [("Accept-Encoding", $0)] } ?? [])
    }

    @Test(arguments: [
        ("gzip", true), ("deflate, gzip;q=0.5", true), ("br, *", true), ("GZIP", true), ("gzip;q=0", false),
        ("*, gzip; q=0.0", false), ("br", false), ("", false),
    ])
    func gzipIsUsedIfItIsAccepted(_ encodings: String, _ accepted: Bool) {
        let answer = large.compressed(for: request(encodings))
        #expect((answer.header("Content-Encoding") == "gzip") == accepted)
        #expect((answer.body.count < large.body.count) == accepted)
        #expect(answer.header("Vary") == "Accept-Encoding")
    }

    @Test func theOpenAPIDocumentIsBuiltOnce() {
        let builds = NIOLockedValueBox(0)
        let document = ServedDocument {
            builds.withLockedValue { $0 += 1 }
            return .string(String(repeating: "x", count: 10_000))
        }
        for _ in 0..<2 {
            #expect(document.answer(to: request("gzip")).header("Content-Encoding") == "gzip")
            #expect(document.answer(to: request(nil)).body.count == 10_002)
        }
        #expect(builds.withLockedValue { $0 } == 1)
    }

    @Test func aBodyThatIsCompressedIsNotCompressedAgain() {
        let answer = large.compressed(for: request("gzip"))
        #expect(answer.compressed(for: request("gzip")).body == answer.body)
        #expect(answer.compressed(for: request("gzip")).headers.count == answer.headers.count)
    }

    @Test func aShortBodyIsUnchanged() {
        let answer = ServerAnswer.json([UInt8](repeating: 0x20, count: 1_024))
        #expect(answer.compressed(for: request("gzip")).body == answer.body)
    }

    @Test func aBodyWithAnEntityTagIsUnchanged() {
        var answer = large
        answer.headers.append(("ETag", "\"1\""))
        #expect(answer.compressed(for: request("gzip")).header("Content-Encoding") == nil)
    }

    @Test func incompressibleBytesAreSentUnchanged() {
        let bytes = ServerEnvironment.live.randomBytes(10_000)
        let answer = ServerAnswer.json(bytes).compressed(for: request("gzip"))
        #expect(answer.header("Content-Encoding") == nil)
        #expect(answer.body == bytes)
    }
}
