internal import Backend
internal import ControllerKit
internal import LocalStore
internal import SyncAPI
internal import SyncEngine

/// The account of a home: registering, signing in, and binding the home to the account that does so first.
public struct AccountService: Sendable {
    let store: LocalStore
    let backend: BackendClient
    let gate: SyncGate
    let devices: DeviceNames
    /// The name of this device, unless the person has chosen one.
    let deviceName: String
    /// Whether this process accepts a server without encryption.
    let acceptsInsecureHTTP: Bool

    /// The server to sign in to, as the person named it.
    struct Place {
        /// Nil: the server of the home's account.
        var server: String?
        /// Whether plain http to another machine is accepted.
        var insecureHTTP: Bool
    }

    // MARK: Checks before the password is asked for

    /// Checks what can be checked without the server.
    func check(_ username: String, at place: Place, _ deviceName: String?) async throws {
        try LoginRules.check(username: username, deviceName: deviceName)
        // A session that can't be read doesn't matter: signing in replaces it.
        try? await backend.session.reload()
        let address = try await address(place.server)
        if address.isExposed, await !accepts(place, address) { throw BackendError.insecureServer(address) }
    }

    /// Refused before the server creates an account that this home could never use. The home's own account may be
    /// registered again on its server; the server refuses that if the account still exists.
    func requireFree(for username: String, at server: String?) async throws {
        guard let owner = try await store.read({ try $0.account.owner() }) else { return }
        let address = try await address(server).description
        if HomeClaim.isSame(owner, username), try await ownersServer() == address { return }
        throw Failure(
            .conflict,
            "This home belongs to the account \(owner). `login \(owner)`, or create the new account in another home with "
                + "--home.")
    }

    /// Only the account that the home belongs to may sign in.
    func requireOwn(_ username: String) async throws {
        let owner = try await store.read { try $0.account.owner() }
        if let owner, !HomeClaim.isSame(owner, username) { throw LocalStoreError.otherAccount(username: owner) }
    }

    // MARK: Signing in

    /// Signs in by `open`, and binds the home.
    ///
    /// - Parameters:
    ///   - deviceName: The name of this device from now on; nil: the one that was chosen before, or the host's.
    ///   - begun: Receives the address before the server is asked.
    nonisolated(nonsending) func signIn(
        at place: Place, _ deviceName: String?, begun: (ServerAddress) async -> Void,
        _ open: (_ device: DeviceClaim, _ server: ServerAddress, _ insecureHTTP: Bool) async throws -> Credentials
    ) async throws -> HomeClaim {
        let address = try await address(place.server)
        let insecureHTTP = await accepts(place, address)
        let (device, chosenName) = try await store.write { try ($0.device(), $0.account.chosenDeviceName()) }
        await begun(address)
        let name = deviceName ?? chosenName ?? self.deviceName
        let claim = try await keep(open(DeviceClaim(name: name, id: device), address, insecureHTTP))
        if let deviceName { try await store.write { try $0.account.setChosenDeviceName(deviceName) } }
        return claim
    }

    /// Binds the home to the account and begins the session; a session that can't be kept is given back.
    private func keep(_ credentials: Credentials) async throws -> HomeClaim {
        let identity = credentials.identity
        do {
            let claim = try await bind(identity)
            try await backend.session.begin(credentials)
            return claim
        } catch {
            try? await backend.discard(credentials)
            guard case LocalStoreError.otherAccount(let owner) = error else { throw error }
            throw Failure(
                .conflict,
                "This home belongs to another account, \(owner) on \(await home() ?? "another server"), not to "
                    + "\(identity.account.username) on \(identity.server). Nothing was changed. Use another home with --home."
            )
        }
    }

    private func bind(_ identity: SessionIdentity) async throws -> HomeClaim {
        let server = try await ownersServer()
        let claim: @Sendable (Cache) throws -> HomeClaim = { cache in
            HomeClaim(
                space: try cache.replica.state().remote, owner: try cache.account.owner(), server: server,
                identity: identity)
        }
        let isLost = try await store.read(claim) == .lost
        // A sync that is under way would take its answers for the new space's.
        let leave = isLost ? try await gate.enter(waiting: true) : nil
        defer { leave?() }
        return try await store.write { cache in
            let claim = try claim(cache)
            let (space, username, address) = (identity.personalSpace, identity.username, identity.server.description)
            switch claim {
            case .own, .foreign: try cache.account.bind(remote: space, username: username, server: address)
            case .lost: try SyncEngine.rebind(cache, remote: space, username: username, server: address)
            }
            try SyncStatus.forgetFailure(in: cache)
            return claim
        }
    }

    /// Where the account is that the home belongs to; nil: unknown.
    private func ownersServer() async throws -> String? {
        if let server = try await store.read({ try $0.account.server() }) { return server }
        return await home()
    }

    /// The server that the home knows.
    private func home() async -> String? { await identity()?.server.description }

    // Not `try?` inside `address`, which the optimiser of Swift 6.3.1 crashes over.
    private func identity() async -> SessionIdentity? {
        do { return try await backend.session.status().identity } catch { return nil }
    }

    /// Whether plain http is accepted for the server: by this command, for this process, or at an earlier sign-in
    /// there.
    private func accepts(_ place: Place, _ address: ServerAddress) async -> Bool {
        if place.insecureHTTP || acceptsInsecureHTTP { return true }
        let known = await identity()
        return known?.server == address && known?.insecureHTTP == true
    }

    // In two parts: as one function it ends Swift 6.3.1 with signal 11 when optimised.
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

/// What a home is to an account that has signed in on it.
enum HomeClaim: Sendable, Equatable {
    /// Unclaimed, or this account's.
    case own
    /// This account's by name, but the server has lost its data and the account was created again.
    case lost
    /// Another account's.
    case foreign

    /// - Parameters:
    ///   - space: the space that the home is bound to; nil: none.
    ///   - owner: the user name that it belongs to.
    ///   - server: the address at which the owner's account is; nil: unknown.
    ///   - identity: who has signed in, and where.
    init(space: String?, owner: String?, server: String?, identity: SessionIdentity) {
        if space == nil || space == identity.personalSpace {
            self = .own
        } else {
            let isSame = Self.isSame(owner, identity.username) && server == identity.server.description
            self = isSame ? .lost : .foreign
        }
    }

    /// Whether two user names are the same to a server.
    static func isSame(_ one: String?, _ other: String) -> Bool { one.map(Username.folded) == Username.folded(other) }
}
