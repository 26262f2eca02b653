import SyncAPI
import Testing

@Suite("Routes")
struct RouteTests {
    @Test("a path part is percent-encoded, so that no id can lead elsewhere")
    func encoding() {
        #expect(Route.revokeDevice(id: "a/../b").path == "/v1/devices/a%2F..%2Fb")
        #expect(Route.pullChanges(space: "é ?#").path == "/v1/spaces/%C3%A9%20%3F%23/changes")
        #expect(
            Route.readRecord(space: "s", collection: "tasks", id: "A_z-9.~").path
                == "/v1/spaces/s/records/tasks/A_z-9.~")
        #expect(Route.revokeDevice(id: "\t").path == "/v1/devices/%09")
    }

    @Test(
        "an endpoint has its method, and needs a token or not",
        arguments: [
            (Route.capabilities, "GET", "/v1/", false), (.health, "GET", "/healthz", false),
            (.readiness, "GET", "/readyz", false),
            (.register, "POST", "/v1/accounts", false), (.logIn, "POST", "/v1/sessions", false),
            (.refresh, "POST", "/v1/sessions/refresh", false), (.logOut, "DELETE", "/v1/sessions/current", true),
            (.account, "GET", "/v1/account", true), (.changePassword, "PUT", "/v1/account/password", true),
            (.deleteAccount, "POST", "/v1/account/deletion", true), (.devices, "GET", "/v1/devices", true),
            (.revokeDevice(id: "d"), "DELETE", "/v1/devices/d", true), (.spaces, "GET", "/v1/spaces", true),
            (.pullChanges(space: "s"), "GET", "/v1/spaces/s/changes", true),
            (.pushChanges(space: "s"), "POST", "/v1/spaces/s/changes", true),
            (.records(space: "s", collection: "c"), "GET", "/v1/spaces/s/records/c", true),
            (.readRecord(space: "s", collection: "c", id: "i"), "GET", "/v1/spaces/s/records/c/i", true),
            (.revisions(space: "s", collection: "c", id: "i"), "GET", "/v1/spaces/s/records/c/i/revisions", true),
            (.events, "GET", "/v1/events", true),
            (.replaceRecord(space: "s", collection: "c", id: "i"), "PUT", "/v1/spaces/s/records/c/i", true),
            (.patchRecord(space: "s", collection: "c", id: "i"), "PATCH", "/v1/spaces/s/records/c/i", true),
            (.deleteRecord(space: "s", collection: "c", id: "i"), "DELETE", "/v1/spaces/s/records/c/i", true),
        ])
    func endpoints(route: Route, method: String, path: String, needsToken: Bool) {
        #expect(route.method == method)
        #expect(route.path == path)
        #expect(route.needsToken == needsToken)
    }
}
