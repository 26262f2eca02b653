import SyncAPI
import Testing

@Suite struct RouteMatchingTests {
    static let routes: [Route] = [
        .capabilities, .health, .readiness, .register, .logIn, .refresh, .logOut, .account, .changePassword,
        .deleteAccount, .devices, .revokeDevice(id: "a b/é"), .spaces, .pullChanges(space: "s/1"),
        .pushChanges(space: "s"), .records(space: "s", collection: "tasks"),
        .readRecord(space: "s", collection: "tasks", id: "a/b"), .replaceRecord(space: "s", collection: "c", id: "%"),
        .patchRecord(space: "s", collection: "tasks", id: "x"), .deleteRecord(space: "s", collection: "tasks", id: "x"),
    ]

    @Test(arguments: routes)
    func aRouteIsFoundAgainFromItsMethodAndPath(_ route: Route) {
        #expect(Route(method: route.method, path: route.path) == route)
        #expect(Route.methods(path: route.path).contains(route.method))
    }

    /// Grows with the enum: the switch makes the compiler ask for each new case.
    @Test func theTableAboveHasEveryCase() {
        var names: Set<String> = []
        for route in Self.routes {
            switch route {
            case .capabilities, .health, .readiness, .register, .logIn, .refresh, .logOut, .account, .changePassword,
                .deleteAccount, .devices, .revokeDevice, .spaces, .pullChanges, .pushChanges, .records, .readRecord,
                .replaceRecord, .patchRecord, .deleteRecord:
                names.insert(String("\(route)".prefix { $0 != "(" }))
            }
        }
        #expect(names.count == 20)
    }

    @Test(arguments: [
        "", "v1/", "/v2/", "/v1/nothing", "/v1/spaces/s/changes/", "/v1/spaces/%ZZ/changes", "/healthz/x",
    ])
    func anUnknownPathHasNoMethods(_ path: String) {
        #expect(Route.methods(path: path).isEmpty)
    }

    @Test func aPathTellsItsMethods() {
        #expect(Route.methods(path: "/v1/spaces/s/changes") == ["GET", "POST"])
        #expect(Route.methods(path: "/v1/spaces/s/records/tasks/x") == ["GET", "PUT", "PATCH", "DELETE"])
        #expect(Route(method: "get", path: "/healthz") == nil)
    }
}
