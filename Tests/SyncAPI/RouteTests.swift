import SyncAPI
import Testing

@Suite("Routes")
struct RouteTests {
    @Test("a path part is percent-encoded, so that no id can lead elsewhere")
    func encoding() {
        #expect(AuthenticatedRoute.revokeDevice(id: "a/../b").path == "/v1/devices/a%2F..%2Fb")
        #expect(AuthenticatedRoute.pullChanges(space: "é ?#").path == "/v1/spaces/%C3%A9%20%3F%23/changes")
        #expect(
            AuthenticatedRoute.readRecord(space: "s", collection: "tasks", id: "A_z-9.~").path
                == "/v1/spaces/s/records/tasks/A_z-9.~")
        #expect(AuthenticatedRoute.revokeDevice(id: "\t").path == "/v1/devices/%09")
    }

    @Test(
        "an open endpoint has a method and a path",
        arguments: [
            (OpenRoute.capabilities, "GET", "/v1/"), (.health, "GET", "/healthz"), (.readiness, "GET", "/readyz"),
            (.register, "POST", "/v1/accounts"), (.logIn, "POST", "/v1/sessions"),
            (.refresh, "POST", "/v1/sessions/refresh"),
        ])
    func openEndpoints(route: OpenRoute, method: String, path: String) {
        #expect(route.method == method)
        #expect(route.path == path)
    }

    @Test(
        "an authenticated endpoint has a method and a path",
        arguments: [
            (AuthenticatedRoute.logOut, "DELETE", "/v1/sessions/current"),
            (.account, "GET", "/v1/account"), (.changePassword, "PUT", "/v1/account/password"),
            (.deleteAccount, "POST", "/v1/account/deletion"), (.devices, "GET", "/v1/devices"),
            (.revokeDevice(id: "d"), "DELETE", "/v1/devices/d"), (.events, "GET", "/v1/events"),
            (.spaces, "GET", "/v1/spaces"),
            (.pullChanges(space: "s"), "GET", "/v1/spaces/s/changes"),
            (.pushChanges(space: "s"), "POST", "/v1/spaces/s/changes"),
            (.records(space: "s", collection: "c"), "GET", "/v1/spaces/s/records/c"),
            (.readRecord(space: "s", collection: "c", id: "i"), "GET", "/v1/spaces/s/records/c/i"),
            (.replaceRecord(space: "s", collection: "c", id: "i"), "PUT", "/v1/spaces/s/records/c/i"),
            (.patchRecord(space: "s", collection: "c", id: "i"), "PATCH", "/v1/spaces/s/records/c/i"),
            (.deleteRecord(space: "s", collection: "c", id: "i"), "DELETE", "/v1/spaces/s/records/c/i"),
            (.revisions(space: "s", collection: "c", id: "i"), "GET", "/v1/spaces/s/records/c/i/revisions"),
        ])
    func authenticatedEndpoints(route: AuthenticatedRoute, method: String, path: String) {
        #expect(route.method == method)
        #expect(route.path == path)
    }
}
