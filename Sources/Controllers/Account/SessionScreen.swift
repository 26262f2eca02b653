internal import Backend
public import ControllerKit
public import Foundation
internal import SyncAPI

/// The screen of the account and its devices.
public enum SessionScreen: Screen {
    public static let name = "session"
    public static let summary = "The account that is signed in, its devices and its app passwords."

    /// The state that views show. Its only secret is that of an app password which was just created.
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
        /// What the app password may do with which this home is signed in, and how long; nil: it is signed in with the
        /// account's password, or isn't signed in.
        public var appPassword: AppPasswordInfo?
        /// What the account uses on the server; nil: the server wasn't asked, or `usageFailure` says why it is unknown.
        public var usage: AccountUsage?
        /// Why the usage is unknown, in sentences: the server refused, or didn't answer in time. Nil: it is known, the
        /// server wasn't asked, or the session has ended.
        public var usageFailure: String?
        /// The requested devices and app passwords; empty before the first `devices`.
        public var devices: [Device] = []
        /// Whether `devices` has app passwords only.
        public var onlyAppPasswords = false
        /// The app password that was created by the last command; nil: it did something else.
        public var created: CreatedAppPassword?
        public var notice: String?

        /// A signed-in device or an app password.
        public struct Device: Codable, Equatable, Sendable {
            /// Its id.
            public var id: String
            /// The name that it signed in with, or was given since.
            public var name: String
            /// When it last sent a request to the server; nil: the server's time can't be parsed.
            public var lastSeenAt: Date?
            /// Whether it is this device.
            public var isThisOne: Bool
            /// The properties of an app password; nil: it is a device.
            public var appPassword: AppPasswordInfo?
        }

