internal import Backend
public import ControllerKit
internal import LocalStore
internal import Records
internal import SyncAPI
internal import SyncEngine

/// The screen that creates accounts and signs in.
public enum LoginScreen: Screen {
    public static let name = "login"
    public static let summary = "Create an account on a server, or sign in."

    /// The state that views show. It never contains the password.
    public struct State: ScreenState {
        /// The user name of the last request.
        public var username = ""
        /// The server of the last request, or of the stored session.
        public var server: String?
        /// Whether a request is under way.
        public var isUnderWay = false
        /// The user name that is signed in; nil: none.
        public var signedInAs: String?
        public var notice: String?

        public init() {}
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Create an account and sign in to it. `deviceName`: the name of this device in the list of devices, kept for
        /// later sign-ins; nil: the name kept before, or the host's. `insecureHTTP`: plain http to another machine is
        /// accepted.
        case register(
            username: String, password: String, server: String, invite: String?, deviceName: String? = nil,
            insecureHTTP: Bool = false)
        /// Sign in. `server`: nil: the one of the stored session. `deviceName` and `insecureHTTP` as for `register`.
        case logIn(
            username: String, password: String, server: String?, deviceName: String? = nil, insecureHTTP: Bool = false)
        /// Sign in with a one-time code of the server's owner in place of a forgotten password, and set a new one. The
        /// other arguments are as for `logIn`.
        case reset(
            username: String, code: String, password: String, server: String?, deviceName: String? = nil,
            insecureHTTP: Bool = false)
        /// Refuse words that have no meaning.
        case refuse(String)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "register", .text("name", help: "The new account's name."),
            .secret("password", help: "At least 8 characters.", isNew: true),
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
            "login", .text("name", help: "The account's name."),
            .without("reset", .secret("password", help: "The account's password, or an app password.")),
            .flag("reset", help: "Sign in with a one-time code of the server's owner, and set a new password."),
            .with("reset", .secret("code", help: "The one-time code.")),
            .with(
                "reset",
                .secret("new-password", help: "The new password, at least 8 characters.", isNew: true)),
            .option(.text("server", help: "The server's address; by default the one that this home used last.")),
            .option(.text("device-name", help: deviceNameHelp)), .flag("insecure-http", help: insecureHTTPHelp),
            answer: .notice, help: "Sign in to an account.",
            examples: [
                Example("login ada --server https://notes.example.org", "On another device; asks for the password."),
                Example("login ada --password-file key.txt", "In a script, on the server that this home used last."),
                Example("login ada --device-name kitchen", "Give this device a name."),
                Example("login ada --reset", "Forgotten password: asks for the owner's code and for a new password."),
            ]
        ) { name, password, isReset, code, new, server, deviceName, insecureHTTP in
            switch (isReset, password, code, new) {
            case (true, nil, let code, let new):
                .reset(
                    username: name, code: code ?? "", password: new ?? "", server: server, deviceName: deviceName,
                    insecureHTTP: insecureHTTP)
            case (false, let password, nil, nil):
                .logIn(
                    username: name, password: password ?? "", server: server, deviceName: deviceName,
                    insecureHTTP: insecureHTTP)
            case (true, _?, _, _):
                .refuse(
                    "With --reset, the code takes the place of the password. Give the files with --code-file and "
                        + "--new-password-file, or leave out --password-file to be asked.")
            case (false, _, _, _):
                .refuse("A one-time code and a new password need `reset`; without it, give only the password.")
            }
        },
    ]

    private static let deviceNameHelp =
        "Name of this device in `devices`; by default the last name given, or the host name."
    private static let insecureHTTPHelp =
        "Accept a server without encryption; others can read the password and the records on the network."
}

/// Creates accounts and signs in, also with a one-time code. The home is bound to the account that signs in first.
public final class LoginController: Controller {
    public typealias Screen = LoginScreen
    public let model = Model(LoginScreen.State())
    private let account: AccountService

    /// Creates a controller.
    public init(_ account: AccountService) { self.account = account }

    public func handle(_ intent: LoginScreen.Intent) async throws {
        state.notice = nil
        await showSession()
        defer { state.isUnderWay = false }
        switch intent {
        case .register(let username, let password, let server, let invite, let deviceName, let insecureHTTP):
            let place = AccountService.Place(server: server.isEmpty ? nil : server, insecureHTTP: insecureHTTP)
            let claim = try await account.register(
                username, password: password, invite: invite, at: place, deviceName: deviceName,
                begun: { showBegin(username, at: $0) })
            await showSession()
            state.notice =
                "Created the account \(state.signedInAs ?? username) and signed in. "
                + Self.notice(claim, "`sync` sends your records at once.")
        case .refuse(let reason): throw Failure(.usage, reason)
        case .logIn(let username, let password, let server, let deviceName, let insecureHTTP):
            let place = AccountService.Place(server: server, insecureHTTP: insecureHTTP)
            let claim = try await account.logIn(
                username, password: password, at: place, deviceName: deviceName,
                begun: { showBegin(username, at: $0) })
            await showSession()
            state.notice =
                "Signed in as \(state.signedInAs ?? username). "
                + Self.notice(claim, "`sync` brings this device up to date.")
        case .reset(let username, let code, let password, let server, let deviceName, let insecureHTTP):
            let place = AccountService.Place(server: server, insecureHTTP: insecureHTTP)
            let claim = try await account.reset(
                username, code: code, password: password, at: place, deviceName: deviceName,
                begun: { showBegin(username, at: $0) })
            await showSession()
            state.notice =
                "Set the new password and signed in as \(state.signedInAs ?? username). All other devices must sign in "
                + "again, and all app passwords were revoked. "
                + Self.notice(claim, "`sync` brings this device up to date.")
        }
    }

