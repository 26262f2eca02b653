public import SyncAPI

/// Endpoints of one's own beside Satchel's: the routes are an enum, and the handler switches over it, so that the compiler
/// says where one is missing. Satchel's own routes go before.
///
///     struct CountExtension: ServerExtension {
///         func handle(
///             _ route: CountRoute, _ request: ServerRequest, on server: SyncServer
///         ) async throws -> ServerAnswer {
///             switch route { … }
///         }
///     }
///     let server = SyncServer(configuration: …, store: …, extensions: [CountExtension()], logger: …)
public protocol ServerExtension: Sendable {
    /// The endpoints.
    associatedtype Routes: Endpoint

    /// Answers a request; from any number of tasks at once.
    ///
    /// - Parameter server: what there is to work with: who asks (`caller(of:)`), and the store.
    /// - Throws: A `Problem`, which becomes the answer; anything else becomes a 500 and stands in the log.
    func handle(_ route: Routes, _ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer
}

extension ServerExtension {
    /// The answer to a request; nil if it is for none of these endpoints.
    func answer(_ request: ServerRequest, on server: SyncServer) async throws -> ServerAnswer? {
        guard let route = Routes.table.route(method: request.method, path: request.path) else { return nil }
        return try await handle(route, request, on: server)
    }

    /// The methods that work on a path.
    func methods(path: String) -> [String] { Routes.table.methods(path: path) }
}
