import Records
import ServerCore
import SyncAPI
import Testing
import TestSupport

/// Every row of the protocol's tables (SyncAPI.docc/Protocol.md), over a real socket.
@Suite struct EndpointTests {
    /// Runs `body` with a device that is signed in.
    private func withDevice(
        _ body: @Sendable (_ server: InProcessServer, _ device: WireDevice) async throws -> Void
    ) async throws {
        let server = try InProcessServer()
        try await server.withSocket { url in
            var device = WireDevice(id: "laptop", send: Curl(baseURL: url).send)
            #expect(try await device.register().status == 201)
            try await body(server, device)
        }
    }

    private static func record(_ device: WireDevice, _ id: String) -> String {
        AuthenticatedRoute.readRecord(space: device.space, collection: "tasks", id: id).path
    }

    // MARK: Without a token

    @Test func whatNeedsNoToken() async throws {
        try await withDevice { _, device in
            var signedOut = device
            signedOut.accessToken = nil
            let root = try await signedOut.call("GET", "/v1/")
            #expect(root.status == 200)
            #expect(root["protocols"] == [1])
            #expect(root["registration"] == "open")
            #expect(root["limits"].object?["mutations"] == 1_000)
            #expect(try await signedOut.call("GET", "/v1/openapi.json").json == OpenAPI.document(limits: .standard))
            #expect(try await signedOut.call("GET", "/healthz")["status"] == "ok")
            #expect(try await signedOut.call("GET", "/readyz")["status"] == "ready")
        }
    }

    @Test(arguments: [
        AuthenticatedRoute.logOut, .account, .changePassword, .deleteAccount, .devices, .revokeDevice(id: "d"), .spaces,
        .events,
        .revisions(space: "s", collection: "c", id: "i"),
        .pullChanges(space: "s"), .pushChanges(space: "s"), .records(space: "s", collection: "c"),
        .readRecord(space: "s", collection: "c", id: "i"), .replaceRecord(space: "s", collection: "c", id: "i"),
        .patchRecord(space: "s", collection: "c", id: "i"), .deleteRecord(space: "s", collection: "c", id: "i"),
    ])
    func everythingElseNeedsOne(_ route: AuthenticatedRoute) async throws {
        let device = WireDevice(try InProcessServer())
        let answer = try await device.call(route.method, route.path, bytes: Array("not json".utf8))
        #expect(answer.status == 401)
        #expect(answer["code"] == "token-missing")
        #expect(answer.header("WWW-Authenticate") == "Bearer")
    }

    // MARK: Accounts, sessions, devices

    @Test func accountsSessionsAndDevices() async throws {
        try await withDevice { server, device in try await Self.walk(device, WireDevice(id: "phone", server)) }
    }

    private static func walk(_ device: WireDevice, _ phone: WireDevice) async throws {
        var phone = phone
        #expect(try await phone.register().status == 409)
        #expect(try await phone.logIn().status == 201)
        #expect(try await phone.refresh().status == 200)
        #expect(try await device.call("GET", "/v1/account")["account"].object?["username"] == "anna")
        #expect(try await device.call("GET", "/v1/devices")["devices"].array?.count == 2)
        #expect(try await device.call("DELETE", "/v1/devices/phone").status == 204)
        let change: JSONValue = ["currentPassword": "correct horse", "newPassword": "battery staple"]
        #expect(try await device.call("PUT", "/v1/account/password", body: change).status == 204)
        #expect(try await device.call("GET", "/v1/spaces")["spaces"].array?.first?.object?["role"] == "owner")
        #expect(try await phone.logIn(password: "battery staple").status == 201)
        #expect(try await phone.call("DELETE", "/v1/sessions/current").status == 204)
        let deletion: JSONValue = ["password": "battery staple"]
        #expect(try await device.call("POST", "/v1/account/deletion", body: deletion).status == 204)
        #expect(try await device.call("GET", "/v1/account").status == 401)
    }

    // MARK: Changes

    @Test func changes() async throws {
        try await withDevice { _, device in
            let mutation: JSONValue = [
                "collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-laptop",
                "set": ["title": "Käse 🧀", "n": 1],
            ]
            #expect(try await device.push([mutation], key: "k").status == 200)
            let page = try await device.pull()
            #expect(page["records"].array?.first?.object?["fields"] == ["title": "Käse 🧀", "n": 1])
            #expect(try await device.pull(since: page["cursor"].string)["records"] == [])
        }
    }

