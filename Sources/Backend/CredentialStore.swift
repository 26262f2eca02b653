/// Keeps the session of a home, for all processes that share it.
public protocol CredentialStore: Sendable {
    /// The session, read from the store on each call, since another process may have changed it. Nil: there never was
    /// one.
    func load() async throws -> Credentials?
    /// Keeps the session, durably before it returns; nil forgets it.
    func save(_ credentials: Credentials?) async throws
    /// Runs `body` while no other process and no other task of this home does the same; waits for its turn. The lock
    /// dies with its holder. It is not the lock that is held while syncing: a sync refreshes the tokens in its midst.
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result
}
