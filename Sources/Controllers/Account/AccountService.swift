internal import Backend
internal import ControllerKit
internal import LocalStore
internal import SyncAPI
internal import SyncEngine

/// The account of a home. It checks and carries out sign-ins, and binds the home to the account that signs in first.
public struct AccountService: Sendable {
    let store: LocalStore
    let backend: BackendClient
    let gate: SyncGate
    let devices: DeviceNames
    /// The default name of this device.
    let deviceName: String
    /// Whether this process accepts a server without encryption.
    let acceptsInsecureHTTP: Bool

    /// The server to sign in to, as the user named it.
    public struct Place: Sendable {
        /// The server's address; nil: that of the home's account.
        public var server: String?
        /// Whether plain http to another machine is accepted.
        public var insecureHTTP: Bool

        /// A server.
        public init(server: String?, insecureHTTP: Bool = false) {
            (self.server, self.insecureHTTP) = (server, insecureHTTP)
        }
    }

    // MARK: Checks before the password prompt

    /// Checks what can be checked without the server and the password.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change; `BackendError`.
    public func check(_ username: String, at place: Place, _ deviceName: String?) async throws {
        try LoginRules.check(username: username, deviceName: deviceName)
        // An error is ignored: signing in replaces a session that can't be read.
        try? await backend.session.reload()
        let address = try await address(place.server)
        // Before the password is typed: without encryption, others on the network could read it.
        if address.isExposed, await !accepts(place, address) { throw BackendError.insecureServer(address) }
    }

    /// Checks that the home has no other owner, before the server creates an account that this home could never use.
    ///
    /// The home's own account may be registered again on its server, which refuses that if the account still exists.
    ///
    /// - Throws: `Failure` of category `conflict`, `LocalStoreError`.
    public func checkCanRegister(_ username: String, at server: String?) async throws {
        guard let owner = try await store.read({ try $0.account.owner() }) else { return }
        let address = try await address(server).description
        // The same name on another server is another account.
        if HomeClaim.isSame(owner, username), try await ownersServer() == address { return }
        throw Failure(
            .conflict,
            "This home belongs to the account \(owner). `login \(owner)`, or create the new account in another home with "
                + "--home.")
    }

    /// Checks that the home belongs to this user name or to none.
    ///
    /// - Throws: `LocalStoreError.otherAccount`.
    public func checkCanLogIn(_ username: String) async throws {
        // The server's address isn't compared: a server may move. After signing in, `bind` compares the space.
        let owner = try await store.read { try $0.account.owner() }
        if let owner, !HomeClaim.isSame(owner, username) { throw LocalStoreError.otherAccount(username: owner) }
    }

    /// Returns the id of this device, which the first call creates. It is also in the clocks of its edits.
    public func deviceID() async throws -> String {
        // `view`: the first call writes the new id, and on a full disk the id is returned all the same.
        try await store.view { try $0.device() }
    }

    /// The time that a request for the account may take: its usage is shown in addition to what is known without the
    /// server.
    private static let statusLimit = Duration.milliseconds(1_500)

    /// Returns what the server says of the account, or why that is unknown: the server refused, or didn't answer in
    /// time.
    func status() async -> Result<AccountStatus, BackendError> {
        let late = Result<AccountStatus, BackendError>.failure(.transport(TransportError(.timedOut)))
        return await withTaskGroup(of: Result<AccountStatus, BackendError>.self) { group in
            group.addTask { await receivedStatus() }
            group.addTask {
                // Cancelled once the other task has the answer.
                try? await Task.sleep(for: Self.statusLimit)
                return late
            }
            defer { group.cancelAll() }
            return await group.next() ?? late
        }
    }

    private func receivedStatus() async -> Result<AccountStatus, BackendError> {
        do { return .success(try await backend.account()) } catch { return .failure(error) }
    }

    /// Gives a device another name. That of this device is kept for later sign-ins.
    func rename(device: String, to name: String) async throws {
        try await backend.renameDevice(id: device, to: name)
        try await store.write { cache in
            if try cache.device() == device { try cache.account.setChosenDeviceName(name) }
        }
    }

    /// Deletes the account on the server, and frees the home for another one.
    func delete(password: String) async throws {
        // Under the gate: a sync under way would send or apply changes of a space that no longer exists.
        let leave = try await gate.enter(waiting: true)
        defer { leave() }
        try await backend.deleteAccount(AccountDeletionRequest(password: password))
        try await store.write { try $0.account.release() }
    }

    /// Returns the number of records with unsent edits. They stay in the home when the user signs out.
    public func unsentRecordCount() async throws -> Int { try await store.read { try $0.outbox.unsent().records } }

    // MARK: Signing in

