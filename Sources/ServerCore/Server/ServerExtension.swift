public import SyncAPI

/// Endpoints of your own, which a server answers in addition to Satchel's: an `AuthenticatedExtension` or an `OpenExtension`.
/// Satchel's own routes are matched first.
public protocol ServerExtension: Sendable {
    /// The answer to a request; nil if it is for none of these endpoints.
    func answer(_ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer?

    /// The methods that work on a path; none if it is the path of none of these endpoints.
    func methods(path: String) -> [String]

    /// The endpoints that need no token, for the OpenAPI document.
    var openEndpoints: [any Endpoint] { get }

    /// The endpoints that need one, for the OpenAPI document.
    var authenticatedEndpoints: [any Endpoint] { get }
}

extension ServerExtension {
    /// By default none.
    public var openEndpoints: [any Endpoint] { [] }

    /// By default none.
    public var authenticatedEndpoints: [any Endpoint] { [] }
}

/// Endpoints that need an access token. The routes are an enum, and the handler switches over it, so that the compiler
/// says where one is missing.
///
///     struct CountExtension: AuthenticatedExtension {
///         func handle(
///             _ route: CountRoute, _ request: ServerRequest, from caller: Caller, on server: SyncServer
///         ) async throws -> ServerAnswer {
///             switch route { … }
///         }
///     }
///     let server = SyncServer(configuration: …, store: …, extensions: [CountExtension()], logger: …)
public protocol AuthenticatedExtension: ServerExtension {
    /// The endpoints.
    associatedtype Routes: Endpoint

    /// Answers a request; from any number of tasks at once.
    ///
    /// - Parameters:
    ///   - caller: to whom the access token belongs.
    ///   - server: gives access to the store.
    /// - Throws: A `Problem`, which becomes the answer; any other error becomes a 500 and is logged.
    func handle(
        _ route: Routes, _ request: ServerRequest, from caller: Caller, on server: SyncServer
    ) async throws -> ServerAnswer
}

/// Endpoints that anyone may call.
public protocol OpenExtension: ServerExtension {
    /// The endpoints.
    associatedtype Routes: Endpoint

    /// Answers a request; from any number of tasks at once.
    ///
    /// - Throws: A `Problem`, which becomes the answer; any other error becomes a 500 and is logged.
    func handle(_ route: Routes, _ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer
}

extension AuthenticatedExtension {
    /// Authenticates the request, and passes it to the handler.
    public func answer(_ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer? {
        guard let route = Routes.table.route(method: request.method, path: request.path) else { return nil }
        return try await handle(route, request, from: server.caller(of: request), on: server)
    }

    /// The methods of the endpoints with this path.
    public func methods(path: String) -> [String] { Routes.table.methods(path: path) }

    /// Its endpoints.
    public var authenticatedEndpoints: [any Endpoint] { Routes.table.examples }
}

extension OpenExtension {
    /// Passes the request to the handler.
    public func answer(_ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer? {
        guard let route = Routes.table.route(method: request.method, path: request.path) else { return nil }
        return try await handle(route, request, on: server)
    }

    /// The methods of the endpoints with this path.
    public func methods(path: String) -> [String] { Routes.table.methods(path: path) }

    /// Its endpoints.
    public var openEndpoints: [any Endpoint] { Routes.table.examples }
}