    /// Shows who signs in at which server, before the server is asked.
    private func showBegin(_ username: String, at server: String) {
        (state.username, state.server, state.isUnderWay) = (username, server, true)
    }

    public func check(_ intent: LoginScreen.Intent) async throws {
        switch intent {
        case .register(let username, _, let server, _, let deviceName, let insecureHTTP):
            let place = AccountService.Place(server: server.isEmpty ? nil : server, insecureHTTP: insecureHTTP)
            try await account.check(username, at: place, deviceName)
            try await account.checkCanRegister(username, at: place.server)
        case .logIn(let username, _, let server, let deviceName, let insecureHTTP),
            .reset(let username, _, _, let server, let deviceName, let insecureHTTP):
            try await account.check(
                username, at: AccountService.Place(server: server, insecureHTTP: insecureHTTP), deviceName)
            try await account.checkCanLogIn(username)
        case .refuse(let reason): throw Failure(.usage, reason)
        }
    }

    private static func notice(_ claim: HomeClaim, _ usual: String) -> String {
        claim == .lost
            ? "The server no longer has the account that this home belonged to. The home belongs to this account now, and "
                + "`sync` sends it all records." : usual
    }

    /// Shows the account and the server of this device's session.
    private func showSession() async {
        // Errors are ignored: a sign-in replaces a stored session that can't be read. Until then the last session that
        // was read is shown, or none.
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

/// The checks of a sign-in that need no server.
enum LoginRules {
    /// Checks the arguments of a sign-in.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    static func check(username: String, password: String, deviceName: String? = nil) throws(Failure) {
        try check(username: username, deviceName: deviceName)
        try check(password: password)
    }

    /// Checks the arguments of a sign-in that sets a password.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    static func check(username: String, newPassword: String, deviceName: String? = nil) throws(Failure) {
        try check(username: username, deviceName: deviceName)
        try check(newPassword: newPassword)
    }

    /// Checks the arguments of a sign-in except the password.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    static func check(username: String, deviceName: String?) throws(Failure) {
        if username.isEmpty { throw Failure(.usage, "The user name is empty. Give a name.") }
        if let deviceName { try check(deviceName: deviceName) }
    }

    private static func check(deviceName: String) throws(Failure) {
        let (count, limits) = (deviceName.utf8.count, DeviceName.bytes)
        if deviceName.allSatisfy(\.isWhitespace) {
            throw Failure(.usage, "The device's name is empty. Give it a name.")
        }
        guard limits.contains(count) else {
            throw Failure(
                .usage,
                "The device's name has \(count) bytes; at most \(limits.upperBound) are allowed. Give a "
                    + "shorter one.")
        }
        guard DeviceName.isLine(deviceName) else {
            throw Failure(
                .usage, "The device's name has a line break or another control character. Give it a name in one line.")
        }
    }

    /// Checks the length of a new password, and that `login` wouldn't use it as an app password.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    static func check(newPassword: String) throws(Failure) {
        let (count, least) = (Password.characters(of: newPassword), Limits.passwordCharacters)
        if (1..<least).contains(count) {
            throw Failure(
                .usage,
                "The password has \(count.counted("character")); a new one has at least \(least). Choose a longer one.")
        }
        if CreatedAppPassword.isSecret(newPassword) {
            throw Failure(
                .usage,
                "The password has the form of an app password, so that `login` would use it as one. Choose "
                    + "another one.")
        }
        try check(password: newPassword)
    }

    /// Checks that a text can be sent as a password. A short one is sent, too: it is wrong, which the server says as of
    /// any other wrong password.
    ///
    /// - Throws: `Failure` of category `usage` that says what to change.
    static func check(password: String) throws(Failure) {
        let (count, most) = (password.utf8.count, Limits.passwordBytes.upperBound)
        if count == 0 { throw Failure(.usage, "The password is empty. Enter a password.") }
        if count > most {
            throw Failure(
                .usage, "The password has \(count) bytes; at most \(most) are allowed. Enter another password.")
        }
    }
}