    /// Creates an account on a server and signs in to it; the home belongs to it from then on.
    ///
    /// - Parameters:
    ///   - invite: The server's invite, where it requires one.
    ///   - deviceName: The name of this device from now on; nil: the one that was chosen before, or the host's.
    ///   - begun: Receives the server's address before the server is asked.
    /// - Throws: `Failure`, `BackendError`, `LocalStoreError`.
    public nonisolated(nonsending) func register(
        _ username: String, password: String, invite: String? = nil, at place: Place, deviceName: String? = nil,
        begun: (String) async -> Void = { _ in }
    ) async throws -> HomeClaim {
        try LoginRules.check(username: username, newPassword: password, deviceName: deviceName)
        // Checked again: only views at a terminal call `check` first, and another process may have signed in since.
        try await checkCanRegister(username, at: place.server)
        return try await signIn(at: place, deviceName, begun: begun) { device, address, insecureHTTP in
            let request = RegisterRequest(username: username, password: password, device: device, invite: invite)
            return try await backend.register(request, at: address, insecureHTTP: insecureHTTP)
        }
    }

    /// Signs in to an account. A home without an account belongs to it from then on.
    ///
    /// - Parameters: As for `register`.
    /// - Throws: `Failure`, `BackendError`, `LocalStoreError`.
    public nonisolated(nonsending) func logIn(
        _ username: String, password: String, at place: Place, deviceName: String? = nil,
        begun: (String) async -> Void = { _ in }
    ) async throws -> HomeClaim {
        try LoginRules.check(username: username, password: password, deviceName: deviceName)
        try await checkCanLogIn(username)
        return try await signIn(at: place, deviceName, begun: begun) { device, address, insecureHTTP in
            let proof = await backend.session.deviceProof(username: username, at: address)
            let opened = try await appPasswordSession(
                username, password, as: device, at: address, insecureHTTP: insecureHTTP)
            if var session = opened {
                session.deviceProof = proof
                return session
            }
            let request = LogInRequest(
                username: username, password: password, device: device, deviceProof: proof)
            return try await backend.logIn(request, at: address, insecureHTTP: insecureHTTP)
        }
    }

    /// Signs in with a one-time code of the server's owner, and sets a new password. Every other session of the account
    /// ends. A home without an account belongs to it from then on.
    ///
    /// - Parameters: As for `register`.
    /// - Throws: `Failure`, `BackendError`, `LocalStoreError`.
    public nonisolated(nonsending) func reset(
        _ username: String, code: String, password: String, at place: Place, deviceName: String? = nil,
        begun: (String) async -> Void = { _ in }
    ) async throws -> HomeClaim {
        try LoginRules.check(username: username, newPassword: password, deviceName: deviceName)
        if code.allSatisfy(\.isWhitespace) {
            throw Failure(.usage, "The code is empty. Enter the one-time code that the server's owner gave you.")
        }
        try await checkCanLogIn(username)
        return try await signIn(at: place, deviceName, begun: begun) { device, address, insecureHTTP in
            let request = ResetLogInRequest(username: username, code: code, newPassword: password, device: device)
            do {
                return try await backend.resetLogIn(request, at: address, insecureHTTP: insecureHTTP)
            } catch BackendError.problem(let problem, _) where problem.code == .invalidCredentials {
                // The error's own message is about a password.
                throw Failure(
                    .signedOut,
                    "The user name or the one-time code is wrong, or the code was used or has expired. Nothing was "
                        + "changed. Check both, or ask the server's owner for another code.")
            }
        }
    }

    /// Signs in with `open`, which sends the request and returns the new credentials, and binds the home to the
    /// account.
    private nonisolated(nonsending) func signIn(
        at place: Place, _ deviceName: String?, begun: (String) async -> Void,
        _ open: (_ device: DeviceClaim, _ server: ServerAddress, _ insecureHTTP: Bool) async throws -> Credentials
    ) async throws -> HomeClaim {
        let address = try await address(place.server)
        let insecureHTTP = await accepts(place, address)
        // A write: the first call of `device` creates the id of this home.
        let (device, chosenName) = try await store.write { try ($0.device(), $0.account.chosenDeviceName()) }
        // The server ends the device's present session: one that couldn't be replaced would be lost.
        try await backend.session.checkSaving()
        await begun(address.description)
        // Before the password is sent.
        let offer = try await backend.negotiate(with: address, insecureHTTP: insecureHTTP)
        let name = deviceName ?? chosenName ?? self.deviceName
        let claim = try await keep(open(DeviceClaim(name: name, id: device), address, insecureHTTP), deviceName)
        // An error is ignored: the next sync asks again.
        try? await store.write { try offer.store(in: $0) }
        return claim
    }

