internal import Backend
internal import LocalStore

extension SyncEngine {
    /// Makes sure that the cache is that of the account that is signed in: a file can be put into another home.
    ///
    /// - Throws: `LocalStoreError.otherAccount`, `BackendError.credentialStore`.
    func requireOwnCache() async throws {
        if try await isOwnCache() { return }
        // Another process of this home may have signed in since the session was read.
        try await backend.session.reload()
        if try await isOwnCache() { return }
        throw LocalStoreError.otherAccount(username: try await store.read { try $0.owner() } ?? "?")
    }

    private func isOwnCache() async throws -> Bool {
        guard let identity = try await backend.session.status().identity,
            let bound = try await store.read({ try $0.state().remote })
        else { return true }
        return bound == identity.personalSpace
    }
}
