/// The credential store of a session, with its errors as `BackendError`.
struct SessionStorage: Sendable {
    let store: any CredentialStore

    /// Reads the session; its tokens may be stored separately.
    func load() async throws(BackendError) -> Credentials? {
        do { return try await store.load() } catch { throw BackendError(store: error) }
    }

    /// Returns credentials with their tokens, which some stores return separately.
    func complete(_ credentials: Credentials?) async throws(BackendError) -> Credentials? {
        guard let credentials, case .separate = credentials.state, credentials.end == nil else { return credentials }
        let tokens: Tokens?
        do { tokens = try await store.tokens(of: credentials.identity) } catch { throw BackendError(store: error) }
        return Credentials(
            identity: credentials.identity,
            state: tokens.map { .active(tokens: $0) } ?? .ended(reason: .tokensMissing),
            deviceProof: credentials.deviceProof)
    }

    /// Saves the session; nil removes it.
    ///
    /// - Throws: `.tokensLeft` if the session has ended all the same; `.credentialStore`, `.diskFull`.
    func save(_ credentials: Credentials?) async throws(BackendError) {
        do { try await store.save(credentials) } catch { throw BackendError(store: error) }
    }

    /// Checks that a session could be saved.
    ///
    /// - Throws: `.credentialStore`.
    func checkSaving() async throws(BackendError) {
        do { try await store.checkSaving() } catch { throw BackendError(store: error) }
    }

    /// Runs `body` while no other process and no other task of this home does the same.
    func exclusively<Value: Sendable>(
        _ body: @Sendable () async throws(BackendError) -> Value
    ) async throws(BackendError) -> Value {
        do { return try await store.exclusively(body) } catch { throw BackendError(store: error) }
    }
}

extension BackendError {
    /// Creates the error for what a credential store throws, or returns what was thrown under its lock.
    fileprivate init(store error: any Error) {
        switch error {
        case let error as BackendError: self = error
        case let error as TokensLeft: self = .tokensLeft(error.reason)
        case is CancellationError: self = .transport(TransportError(.cancelled))
        default: self = .credentialStore("\(error)")
        }
    }
}

extension Credentials {
    /// The same session after its end.
    func ended(_ reason: SessionEnd) -> Credentials {
        Credentials(identity: identity, state: .ended(reason: reason), deviceProof: deviceProof)
    }
}
