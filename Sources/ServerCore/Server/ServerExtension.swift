public import SyncAPI

/// Endpoints that a server answers in addition to Satchel's: an `AuthenticatedExtension` or an `OpenExtension`.
/// Satchel's own routes are matched first.
public protocol ServerExtension: Sendable {
    /// Returns the answer to a request; nil if the request is for none of these endpoints.
    func answer(_ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer?

    /// Returns the methods of the endpoints with this path; none if there is no such endpoint.
    func methods(path: String) -> [String]

    /// The enums of the endpoints that need no token, for the OpenAPI document and the check by
    /// `SyncServer.init`.
    var openEndpoints: [any Endpoint.Type] { get }

    /// The enums of the endpoints that need a token, for the OpenAPI document and the check by
    /// `SyncServer.init`.
    var authenticatedEndpoints: [any Endpoint.Type] { get }
}

extension ServerExtension {
    /// An empty list, the default.
    public var openEndpoints: [any Endpoint.Type] { [] }

    /// An empty list, the default.
    public var authenticatedEndpoints: [any Endpoint.Type] { [] }
}

/// Endpoints that need an access token. The routes are an enum, and the handler switches over it, so that the compiler
/// reports a missing one.
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

    /// Answers a request. Called by any number of tasks at once.
    ///
    /// - Parameters:
    ///   - caller: The owner of the access token.
    ///   - server: Gives access to the store.
    /// - Throws: A `Problem`, which becomes the answer; any other error becomes a 500 and is logged.
    func handle(
        _ route: Routes, _ request: ServerRequest, from caller: Caller, on server: SyncServer
    ) async throws -> ServerAnswer
}

/// Endpoints that anyone may call.
public protocol OpenExtension: ServerExtension {
    /// The endpoints.
    associatedtype Routes: Endpoint

    /// Answers a request. Called by any number of tasks at once.
    ///
    /// - Throws: A `Problem`, which becomes the answer; any other error becomes a 500 and is logged.
    func handle(_ route: Routes, _ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer
}

extension AuthenticatedExtension {
    /// Authenticates the request, checks the caller's role in the space of its path (`PathParameter.space`), and passes
    /// it to the handler.
    public func answer(_ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer? {
        guard let route = Routes.table.route(method: request.method, path: request.path) else { return nil }
        return try await handle(route, request, from: server.caller(of: request, for: route.access), on: server)
    }

    /// Returns the methods of the endpoints with this path.
    public func methods(path: String) -> [String] { Routes.table.methods(path: path) }

    /// The extension's endpoints.
    public var authenticatedEndpoints: [any Endpoint.Type] { [Routes.self] }
}

extension OpenExtension {
    /// Passes the request to the handler.
    public func answer(_ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer? {
        guard let route = Routes.table.route(method: request.method, path: request.path) else { return nil }
        return try await handle(route, request, on: server)
    }

    /// Returns the methods of the endpoints with this path.
    public func methods(path: String) -> [String] { Routes.table.methods(path: path) }

    /// The extension's endpoints.
    public var openEndpoints: [any Endpoint.Type] { [Routes.self] }
}
