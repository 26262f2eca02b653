internal import Backend
public import ControllerKit
internal import LocalStore
internal import SyncAPI
internal import SyncEngine

/// Making an account, and signing in.
public enum LoginScreen: Screen {
    public static let name = "login"
    public static let summary = "Create an account on a server, or sign in."

    /// What a view shows; the password is never in it.
    public struct State: ScreenState {
        /// The account that was asked for last.
        public var username = ""
        /// The server that was asked for last, or that the home knows.
        public var server: String?
        /// Whether an answer of the server is awaited.
        public var isUnderWay = false
        /// The user name that is signed in; nil: none.
        public var signedInAs: String?
        public var notice: String?

        public init() {}
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Make an account and sign in to it. `deviceName`: the name of this device in the list of devices, kept for
        /// later sign-ins; nil: the name kept before, or the host's. `insecureHTTP`: plain http to another machine is
        /// accepted.
        case register(
            username: String, password: String, server: String, invite: String?, deviceName: String? = nil,
            insecureHTTP: Bool = false)
        /// Sign in. Without a server, to the one that the home knows; `deviceName` and `insecureHTTP` as with `register`.
        case logIn(
            username: String, password: String, server: String?, deviceName: String? = nil, insecureHTTP: Bool = false)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "register", .text("name", help: "The new account's name."),
            .secret("password", help: "At least 8 bytes.", isNew: true),
            .option(.text("server", help: "The server's address.")),
            .option(.text("invite", help: "Invitation code, if the server requires one.")),
            .option(.text("device-name", help: deviceNameHelp)), .flag("insecure-http", help: insecureHTTPHelp),
            answer: .notice,
            help: "Create an account on a server. The records of this home belong to it from then on.",
            examples: [
                Example("register ada --server https://notes.example.org", "Create the account; asks for a password."),
                Example(
                    "register ada --server https://notes.example.org --invite K7PQ",
                    "With an invitation code of that server."),
            ]
        ) {
            .register(username: $0, password: $1, server: $2 ?? "", invite: $3, deviceName: $4, insecureHTTP: $5)
        },
        Verb(
            "login", .text("name", help: "The account's name."), .secret("password", help: "The account's password."),
            .option(.text("server", help: "The server's address; by default the one that this home used last.")),
            .option(.text("device-name", help: deviceNameHelp)), .flag("insecure-http", help: insecureHTTPHelp),
            answer: .notice, help: "Sign in to an account.",
            examples: [
                Example("login ada --server https://notes.example.org", "On another device; asks for the password."),
                Example("login ada --password-file key.txt", "In a script, on the server that this home used last."),
                Example("login ada --device-name kitchen", "Give this device a name."),
            ]
        ) { .logIn(username: $0, password: $1, server: $2, deviceName: $3, insecureHTTP: $4) },
    ]

    private static let deviceNameHelp =
        "Name of this device in `devices`; by default the last name given, or the host name."
    private static let insecureHTTPHelp =
        "Accept a server without encryption; others can read the password and the records on the network."
}

/// Signs in, and binds the home to the account that does so first.
public final class LoginController: Controller {
    public typealias Screen = LoginScreen
    public let model = Model(LoginScreen.State())
    private let account: AccountService

    /// Creates a controller.
    public init(_ account: AccountService) { self.account = account }

    public func handle(_ intent: LoginScreen.Intent) async throws {
        state.notice = nil
        await showSession()
        switch intent {
        case .register(let username, let password, let server, let invite, let deviceName, let insecureHTTP):
            let place = AccountService.Place(server: server.isEmpty ? nil : server, insecureHTTP: insecureHTTP)
            try await register(username, password, at: place, invite, deviceName)
        case .logIn(let username, let password, let server, let deviceName, let insecureHTTP):
            let place = AccountService.Place(server: server, insecureHTTP: insecureHTTP)
            try await logIn(username, password, at: place, deviceName)
        }
    }

    public func check(_ intent: LoginScreen.Intent) async throws {
        switch intent {
        case .register(let username, _, let server, _, let deviceName, let insecureHTTP):
            let place = AccountService.Place(server: server.isEmpty ? nil : server, insecureHTTP: insecureHTTP)
            try await account.check(username, at: place, deviceName)
            try await account.requireFree(for: username, at: place.server)
        case .logIn(let username, _, let server, let deviceName, let insecureHTTP):
            try await account.check(
                username, at: AccountService.Place(server: server, insecureHTTP: insecureHTTP), deviceName)
            try await account.requireOwn(username)
        }
    }