    @Test func aLargeAnswerIsCompressedIfTheClientAcceptsIt() async throws {
        try await withDevice { _, device in
            let mutation: JSONValue = [
                "collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-laptop",
                "set": ["text": .string(String(repeating: "long ", count: 1_000))],
            ]
            _ = try await device.push([mutation], key: "k")
            let path = AuthenticatedRoute.pullChanges(space: device.space).path
            // `--compressed` makes curl decompress the body, so that it is parsed as JSON.
            let answer = try await device.call("GET", path, headers: ["X-Curl": "--compressed"])
            #expect(answer.header("Content-Encoding") == "gzip")
            #expect(answer["records"].array?.count == 1)
        }
    }

    // MARK: Plain REST

    @Test func aRecordByPlainREST() async throws {
        try await withDevice { _, device in
            let path = Self.record(device, "a")
            let body: JSONValue = ["fields": ["title": "one", "n": 1]]
            #expect(try await device.call("PUT", path, body: body).status == 428)
            let created = try await device.call("PUT", path, body: body, headers: ["If-None-Match": "*"])
            #expect(created.status == 201)
            #expect(created.header("ETag") == "\"1\"")
            let twice = try await device.call("PUT", path, body: body, headers: ["If-None-Match": "*"])
            #expect(twice.status == 412)
            #expect(twice["code"] == "version-conflict")
            #expect(twice["current"].object?["version"] == 1)

            let read = try await device.call("GET", path)
            #expect(read["fields"] == ["title": "one", "n": 1])
            #expect(try await device.call("GET", path, headers: ["If-None-Match": "\"1\""]).status == 304)

            let patch = try await device.call(
                "PATCH", path, body: ["fields": ["n": .null, "due": "today"]],
                headers: ["If-Match": "\"1\"", "Content-Type": "application/merge-patch+json"])
            #expect(patch.status == 200)
            #expect(patch["fields"] == ["title": "one", "due": "today"])
            #expect(patch.header("ETag") == "\"2\"")
            #expect(patch["clock"].object?.sortedNames == ["*", "due"])

            let same = try await device.call("PUT", path, body: patch.json, headers: ["If-Match": "\"2\""])
            #expect(same.header("ETag") == "\"2\"")
            let stale = try await device.call("DELETE", path, headers: ["If-Match": "\"1\""])
            #expect(stale.status == 412)
            #expect(stale["detail"].string?.contains("has changed since") == true)
            #expect(try await device.call("DELETE", path, headers: ["If-Match": "\"2\""]).status == 204)
            #expect(try await device.call("GET", path).status == 404)
            for (missing, tag) in [(path, "\"3\""), (Self.record(device, "never"), "\"1\""), (path, "*")] {
                let refused = try await device.call("PUT", missing, body: body, headers: ["If-Match": tag])
                #expect(refused.status == 412)
                #expect(refused["current"] == .null)
                #expect(refused["detail"].string?.hasPrefix("there is no such record") == true)
            }
            let again = try await device.call("PUT", path, body: body, headers: ["If-None-Match": "*"])
            #expect(again.status == 201)
            #expect(again.header("ETag") == "\"4\"")
        }
    }

    @Test func aFieldThatAPutSetsToNullIsRemoved() async throws {
        try await withDevice { _, device in
            let path = Self.record(device, "a")
            let body: JSONValue = ["fields": ["title": "one", "due": .null]]
            let created = try await device.call("PUT", path, body: body, headers: ["If-None-Match": "*"])
            #expect(created["fields"] == ["title": "one"])
            let same = try await device.call("PUT", path, body: body, headers: ["If-Match": "\"1\""])
            #expect(same.status == 200)
            #expect(same["version"] == 1)
        }
    }

    @Test func recordsAreListedInPages() async throws {
        try await withDevice { _, device in
            for id in ["c", "a", "b"] {
                _ = try await device.call(
                    "PUT", Self.record(device, id), body: ["fields": [:]], headers: ["If-None-Match": "*"])
            }
            let path = AuthenticatedRoute.records(space: device.space, collection: "tasks").path
            let first = try await device.call("GET", path + "?limit=2")
            #expect(first["records"].array?.compactMap { $0.object?["id"]?.string } == ["a", "b"])
            #expect(first["more"] == true)
            let second = try await device.call("GET", path + "?limit=2&after=b")
            #expect(second["records"].array?.compactMap { $0.object?["id"]?.string } == ["c"])
            #expect(second["more"] == false)
        }
    }
}
