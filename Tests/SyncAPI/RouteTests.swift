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
            (OpenRoute.capabilities, "GET", "/v1/"), (.document, "GET", "/v1/openapi.json"),
            (.health, "GET", "/healthz"), (.readiness, "GET", "/readyz"), (.register, "POST", "/v1/accounts"),
            (.logIn, "POST", "/v1/sessions"), (.refresh, "POST", "/v1/sessions/refresh"),
        ])
    func openEndpoints(route: OpenRoute, method: String, path: String) {
        #expect(route.method == method)
        #expect(route.path == path)
    }

    @Test("each part that a server need not have has an endpoint")
    func capabilities() {
        let parts: [(AuthenticatedRoute, Capability)] = [
            (.deleteAccount, .accountDeletion), (.signOutDevices, .signOut), (.renameDevice(id: "d"), .deviceNames),
            (.createAppPassword, .appPasswords), (.events, .events), (.records(space: "s", collection: "c"), .records),
            (.revisions(space: "s", collection: "c", id: "i"), .revisions),
        ]
        for (route, capability) in parts { #expect(route.capability == capability) }
        // A log-in with a one-time code needs no session.
        #expect(Set(parts.map { $0.1 }) == Set(Capability.allCases).subtracting([.passwordReset]))
        #expect(AuthenticatedRoute.pushChanges(space: "s").capability == nil)
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

/// An endpoint with the values with which it was created.
private struct Sample<Routes: Endpoint> {
    let kind: Routes.Kind
    let values: [String]
    let route: Routes

    /// Endpoints of all kinds, each with values of several forms.
    static var all: [Sample] {
        Routes.Kind.allCases.flatMap { kind in
            let pattern = Routes.table[kind]
            return ["x", "a b/é", "%", "..", ""].map { text in
                let values = pattern.template.parameters.indices.map { "\(text)\($0)" }
                return Sample(kind: kind, values: values, route: pattern.make(values))
            }
        }
    }
}

@Suite struct RouteMatchingTests {
    private func everyRouteIsFound<Routes: Endpoint>(_: Routes.Type) {
        #expect(Routes.table.lost == [])
        for sample in Sample<Routes>.all {
            let (method, path) = (sample.route.method, sample.route.path)
            let found = Routes.table.route(method: method, path: path)?.kindAndValues
            #expect(found?.kind == sample.kind, "\(method) \(path)")
            #expect(found?.values == sample.values, "\(method) \(path)")
            #expect(Routes.table.methods(path: path).contains(method), "\(method) \(path)")
        }
    }

    @Test func anOpenRouteIsFoundByItsMethodAndPath() { everyRouteIsFound(OpenRoute.self) }

    @Test func anAuthenticatedRouteIsFoundByItsMethodAndPath() { everyRouteIsFound(AuthenticatedRoute.self) }

    @Test func noRequestMatchesBothAnOpenAndAnAuthenticatedRoute() {
        for route in Sample<AuthenticatedRoute>.all.map(\.route) {
            #expect(OpenRoute.table.route(method: route.method, path: route.path) == nil, "\(route)")
        }
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

    @Test func aFixedSegmentMayBeEncoded() {
        #expect(AuthenticatedRoute.table.route(method: "GET", path: "/v1/%61ccount") == .account)
    }

    @Test func thePathOfTheWholeAPINeedsNoSlashAtItsEnd() {
        #expect(OpenRoute.table.route(method: "GET", path: "/v1") == .capabilities)
    }

    @Test func theAccessIsThatToTheSpaceInThePath() {
        #expect(AuthenticatedRoute.account.access == nil)
        #expect(AuthenticatedRoute.revokeDevice(id: "d").access == nil)
        #expect(AuthenticatedRoute.pullChanges(space: "s").access == SpaceAccess(space: "s", isWriting: false))
        #expect(
            AuthenticatedRoute.revisions(space: "s", collection: "c", id: "i").access
                == SpaceAccess(space: "s", isWriting: false))
        #expect(AuthenticatedRoute.pushChanges(space: "s").access == SpaceAccess(space: "s", isWriting: true))
        for method in ["PUT", "PATCH", "DELETE"] {
            let route = AuthenticatedRoute.table.route(method: method, path: "/v1/spaces/s/records/c/i")
            #expect(route?.access == SpaceAccess(space: "s", isWriting: true))
        }
    }

    @Test func onlyTheEndpointsOfPasswordAndDevicesManageTheAccount() {
        let managing = Set(Sample<AuthenticatedRoute>.all.filter(\.route.managesAccount).map(\.kind))
        #expect(
            managing == [
                .changePassword, .deleteAccount, .devices, .revokeDevice, .renameDevice, .signOutDevices,
                .createAppPassword,
            ])
    }

    /// Endpoints of an extension with a fault in each but the first.
    private enum Careless: Endpoint {
        case right(String, String)
        case exchanged(String, String)
        case mistaken
        case hidden

        enum Kind: CaseIterable {
            case right, exchanged, mistaken, hidden
        }

        static let table = RouteTable<Self>(isChecked: false) { kind in
            switch kind {
            case .right: .init(.get, "/own/pairs/\(.collection)/\(.id)", Self.right)
            case .exchanged: .init(.put, "/own/pairs/\(.collection)/\(.id)", Self.exchanged)
            case .mistaken: .init(.get, "/own/mistaken", .hidden)
            case .hidden: .init(.get, "/own/mistaken", .hidden)
            }
        }

        var kindAndValues: (kind: Kind, values: [String]) {
            switch self {
            case .right(let first, let second): (.right, [first, second])
            case .exchanged(let first, let second): (.exchanged, [second, first])
            case .mistaken: (.mistaken, [])
            case .hidden: (.hidden, [])
            }
        }
    }

    @Test func aRouteThatIsNotFoundByItsOwnPathIsAFaultOfTheTable() {
        #expect(Careless.table.lost == [.exchanged, .mistaken])
    }
}
