import Foundation
public import SyncAPI

extension BackendClient {
    /// Returns what the server is and can do: `GET /v1/`. Needs no session.
    ///
    /// - Parameter insecureHTTP: Whether the user accepts plain http to another machine; otherwise it is refused.
    public func capabilities(
        of server: ServerAddress, insecureHTTP: Bool = false
    ) async throws(BackendError) -> Capabilities {
        let server = try Destination(server, insecureHTTP: insecureHTTP)
        return try await wire.send(Call(endpoint: OpenRoute.capabilities), to: server).decoded(Capabilities.self)
    }

    /// Creates an account: `POST /v1/accounts`. The session is not stored until `session.begin` is called with it, so
    /// that the caller can check first to which account the home belongs.
    ///
    /// - Parameter insecureHTTP: Whether the user accepts plain http to another machine; otherwise it is refused.
    public func register(
        _ request: RegisterRequest, at server: ServerAddress, insecureHTTP: Bool = false
    ) async throws(BackendError) -> Credentials {
        let server = try Destination(server, insecureHTTP: insecureHTTP)
        return try await wire.grant(Call(endpoint: OpenRoute.register, body: json(request)), from: server)
    }

    /// Opens a session: `POST /v1/sessions`. It is not stored until `session.begin` is called with it.
    ///
    /// - Parameter insecureHTTP: Whether the user accepts plain http to another machine; otherwise it is refused.
    public func logIn(
        _ request: LogInRequest, at server: ServerAddress, insecureHTTP: Bool = false
    ) async throws(BackendError) -> Credentials {
        let server = try Destination(server, insecureHTTP: insecureHTTP)
        return try await wire.grant(Call(endpoint: OpenRoute.logIn, body: json(request)), from: server)
    }

    /// Ends a session on the server that was opened and is not stored.
    public func discard(_ credentials: Credentials) async throws(BackendError) {
        guard let tokens = credentials.tokens else { return }
        let server = try Destination(credentials.identity)
        _ = try await wire.send(Call(endpoint: AuthenticatedRoute.logOut), to: server, token: tokens.access)
    }

    /// Ends the session on the server, if it can be reached, with `DELETE /v1/sessions/current`, and on this device in
    /// any case.
    ///
    /// - Throws: Only `.credentialStore`; then the session continues.
    public func logOut() async throws(BackendError) -> LogOutOutcome {
        var outcome = LogOutOutcome.everywhere
        do {
            _ = try await send(Call(endpoint: AuthenticatedRoute.logOut))
        } catch .credentialStore(let why) {
            throw .credentialStore(why)
        } catch .signedOut {
            // The session can't be used, so the server can't be asked to end it.
            return .everywhere
        } catch {
            outcome = .hereOnly(error)
        }
        try await session.end(.loggedOut)
        return outcome
    }

    /// Returns the account and its usage: `GET /v1/account`.
    public func account() async throws(BackendError) -> AccountStatus {
        try await send(Call(endpoint: AuthenticatedRoute.account)).decoded(AccountStatus.self)
    }

    /// Changes the password: `PUT /v1/account/password`. Every other session of the account ends.
    public func changePassword(_ request: PasswordChangeRequest) async throws(BackendError) {
        _ = try await send(Call(endpoint: AuthenticatedRoute.changePassword, body: json(request)))
    }

    /// Deletes the account and its personal space on the server: `POST /v1/account/deletion`. The home keeps its
    /// records.
    public func deleteAccount(_ request: AccountDeletionRequest) async throws(BackendError) {
        _ = try await send(Call(endpoint: AuthenticatedRoute.deleteAccount, body: json(request)))
        try await session.forget()
    }

    /// Returns the signed-in devices: `GET /v1/devices`.
    public func devices() async throws(BackendError) -> [DeviceList.Entry] {
        try await send(Call(endpoint: AuthenticatedRoute.devices)).decoded(DeviceList.self).devices
    }

    /// Signs a device out at once: `DELETE /v1/devices/{id}`.
    public func revokeDevice(id: String) async throws(BackendError) {
        _ = try await send(Call(endpoint: AuthenticatedRoute.revokeDevice(id: id)))
    }
}

/// The result of a log-out.
public enum LogOutOutcome: Sendable, Equatable {
    /// The server has ended the session.
    case everywhere
    /// The server couldn't be reached. The tokens expire in time; to end them sooner, revoke the device from another
    /// one.
    case hereOnly(BackendError)
}
