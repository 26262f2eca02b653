import Foundation
import Testing

@testable import SyncAPI

@Suite struct RouteMatchingTests {
    static let routes: [Route] = [
        .capabilities, .health, .readiness, .register, .logIn, .refresh, .logOut, .account, .changePassword,
        .deleteAccount, .devices, .revokeDevice(id: "a b/é"), .spaces, .pullChanges(space: "s/1"),
        .pushChanges(space: "s"), .records(space: "s", collection: "tasks"),
        .readRecord(space: "s", collection: "tasks", id: "a/b"), .replaceRecord(space: "s", collection: "c", id: "%"),
        .events, .revisions(space: "s", collection: "tasks", id: "x"),
        .patchRecord(space: "s", collection: "tasks", id: "x"), .deleteRecord(space: "s", collection: "tasks", id: "x"),
    ]

    @Test(arguments: routes)
    func aRouteIsFoundAgainFromItsMethodAndPath(_ route: Route) {
        #expect(Route.table.route(method: route.method, path: route.path) == route)
        #expect(Route.table.methods(path: route.path).contains(route.method))
    }

    /// The compiler asks for a new case's method and path, but nothing but this test for its line in the table.
    @Test func theTableHasALineForEachCase() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/SyncAPI/Route.swift").standardizedFileURL
        let cases = try String(contentsOf: file, encoding: .utf8).matches(
            of: /^    case (\w+)/.anchorsMatchLineEndings()
        ).map { String($0.1) }
        let parts = Array(repeating: "x", count: PathSegments.variableParts)
        let table = Route.table.makers.map { String("\($0(parts))".prefix { $0 != "(" }) }
        #expect(cases.sorted() == table.sorted())
    }

    @Test(arguments: [
        "", "v1/", "/v2/", "/v1/nothing", "/v1/spaces/s/changes/", "/v1/spaces/%ZZ/changes", "/healthz/x",
    ])
    func anUnknownPathHasNoMethods(_ path: String) {
        #expect(Route.table.methods(path: path).isEmpty)
    }

    @Test func aPathTellsItsMethods() {
        #expect(Route.table.methods(path: "/v1/spaces/s/changes") == ["GET", "POST"])
        #expect(Route.table.methods(path: "/v1/spaces/s/records/tasks/x") == ["GET", "PUT", "PATCH", "DELETE"])
        #expect(Route.table.route(method: "get", path: "/healthz") == nil)
    }

    /// An endpoint of somebody else's, whose path leaves one of its parts out.
    private enum Careless: Endpoint, Equatable {
        case pair(String, String)
        var method: String { "GET" }
        var path: String {
            switch self {
            case .pair(let first, _): "/own/pairs/\(Self.segment(first))"
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
