extension LocalStore {
    /// Carries out a command of the person in one transaction, as `write`: all its edits are one step for `undo`.
    ///
    /// Edits of a plain `write` are noted, too, under the name `edit`: none is ever missing from the journal.
    /// - Parameter name: what the person said, for the journal's overview.
    public func command<Result: Sendable>(
        _ name: String, _ body: @escaping @Sendable (Cache) throws -> Result
    ) async throws -> Result {
        try await write { cache in
            var cache = cache
            cache.command = Command(name, actor: cache.command.actor)
            return try body(cache)
        }
    }
}
