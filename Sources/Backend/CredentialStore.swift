public import SyncAPI

/// A signed-in session as it is kept between starts.
public struct Credentials: Codable, Sendable, Equatable {
    /// The base address of the server, for instance `https://notes.example.org`.
    public var server: String
    /// The account, the device and both tokens.
    public var grant: SessionGrant

    public init(server: String, grant: SessionGrant) {
        self.server = server
        self.grant = grant
    }
}

/// Keeps the session of a home, for all processes that share it.
public protocol CredentialStore: Sendable {
    /// The session, read anew each time: another process may have changed it. Nil: signed out.
    func load() throws -> Credentials?
    /// Keeps the session, durably before it returns; nil signs out.
    func save(_ credentials: Credentials?) throws
    /// Runs `body` while no other process of this home does the same; waits for its turn. The lock dies with its
    /// holder.
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result
}