        public init() {}
    }

    /// The text that views show for a session whose `State.insecureHTTP` is set.
    public static let insecureHTTPNote = "not encrypted: others can read what is sent (--insecure-http)"

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Show the account, its usage, the server and this device.
        case whoAmI
        /// List the devices and the app passwords of the account.
        case devices
        /// Sign out another device or revoke an app password, named by its id, a unique beginning of it, or its name.
        case revoke(device: String)
        /// Give a device or an app password another name; `device`: as for `revoke`, nil: this device.
        case rename(device: String?, name: String)
        /// List the app passwords of the account.
        case appPasswords
        /// Create an app password. `expires`: a date expression such as `90d`; nil: in a year. `password`: the account's.
        case createAppPassword(name: String, isReadOnly: Bool, expires: String?, password: String)
        /// Change the password; every other session of the account ends, and its app passwords are revoked.
        case changePassword(current: String, new: String)
        /// End the session of this home; its records stay here.
        case logOut
        /// End the sessions of other devices, too, or only those. App passwords are revoked.
        case signOut(SignOutScope)
        /// Delete the account on the server; the records of this home stay here.
        case deleteAccount(password: String)
        /// Refuse words that have no meaning.
        case refuse(String)
    }

    /// The devices that are signed out.
    public enum SignOutScope: Sendable {
        /// All devices of the account.
        case everywhere
        /// All but this one.
        case others
    }

    /// The words after `token`.
    private enum TokenAction: String, CaseIterable {
        case list, add, revoke
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "whoami", traits: [.readOnly, .remote],
            help: "Show the account, its usage and quota, the server and this device.",
            namesElsewhere: ["quota", "account"],
            examples: [Example("whoami", "Show who is signed in, on which server, and what is used of the quota.")]
        ) { .whoAmI },
        Verb(
            "devices", .option(.text("revoke", help: "Sign out the device with this name, id or beginning of an id.")),
            .option(.text("rename", help: "Give the device with this name, id or beginning of an id another name.")),
            .option(.text("name", help: "The new name; without --rename, that of this device.")),
            help: "List the devices of the account, name them, or sign one out.",
            examples: [
                Example("devices", "List the devices with their ids."),
                Example("devices --revoke phone", "Sign out a device by its name, for example a lost one."),
                Example("devices --name kitchen", "Name this device."),
                Example("devices --rename 3f2a9c --name laptop", "Name another device."),
            ]
        ) { revoke, rename, name in
            switch (revoke, rename, name) {
            case (nil, nil, nil): .devices
            case (let device?, nil, nil): .revoke(device: device)
            case (nil, let device, let name?): .rename(device: device, name: name)
            case (nil, _, nil): .refuse("The new name of the device is missing. Fill in `name`, too.")
            case (_?, _, _): .refuse("A device is either signed out or named. Leave out `revoke`, or the other fields.")
            }
        },
        Verb(
            "token",
            .optional(
                .choice("action", TokenAction.allCases.map(\.rawValue), help: "What to do; without it, list them.")),
            .optional(.text("name", help: "The name of a new app password; the name or the id of one to revoke.")),
            .flag("read-only", help: "The app password may only read."),
            .option(.text("expires", help: "When it expires, such as 90d or 2027-01-31; by default in a year.")),
            .with(
                "action", TokenAction.add.rawValue,
                .secret("password", help: "The account's password, for a new app password.")),
            help: "List, create and revoke app passwords, with which other programs use the account.",
            namesElsewhere: ["tokens", "app-password"],
            examples: [
                Example(
                    "token add phone --read-only --expires 90d",
                    "Create one; asks for the account's password. The secret is shown only now."),
                Example("token", "List the app passwords."),
                Example("token revoke phone", "Revoke it at once."),
            ]
        ) { action, name, isReadOnly, expires, password in
            switch (TokenAction(rawValue: action ?? "") ?? .list, name, password) {
            case (.list, nil, nil) where !isReadOnly && expires == nil: .appPasswords
            case (.add, let name?, let password?):
                .createAppPassword(name: name, isReadOnly: isReadOnly, expires: expires, password: password)
            case (.revoke, let name?, nil) where !isReadOnly && expires == nil: .revoke(device: name)
            case (.add, nil, _): .refuse("The app password needs a name, for example that of the program that uses it.")
            case (.add, _?, nil): .refuse("The account's password is missing; a new app password needs it.")
            case (.revoke, nil, _): .refuse("Which app password? Give its name or its id.")
            case (.list, _, _), (.revoke, _, _):
                .refuse("`list` needs nothing else, and `revoke` only the name. Only `add` has options and a password.")
            }
        },
        Verb(
            "password", .secret("current", help: "The current password."),
            .secret("new", help: "The new password, at least 8 characters.", isNew: true),
            answer: .notice,
            help: "Change the password. All other devices must sign in again, and all app passwords are revoked.",
            examples: [Example("password", "Asks for the current password, then for the new one.")]
        ) { .changePassword(current: $0, new: $1) },
        Verb(
            "logout", .flag("everywhere", help: "Sign out all devices, and revoke the app passwords."),
            .flag("others", help: "Sign out all devices but this one, and revoke the app passwords."),
            answer: .notice, help: "Sign out. The records stay in this home.",
            examples: [
                Example("logout", "End the session of this home."),
                Example("logout --everywhere", "End the sessions of all devices of the account."),
            ]
        ) { isEverywhere, isOthers in
            switch (isEverywhere, isOthers) {
            case (false, false): .logOut
            case (true, false): .signOut(.everywhere)
            case (false, true): .signOut(.others)
            case (true, true): .refuse("Choose either `everywhere` or `others`.")
            }
        },
        Verb(
            "unregister", .secret("password", help: "The account's password."), answer: .notice, traits: .destructive,
            help: "Delete the account and its records on the server. The records of this home stay here.",
            namesElsewhere: ["delete-account", "deregister", "close-account"],
            examples: [Example("unregister", "Asks for the password.")]
        ) { .deleteAccount(password: $0) },
    ]
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
