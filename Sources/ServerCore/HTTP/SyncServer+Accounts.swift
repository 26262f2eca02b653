internal import Records
internal import SyncAPI

/// Handlers for accounts and sessions: they read bodies and leave the rest to the services.
extension SyncServer {
    func register(_ request: ServerRequest) async throws -> ServerAnswer {
        if configuration.registration == .closed { throw Problem.registrationClosed }
        let registration: RegisterRequest = try await body(of: request)
        let client = request.clientAddress(behind: configuration.trustedProxies)
        return try .encoded(await accounts.register(registration, address: client), status: 201)
    }

    func logIn(_ request: ServerRequest) async throws -> ServerAnswer {
        let logIn: LogInRequest = try await body(of: request)
        let client = request.clientAddress(behind: configuration.trustedProxies)
        return try .encoded(await accounts.logIn(logIn, address: client), status: 201)
    }

    func refresh(_ request: ServerRequest) async throws -> ServerAnswer {
        let refresh: RefreshRequest = try await body(of: request)
        return try .encoded(await sessions.refresh(refresh.refreshToken, from: origin(of: request)))
    }

    func changePassword(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let change: PasswordChangeRequest = try await body(of: request)
        try await accounts.changePassword(caller, change)
        return .noContent
    }

    func deleteAccount(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let deletion: AccountDeletionRequest = try await body(of: request)
        try await accounts.delete(caller, password: deletion.password)
        return .noContent
    }

    private func body<Body: WireBody>(of request: ServerRequest) async throws -> Body {
        try Body(checking: await request.json(limit: min(Limits.accountBodyBytes, configuration.limits.bodyBytes)))
    }
}