    /// Binds the home to the account and stores the session. If either fails, the new session is ended on the server.
    private func keep(_ credentials: Credentials, _ deviceName: String?) async throws -> HomeClaim {
        let identity = credentials.identity
        do {
            // First: if the home belongs to another account, its stored session isn't replaced.
            let claim = try await bind(identity, deviceName)
            try await backend.replaceSession(with: credentials)
            return claim
        } catch {
            // An error is ignored: the first error is reported, and an unused session expires on the server.
            try? await backend.discard(credentials)
            // A log-in ends the device's former session on the server, an app password leaves it alone.
            if credentials.tokens?.isAppPassword != true {
                switch error {
                // Not the error's own message, which says that nothing was changed.
                case BackendError.diskFull(let path), LocalStoreError.diskFull(let path):
                    throw Failure(
                        .damaged,
                        BackendError.fullDiskMessage(
                            path, "This device is now signed out: free some space, then `login` again."))
                case BackendError.credentialStore:
                    throw Failure(
                        .failed,
                        "\(Failure(error).message) This device is now signed out: `login` again once it works.")
                default: break
                }
            }
            guard case LocalStoreError.otherAccount(let owner) = error else { throw error }
            throw Failure(
                .conflict,
                "This home belongs to another account, \(owner) on \(await home() ?? "another server"), not to "
                    + "\(identity.account.username) on \(identity.server). Nothing was changed. Use another home with --home."
            )
        }
    }

    private func bind(_ identity: SessionIdentity, _ deviceName: String?) async throws -> HomeClaim {
        let server = try await ownersServer()
        let claim: @Sendable (Cache) throws -> HomeClaim = { cache in
            HomeClaim(
                space: try cache.replica.state().remote, owner: try cache.account.owner(), server: server,
                identity: identity)
        }
        let isLost = try await store.read(claim) == .lost
        // Under the gate: a sync under way would apply answers for the lost space to the new one.
        let leave = isLost ? try await gate.enter(waiting: true) : nil
        defer { leave?() }
        return try await store.write { cache in
            // Determined again in the transaction: another process may have bound the home since.
            let claim = try claim(cache)
            let (space, username, address) = (identity.personalSpace, identity.username, identity.server.description)
            switch claim {
            // `bind` throws for a foreign account.
            case .own, .foreign: try cache.account.bind(remote: space, username: username, server: address)
            case .lost: try SyncEngine.rebind(cache, remote: space, username: username, server: address)
            }
            // With the account: the name of a failed sign-in isn't kept.
            if let deviceName { try cache.account.setChosenDeviceName(deviceName) }
            // The failure of the former session no longer applies, nor does its back-off.
            try SyncStatus.forgetFailure(in: cache)
            return claim
        }
    }

    /// The address of the server that has the home's account; nil: unknown.
    private func ownersServer() async throws -> String? {
        if let server = try await store.read({ try $0.account.server() }) { return server }
        return await home()
    }

    /// The server of the stored session; nil: none.
    private func home() async -> String? { await identity()?.server.description }

    // A session that can't be read counts as unknown: signing in replaces it. This is a function of its own because
    // `try?` inside `address` crashes the optimizer of Swift 6.3.1.
    private func identity() async -> SessionIdentity? {
        do { return try await backend.session.status().identity } catch { return nil }
    }

    /// Whether plain http is accepted for the server: by this command, for this process, or at an earlier sign-in to
    /// this server.
    private func accepts(_ place: Place, _ address: ServerAddress) async -> Bool {
        if place.insecureHTTP || acceptsInsecureHTTP { return true }
        let known = await identity()
        return known?.server == address && known?.insecureHTTP == true
    }

    // Two functions: as one, they crash the optimizer of Swift 6.3.1 (signal 11).
    private func address(_ typed: String?) async throws -> ServerAddress {
        let known = await identity()
        return try Self.address(typed, known: known)
    }

    private static func address(_ typed: String?, known: SessionIdentity?) throws -> ServerAddress {
        if let typed { return try ServerAddress(typed) }
        if let known { return known.server }
        throw Failure(.usage, "Which server? Name it with --server https://notes.example.org.")
    }
}

/// The relation of a home to an account that has signed in on it. New cases may be added.
public enum HomeClaim: Sendable, Equatable {
    /// The home belongs to this account, or to none yet.
    case own
    /// The home belongs to this account by name, but the server lost its data and the account was created again; or the
    /// home's account was deleted.
    case lost
    /// The home belongs to another account.
    case foreign

    /// - Parameters:
    ///   - space: The space that the home is bound to; nil: none.
    ///   - owner: The user name that the home belongs to.
    ///   - server: The address of the server that has the owner's account; nil: unknown.
    ///   - identity: The account that has signed in, with its server.
    init(space: String?, owner: String?, server: String?, identity: SessionIdentity) {
        // The space decides before the address: the server of an account may have moved.
        if space == nil || space == identity.personalSpace {
            self = .own
        } else if owner == nil {
            // The account was deleted; the records of the home belong to the next one.
            self = .lost
        } else {
            let isSame = Self.isSame(owner, identity.username) && server == identity.server.description
            self = isSame ? .lost : .foreign
        }
    }

    /// Whether a server treats two user names as the same.
    static func isSame(_ one: String?, _ other: String) -> Bool { one.map(Username.folded) == Username.folded(other) }
}
