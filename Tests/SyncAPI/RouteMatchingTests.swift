import Foundation
import Testing

@testable import SyncAPI

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

    /// An endpoint of an extension, whose path leaves out one of its parts.
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
