import CountAPI
import ServerCore
import SyncAPI

/// One handler for each route; the compiler says where one is missing.
public struct CountExtension: AuthenticatedExtension {
    public init() {}

    public func handle(
        _ route: CountRoute, _ request: ServerRequest, from caller: Caller, on server: SyncServer
    ) async throws -> ServerAnswer {
        switch route {
        case .count(let space, let collection):
            return try .encoded(try await count(collection, in: space, for: caller, server))
        }
    }

    /// A space that one is no member of doesn't exist for one.
    private func count(
        _ collection: String, in space: String, for caller: Caller, _ server: SyncServer
    ) async throws -> Count {
        try await server.store.read { tx in
            guard try tx.role(of: caller.account, in: space) != nil else { throw Problem.notFound }
            var count = Count(count: 0)
            try tx.visitLive(collection: collection, in: space, after: nil) { _ in
                count.count += 1
                return true
            }
            return count
        }
    }
}
