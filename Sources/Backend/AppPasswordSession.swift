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

    /// Stores a new session in place of this device's present one, see `Session.begin`.
    ///
    /// A log-in ends the former session on the server, an app password doesn't. So if the new session has an app password,
    /// the former one is ended there by a request. Later that isn't possible, since its tokens are no longer stored. If the
    /// request fails, the error is ignored: the former session counts as a device until it expires or is revoked.
    ///
    /// - Throws: `.credentialStore`, `.diskFull`; then the present session continues.
    public func replaceSession(with credentials: Credentials) async throws(BackendError) {
        // Before its tokens are replaced.
        let former = credentials.tokens?.isAppPassword == true ? await renewableAccess() : nil
        try await session.begin(credentials)
        if let former { await endSession(former) }
    }

    /// Returns the access of the present session; nil: it has an app password or no valid tokens, or there is none.
    private func renewableAccess() async -> Session.Access? {
        do {
            let access = try await session.access()
            return access.isRenewable ? access : nil
        } catch {
            return nil
        }
    }

    private func endSession(_ access: Session.Access) async {
        do {
            let call = Call(endpoint: AuthenticatedRoute.logOut)
            _ = try await wire.send(call, to: access.server, token: access.token)
        } catch {
            // See `replaceSession`.
        }
    }
}

extension Tokens {
    /// Creates the tokens of a session with an app password.
    init(appPassword secret: String) { self.init(access: secret, accessExpiresAt: nil, refresh: "") }

    /// Whether the access token is an app password.
    package var isAppPassword: Bool { refresh.isEmpty }
}
