import SyncAPI
import Testing

@testable import ServerCore

@Suite("The endpoints of extensions")
struct ServerExtensionTests {
    /// An extension with the endpoints of an enum, none of which is called.
    private struct Authenticated<Routes: Endpoint>: AuthenticatedExtension {
        func handle(
            _ route: Routes, _ request: ServerRequest, from caller: Caller, on server: SyncServer
        ) async throws -> ServerAnswer { throw Problem.notFound }
    }

    /// As `Authenticated`, with endpoints that anyone may call.
    private struct Open<Routes: Endpoint>: OpenExtension {
        func handle(_ route: Routes, _ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer {
            throw Problem.notFound
        }
    }

    private enum Count: Endpoint {
        case all
        case one(String)

        enum Kind: CaseIterable {
            case all, one
        }

        static let table = RouteTable<Self> { kind in
            switch kind {
            case .all: .init(.get, "/own/counts", .all)
            case .one: .init(.get, "/own/counts/\(.collection)", Self.one)
            }
        }

        var kindAndValues: (kind: Kind, values: [String]) {
            switch self {
            case .all: (.all, [])
            case .one(let collection): (.one, [collection])
            }
        }
    }

    /// Endpoints that others have, too, except for the last one.
    private enum Careless: Endpoint, CaseIterable {
        case health, counts, special, reset

        typealias Kind = Careless

        static let table = RouteTable<Self> { kind in
            switch kind {
            case .health: .init(.get, "/healthz", .health)
            case .counts: .init(.get, "/own/counts", .counts)
            case .special: .init(.get, "/own/counts/special", .special)
            case .reset: .init(.delete, "/own/counts", .reset)
            }
        }
    }

    /// An endpoint with the path of one of Satchel's, with another name of its parameter.
    private enum Pull: Endpoint {
        case pull(String)

        enum Kind: CaseIterable {
            case pull
        }

        static let table = RouteTable<Self> { kind in
            switch kind {
            case .pull: .init(.get, "/v1/spaces/\(.id)/changes", Self.pull)
            }
        }

        var kindAndValues: (kind: Kind, values: [String]) {
            switch self {
            case .pull(let id): (.pull, [id])
            }
        }
    }

    @Test("endpoints with methods and paths of their own are reached")
    func reached() {
        #expect(SyncServer.hiddenEndpoints(of: []) == [])
        #expect(SyncServer.hiddenEndpoints(of: [Authenticated<Count>()]) == [])
    }

    @Test("an endpoint with the method and path of one of Satchel's is hidden by it")
    func hiddenBySatchel() {
        #expect(
            SyncServer.hiddenEndpoints(of: [Authenticated<Pull>()])
                == ["GET /v1/spaces/{id}/changes: Pull.pull is hidden by AuthenticatedRoute.pullChanges"])
    }

    @Test("an endpoint that an earlier extension also has is hidden by it")
    func hiddenByAnotherExtension() {
        #expect(
            SyncServer.hiddenEndpoints(of: [Authenticated<Count>(), Open<Careless>()])
                == [
                    "GET /healthz: Careless.health is hidden by OpenRoute.health",
                    "GET /own/counts: Careless.counts is hidden by Count.all",
                    "GET /own/counts/special: Careless.special is hidden by Count.one",
                ])
    }

    @Test("an endpoint that has a part of another one's paths hides only that part")
    func special() {
        #expect(
            SyncServer.hiddenEndpoints(of: [Open<Careless>(), Authenticated<Count>()])
                == [
                    "GET /healthz: Careless.health is hidden by OpenRoute.health",
                    "GET /own/counts: Count.all is hidden by Careless.counts",
                ])
    }
}
