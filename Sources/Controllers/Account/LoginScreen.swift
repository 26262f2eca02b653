internal import Backend
public import ControllerKit
internal import LocalStore
internal import SyncAPI
internal import SyncEngine

/// Making an account, and signing in.
public enum LoginScreen: Screen {
    public static let name = "login"
    public static let summary = "Make an account on a server, or sign in to one."

    /// What a view shows; the password is never in it.
    public struct State: ScreenState {
        /// The account that was asked for last.
        public var username = ""
        /// The server that was asked for last, or that the home knows.
        public var server: String?
        /// Whether an answer of the server is awaited.
        public var isUnderWay = false
        /// Who is signed in; nil: nobody.
        public var signedInAs: String?
        public var notice: String?

        public init() {}
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Make an account and sign in to it.
        case register(username: String, password: String, server: String, invite: String?)
        /// Sign in. Without a server, to the one that the home knows.
        case logIn(username: String, password: String, server: String?)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "register", .text("name", help: "The new account's name."), .secret("password", help: "At least 8 bytes."),
            .option(.text("server", help: "The server's address.")),
            .option(.text("invite", help: "The invitation, if the server wants one.")), answer: .notice,
            help: "Make an account on a server; what is here already belongs to it from then on."
        ) { .register(username: $0, password: $1, server: $2 ?? "", invite: $3) },
        Verb(
            "login", .text("name", help: "The account's name."), .secret("password", help: "The account's password."),
            .option(.text("server", help: "The server's address; the known one if left out.")), answer: .notice,
            help: "Sign in to an account."
        ) { .logIn(username: $0, password: $1, server: $2) },
    ]
}

/// Signs in, and binds the home to the account that does so first.
public final class LoginController: Controller {
    public typealias Screen = LoginScreen
    public let model = Model(LoginScreen.State())
    private let services: Services

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    public func handle(_ intent: LoginScreen.Intent) async throws {
        state.notice = nil
        await showSession()
        switch intent {
        case .register(let username, let password, let server, let invite):
            try await register(username, password, at: server, invite)
        case .logIn(let username, let password, let server): try await logIn(username, password, at: server)
        }
    }

    private func register(_ username: String, _ password: String, at server: String, _ invite: String?) async throws {
        try LoginRules.check(username: username, password: password)
        // Refused before the server makes an account that this home could never use.
        if let owner = try await services.store.read({ try $0.owner() }) {
            throw Failure(
                .conflict,
                "This home belongs to the account \(owner). `login \(owner)`, or make the new account in another home with "
                    + "--home.")
        }
        try await signIn(username, at: server.isEmpty ? nil : server) { device, address in
            let request = RegisterRequest(username: username, password: password, device: device, invite: invite)
            return try await services.backend.register(request, at: address)
        }
        state.notice = "Made the account \(username) and signed in. `sync` sends what is here."
    }

    private func logIn(_ username: String, _ password: String, at server: String?) async throws {
        try LoginRules.check(username: username, password: password)
        let owner = try await services.store.read { try $0.owner() }
        if let owner, Username.folded(owner) != Username.folded(username) {
            throw LocalStoreError.otherAccount(username: owner)
        }
        try await signIn(username, at: server) { device, address in
            let request = LogInRequest(username: username, password: password, device: device)
            return try await services.backend.logIn(request, at: address)
        }
        state.notice = "Signed in as \(username). `sync` brings this device up to date."
    }

    private func signIn(
        _ username: String, at server: String?, _ open: (DeviceClaim, ServerAddress) async throws -> Credentials
    ) async throws {
        let address = try await address(server)
        let device = try await services.store.write { try $0.device() }
        state.username = username
        state.server = address.description
        state.isUnderWay = true
        defer { state.isUnderWay = false }
        try await keep(open(DeviceClaim(name: services.deviceName, id: device), address))
        await showSession()
    }

    /// Binds the home to the account and begins the session; a session that can't be kept is given back.
    private func keep(_ credentials: Credentials) async throws {
        let identity = credentials.identity
        do {
            try await services.store.write { cache in
                try cache.bind(remote: identity.account.personalSpace, username: identity.account.username)
                try cache.forgetSyncProblem()
            }
            try await services.backend.session.begin(credentials)
        } catch {
            try? await services.backend.discard(credentials)
            guard case LocalStoreError.otherAccount(let owner) = error else { throw error }
            throw Failure(
                .conflict,
                "This home belongs to another account, \(owner) on \(await home() ?? "another server"), not to "
                    + "\(identity.account.username) on \(identity.server). Nothing was changed. Use another home with --home."
            )
        }
    }

    /// The server that the home knows.
    private func home() async -> String? { await knownServer()?.description }

    // Not `try?` inside `address`, which the optimiser of Swift 6.3.1 crashes over.
    private func knownServer() async -> ServerAddress? {
        do { return try await services.backend.session.status().identity?.server } catch { return nil }
    }

    /// A session that can't be read is nobody's: signing in replaces it.
    private func showSession() async {
        try? await services.backend.session.reload()
        let status = try? await services.backend.session.status()
        if case .active(let identity) = status {
            state.signedInAs = identity.account.username
        } else {
            state.signedInAs = nil
        }
        state.server = status?.identity?.server.description ?? state.server
    }

    private func address(_ typed: String?) async throws -> ServerAddress {
        if let typed { return try ServerAddress(typed) }
        if let known = await knownServer() { return known }
        throw Failure(.usage, "Which server? Name it with --server https://notes.example.org.")
    }
}

/// What is known to be wrong before the server is asked.
public enum LoginRules {
    /// Checks what somebody signs in with.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    public static func check(username: String, password: String) throws(Failure) {
        if username.isEmpty { throw Failure(.usage, "The user name is empty. Give one: `login NAME`.") }
        try check(password: password)
    }

    /// Checks a password, that of an account or a new one.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    public static func check(password: String) throws(Failure) {
        let (count, limits) = (password.utf8.count, Limits.passwordBytes)
        if count == 0 { throw Failure(.usage, "The password is empty.") }
        guard limits.contains(count) else {
            throw Failure(
                .usage, "The password must have \(limits.lowerBound) to \(limits.upperBound) bytes, and has \(count).")
        }
    }
}