    private func register(
        _ username: String, _ password: String, at place: AccountService.Place, _ invite: String?, _ deviceName: String?
    ) async throws {
        try LoginRules.check(username: username, password: password, deviceName: deviceName)
        try await account.requireFree(for: username, at: place.server)
        let claim = try await signIn(username, at: place, deviceName) { device, address, insecureHTTP in
            let request = RegisterRequest(username: username, password: password, device: device, invite: invite)
            return try await account.backend.register(request, at: address, insecureHTTP: insecureHTTP)
        }
        state.notice =
            "Created the account \(username) and signed in. " + Self.notice(claim, "`sync` sends your records at once.")
    }

    private func logIn(
        _ username: String, _ password: String, at place: AccountService.Place, _ deviceName: String?
    ) async throws {
        try LoginRules.check(username: username, password: password, deviceName: deviceName)
        try await account.requireOwn(username)
        let claim = try await signIn(username, at: place, deviceName) { device, address, insecureHTTP in
            let request = LogInRequest(username: username, password: password, device: device)
            return try await account.backend.logIn(request, at: address, insecureHTTP: insecureHTTP)
        }
        state.notice = "Signed in as \(username). " + Self.notice(claim, "`sync` brings this device up to date.")
    }

    private static func notice(_ claim: HomeClaim, _ usual: String) -> String {
        claim == .lost
            ? "The server no longer has the account that this home belonged to. The home belongs to this account now, and "
                + "`sync` sends it all records." : usual
    }

    private func signIn(
        _ username: String, at place: AccountService.Place, _ deviceName: String?,
        _ open: (_ device: DeviceClaim, _ server: ServerAddress, _ insecureHTTP: Bool) async throws -> Credentials
    ) async throws -> HomeClaim {
        defer { state.isUnderWay = false }
        let claim = try await account.signIn(
            at: place, deviceName,
            begun: { address in
                state.username = username
                state.server = address.description
                state.isUnderWay = true
            }, open)
        await showSession()
        return claim
    }

    /// Shows the account and the server of this device's session.
    private func showSession() async {
        // A store of credentials that can't be read doesn't stop the sign-in, which replaces what is stored. Until then the
        // last session that was read is shown, or none.
        try? await account.backend.session.reload()
        let status = try? await account.backend.session.status()
        if case .active(let identity) = status {
            state.signedInAs = identity.account.username
        } else {
            state.signedInAs = nil
        }
        state.server = status?.identity?.server.description ?? state.server
    }
}

/// What is known to be wrong before the server is asked.
public enum LoginRules {
    /// Checks the arguments of a sign-in.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    public static func check(username: String, password: String, deviceName: String? = nil) throws(Failure) {
        try check(username: username, deviceName: deviceName)
        try check(password: password)
    }

    /// Checks the arguments of a sign-in except the password.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    public static func check(username: String, deviceName: String?) throws(Failure) {
        if username.isEmpty { throw Failure(.usage, "The user name is empty. Give a name.") }
        if let deviceName { try check(deviceName: deviceName) }
    }

    /// How long the name of a device may be, in bytes of UTF-8 (SyncAPI.docc/Protocol.md, "Accounts, sessions,
    /// devices").
    private static let deviceNameBytes = 1...256

    private static func check(deviceName: String) throws(Failure) {
        let (count, limits) = (deviceName.utf8.count, deviceNameBytes)
        if deviceName.allSatisfy(\.isWhitespace) {
            throw Failure(.usage, "The device's name is empty. Give it a name.")
        }
        guard limits.contains(count) else {
            throw Failure(
                .usage, "The device's name has \(count) bytes; at most \(limits.upperBound) are allowed.")
        }
    }

    /// Checks a password, that of an account or a new one.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    public static func check(password: String) throws(Failure) {
        let (count, limits) = (password.utf8.count, Limits.passwordBytes)
        if count == 0 { throw Failure(.usage, "The password is empty.") }
        guard limits.contains(count) else {
            throw Failure(
                .usage,
                "The password has \(count) byte\(count == 1 ? "" : "s"); it must have \(limits.lowerBound) to "
                    + "\(limits.upperBound).")
        }
    }
}
