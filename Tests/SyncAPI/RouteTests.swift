import Foundation
import Testing

@testable import SyncAPI

@Suite("Routes")
struct RouteTests {
    @Test("a path part is percent-encoded, so that no id changes the path")
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

@Suite struct RouteMatchingTests {
    static let open: [OpenRoute] = [.capabilities, .health, .readiness, .register, .logIn, .refresh]
    static let authenticated: [AuthenticatedRoute] = [
        .logOut, .account, .changePassword,
        .deleteAccount, .devices, .revokeDevice(id: "a b/é"), .spaces, .pullChanges(space: "s/1"),
        .pushChanges(space: "s"), .records(space: "s", collection: "tasks"),
        .readRecord(space: "s", collection: "tasks", id: "a/b"), .replaceRecord(space: "s", collection: "c", id: "%"),
        .events, .revisions(space: "s", collection: "tasks", id: "x"),
        .patchRecord(space: "s", collection: "tasks", id: "x"), .deleteRecord(space: "s", collection: "tasks", id: "x"),
    ]

    @Test(arguments: open)
    func anOpenRouteIsFoundByItsMethodAndPath(_ route: OpenRoute) {
        #expect(OpenRoute.table.route(method: route.method, path: route.path) == route)
        #expect(OpenRoute.table.methods(path: route.path).contains(route.method))
    }

    @Test(arguments: authenticated)
    func anAuthenticatedRouteIsFoundByItsMethodAndPath(_ route: AuthenticatedRoute) {
        #expect(AuthenticatedRoute.table.route(method: route.method, path: route.path) == route)
        #expect(AuthenticatedRoute.table.methods(path: route.path).contains(route.method))
    }

    /// The compiler asks for the method and path of a new case, but only this test for its line in the table.
    @Test func theTablesHaveALineForEachCase() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/SyncAPI/Routes/Routes.swift").standardizedFileURL
        let cases = try String(contentsOf: file, encoding: .utf8).matches(
            of: /^    case (\w+)/.anchorsMatchLineEndings()
        ).map { String($0.1) }
        let parts = Array(repeating: "x", count: RouteTable<OpenRoute>.variableParts)
        let made =
            OpenRoute.table.makers.map { "\($0(parts))" } + AuthenticatedRoute.table.makers.map { "\($0(parts))" }
        #expect(cases.sorted() == made.map { String($0.prefix { $0 != "(" }) }.sorted())
    }

    @Test(arguments: [
        "", "v1/", "/v2/", "/v1/nothing", "/v1/spaces/s/changes/", "/v1/spaces/%ZZ/changes", "/healthz/x",
    ])
    func anUnknownPathHasNoMethods(_ path: String) {
        #expect(OpenRoute.table.methods(path: path).isEmpty)
        #expect(AuthenticatedRoute.table.methods(path: path).isEmpty)
    }

    @Test func aPathHasTheMethodsOfItsRoutes() {
        #expect(AuthenticatedRoute.table.methods(path: "/v1/spaces/s/changes") == ["GET", "POST"])
        #expect(
            AuthenticatedRoute.table.methods(path: "/v1/spaces/s/records/tasks/x") == ["GET", "PUT", "PATCH", "DELETE"])
        #expect(OpenRoute.table.route(method: "get", path: "/healthz") == nil)
    }

    /// An endpoint of an extension, whose path omits one of its parts.
    private enum Careless: Endpoint, Equatable {
        case pair(String, String)
        var request: RequestLine {
            switch self {
            case .pair(let first, _): .get("/own/pairs/\(first)")
            }
        }
        static let table = RouteTable<Self>([{ .pair($0[0], $0[1]) }])
    }

    @Test func aPartThatThePathDoesNotHaveIsEmpty() {
        #expect(Careless.table.route(method: "GET", path: "/own/pairs/a%20b") == .pair("a b", ""))
        #expect(Careless.table.methods(path: "/own/pairs/a") == ["GET"])
        #expect(Careless.table.methods(path: "/own/pairs").isEmpty)
    }
}
