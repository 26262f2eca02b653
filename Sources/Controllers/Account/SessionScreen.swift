internal import Backend
public import ControllerKit
public import Foundation
internal import Records
internal import SyncAPI

/// The screen of the account and its devices.
public enum SessionScreen: Screen {
    public static let name = "session"
    public static let summary = "The account that is signed in, and its devices."

    /// The state that views show.
    public struct State: ScreenState {
        /// The user name; nil: no account has signed in on this home.
        public var username: String?
        /// The server's address.
        public var server: String?
        /// Whether requests are sent without encryption, as accepted with `--insecure-http`.
        public var insecureHTTP = false
        /// The id of this device, which is also in the clocks of its edits.
        public var device: String?
        /// Whether the session can be used.
        public var isSignedIn = false
        /// Why the session ended; nil: it can be used, or there was none.
        public var ended: EndedSession?
        /// The account's devices; empty before the first `devices`.
        public var devices: [Device] = []
        public var notice: String?

        /// A signed-in device.
        public struct Device: Codable, Equatable, Sendable {
            /// Its id.
            public var id: String
            /// The name that it signed in with.
            public var name: String
            /// When it last sent a request to the server; nil: the server's time can't be parsed.
            public var lastSeenAt: Date?
            /// Whether it is this device.
            public var isThisOne: Bool
        }

        public init() {}
    }

    /// The text that views show for a session whose `State.insecureHTTP` is set.
    public static let insecureHTTPNote = "not encrypted: others can read what is sent (--insecure-http)"

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Show the account, the server and this device.
        case whoAmI
        /// List the devices of the account.
        case devices
        /// Sign out another device, named by its id or a unique beginning of it.
        case revoke(device: String)
        /// Change the password; every other session of the account ends.
        case changePassword(current: String, new: String)
        /// End the session of this home; its records stay here.
        case logOut
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "whoami", traits: .readOnly, help: "Show the account, the server and this device.",
            examples: [Example("whoami", "Show who is signed in, and on which server.")]
        ) { .whoAmI },
        Verb(
            "devices", .option(.text("revoke", help: "Sign out the device with this id, or beginning of an id.")),
            help: "List the devices of the account.",
            examples: [
                Example("devices", "List the devices with their ids."),
                Example("devices --revoke 3f2a9c", "Sign out a device, for example a lost one."),
            ]
        ) { $0.map { .revoke(device: $0) } ?? .devices },
        Verb(
            "password", .secret("current", help: "The current password."),
            .secret("new", help: "The new password, at least 8 bytes.", isNew: true),
            answer: .notice, help: "Change the password. All other devices must sign in again.",
            examples: [Example("password", "Asks for the current password, then for the new one.")]
        ) { .changePassword(current: $0, new: $1) },
        Verb(
            "logout", answer: .notice, help: "Sign out. The records stay in this home.",
            examples: [Example("logout", "End the session of this home.")]
        ) { .logOut },
    ]
}

/// Shows the session and the devices, signs out devices, and changes the password.
public final class SessionController: Controller {
    public typealias Screen = SessionScreen
    public let model = Model(SessionScreen.State())
    private let account: AccountService

    /// Creates a controller.
    public init(_ account: AccountService) { self.account = account }

    public func handle(_ intent: SessionScreen.Intent) async throws {
        state.notice = nil
        try await show()
        do { try await perform(intent) } catch {
            // The server may have ended the session with its answer. If that can't be read, the first error is still
            // the one to report.
            try? await show()
            throw error
        }
    }

    /// Refuses a new password without a session, before it is typed.
    public func check(_ intent: SessionScreen.Intent) async throws {
        guard case .changePassword = intent else { return }
        try await account.backend.session.reload()
        guard case .active = try await account.backend.session.status() else { throw Self.noSession }
    }

    /// The refusal of a new password without a session.
    private static let noSession = Failure(.signedOut, "Not signed in. `login` first, then change the password.")

    private func perform(_ intent: SessionScreen.Intent) async throws {
        switch intent {
        case .whoAmI: state.devices = []
        case .devices: try await listDevices()
        case .revoke(let device): try await revoke(device)
        case .changePassword(let current, let new): try await changePassword(current, new)
        case .logOut: try await logOut()
        }
    }

