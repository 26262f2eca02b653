public import SyncAPI

// Sessions with an app password in place of a log-in: its secret is the access token, and is never renewed. The server
// knows them under the app password's own id; in this home, they have its device's.
extension BackendClient {
    /// Creates a session with an app password, which is checked with `GET /v1/account`. It is not stored until
    /// `session.begin` is called with it.
    ///
    /// - Parameters:
    ///   - secret: The app password's secret.
    ///   - device: This device.
    ///   - insecureHTTP: Whether the user accepts plain http to another machine; otherwise it is refused.
    /// - Throws: `.problem` with status 401 if it is none, has expired or was revoked.
    public func open(
        appPassword secret: String, as device: SessionGrant.Device, at server: ServerAddress, insecureHTTP: Bool = false
    ) async throws(BackendError) -> Credentials {
        let destination = try Destination(server, insecureHTTP: insecureHTTP)
        let status = try await wire.send(Call(endpoint: AuthenticatedRoute.account), to: destination, token: secret)
            .decoded(AccountStatus.self)
        let identity = SessionIdentity(
            server: destination.address, insecureHTTP: destination.insecureHTTP, account: status.account,
            device: device, appPassword: status.appPassword)
        return Credentials(identity: identity, state: .active(tokens: Tokens(appPassword: secret)))
    }

    /// Ends this device's present session on its server before one with an app password replaces it here. A log-in
    /// ends it there; an app password doesn't, and without its tokens it couldn't be ended from here any more.
    ///
    /// Errors are ignored: the session then counts as a device until it expires on the server or is revoked.
    public func endFormerSession(replacedBy credentials: Credentials) async {
        guard credentials.tokens?.isAppPassword == true else { return }
        do {
            guard try await session.access().isRenewable else { return }
            _ = try await send(Call(endpoint: AuthenticatedRoute.logOut))
        } catch {
            // See above.
        }
    }
}

extension Tokens {
    /// Creates the tokens of a session with an app password.
    init(appPassword secret: String) { self.init(access: secret, accessExpiresAt: nil, refresh: "") }

    /// Whether the access token is an app password.
    var isAppPassword: Bool { refresh.isEmpty }
}