    private func show() async throws {
        // Another process may have signed in or out.
        try await account.backend.session.reload()
        let status = try await account.backend.session.status()
        state.username = status.identity?.account.username
        state.server = status.identity?.server.description
        state.insecureHTTP = status.identity?.insecureHTTP ?? false
        state.device = try await account.deviceID()
        switch status {
        case .neverSignedIn: (state.isSignedIn, state.ended) = (false, nil)
        case .active: (state.isSignedIn, state.ended) = (true, nil)
        case .ended(_, let reason): (state.isSignedIn, state.ended) = (false, EndedSession(reason))
        }
    }

    private func listDevices() async throws {
        let devices = try await account.backend.devices()
        try await account.devices.save(devices)
        state.devices = devices.map {
            .init(id: $0.id, name: $0.name, lastSeenAt: $0.lastSeenAt.date, isThisOne: $0.current)
        }
    }

    private func revoke(_ reference: String) async throws {
        // The shown list may be old: a device that signed in since could make the beginning ambiguous.
        try await listDevices()
        let beginning = state.devices.filter { $0.id.hasPrefix(reference) }
        // A whole id names its device, even if it is the beginning of another id.
        let named = beginning.filter { $0.id == reference }
        let matches = named.isEmpty ? beginning : named
        guard let device = matches.first, matches.count == 1 else {
            let how = matches.isEmpty ? "No device's id begins" : "The ids of several devices begin"
            throw Failure(.notFound, "\(how) with “\(reference)”. See `devices`.")
        }
        if device.isThisOne { throw Failure(.usage, "That is this device. To sign it out, use `logout`.") }
        try await account.backend.revokeDevice(id: device.id)
        try await listDevices()
        state.notice = "Signed out \(device.name) (\(device.id))."
    }

    private func changePassword(_ current: String, _ new: String) async throws {
        guard state.isSignedIn else { throw Self.noSession }
        try LoginRules.check(password: new)
        let request = PasswordChangeRequest(currentPassword: current, newPassword: new)
        do { try await account.backend.changePassword(request) } catch .problem(let problem, _)
            where problem.code == .invalidCredentials
        {
            // The error's own message is about a sign-in: it mentions the user name, too.
            throw Failure(.signedOut, "The current password is wrong. Nothing was changed. Try again.")
        }
        state.notice = "Changed the password. All other devices must sign in again."
    }

    private func logOut() async throws {
        guard let username = state.username, state.isSignedIn else {
            let reason = state.ended.map { " (\($0.reason))" } ?? ""
            throw Failure(.signedOut, "Not signed in\(reason), so there is nothing to sign out of.")
        }
        let unsent = try await account.unsentRecordCount()
        let outcome = try await account.backend.logOut()
        try await show()
        state.devices = []
        var notice = "Signed out \(username)."
        if unsent > 0 {
            notice +=
                " \(unsent) record\(unsent == 1 ? " has" : "s have") unsent edits; they stay here and are sent "
                + "after the next `login`."
        }
        // The server may still accept the session's tokens.
        if case .hereOnly = outcome {
            notice += " The server didn't confirm it; to be sure, revoke this device from another."
        }
        state.notice = notice
    }
}

/// Why a session can't be used: what views need of `SessionEnd`. In JSON it is the name of the reason.
public struct EndedSession: RawRepresentable, Codable, CaseIterable, Equatable, Sendable {
    public static let allCases = SessionEnd.allCases.map { Self($0) }

    private let end: SessionEnd

    /// Creates the reason of this name; nil: there is none of this name.
    public init?(rawValue: String) {
        guard let end = SessionEnd(rawValue: rawValue) else { return nil }
        self.init(end)
    }

    init(_ end: SessionEnd) { self.end = end }

    /// The name of the reason, such as `expired`.
    public var rawValue: String { end.rawValue }
    /// What has happened, as a clause: `the session has expired`. Errors of calls to the server have the same wording.
    public var reason: String { end.reason }
    /// Whether to sign in again needs the https address of the server, or the consent to plain http.
    public var needsEncryption: Bool { end == .unencrypted }
}
