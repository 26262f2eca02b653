package import Logging
package import SyncAPI

/// A security event. `AuditLog` writes each as one line; its name and its message are defined here alone.
package enum AuditEvent: Sendable, Equatable {
    /// A device has signed in.
    case loggedIn(AuditSubject)
    /// A log-in was refused, for the reason with this code.
    case logInRefused(AuditSubject, Problem.Code)
    /// A log-in was not checked, since there were too many attempts.
    case logInLimited(AuditSubject)
    /// An account was created.
    case registered(AuditSubject)
    /// A registration was refused, for the reason with this code.
    case registrationRefused(AuditSubject, Problem.Code)
    /// A registration was not checked, since there were too many attempts.
    case registrationLimited(AuditSubject)
    /// A signed-in device gave a wrong password.
    case passwordRefused(AuditSubject, Problem.Code)
    /// The password of a signed-in device was not checked, since there were too many attempts.
    case passwordLimited(AuditSubject)
    /// The password was changed, which ended the other sessions.
    case passwordChanged(AuditSubject)
    /// A device has signed out.
    case loggedOut(AuditSubject)
    /// A device has ended the session of another one, or its own, by the device's id.
    case deviceRevoked(AuditSubject, revoked: String)
    /// A log-in has ended the session of the device that was unused for the longest time, since the account had as many
    /// as it may have.
    case deviceDisplaced(AuditSubject, revoked: String)
    /// A token that was replaced or withdrawn was used, so the session has ended: two parties had tokens of it.
    case tokenReuse(AuditSubject)
    /// An unknown refresh token was not checked, since there were too many. A single one isn't an event: each device that
    /// was signed out sends one.
    case refreshLimited(AuditSubject)
    /// The account was deleted.
    case accountDeleted(AuditSubject)
    /// A password was set with a one-time code, which ended all earlier sessions.
    case passwordReset(AuditSubject)
    /// All devices, or all others, were signed out: this number.
    case devicesSignedOut(AuditSubject, count: Int)
    /// An app password was created.
    case appPasswordCreated(AuditSubject, id: String, scope: AccessScope)
    /// An app password was revoked.
    case appPasswordRevoked(AuditSubject, revoked: String)
    /// The server's owner ran a command.
    case administered(OwnerAudit)

    /// The name of an event, the same in all versions, for programs.
    package enum Name: String, Sendable, CaseIterable {
        /// See `AuditEvent`.
        case loggedIn = "logged-in"
        case logInRefused = "login-refused"
        case logInLimited = "login-limited"
        case registered
        case registrationRefused = "registration-refused"
        case registrationLimited = "registration-limited"
        case passwordRefused = "password-refused"
        case passwordLimited = "password-limited"
        case passwordChanged = "password-changed"
        case loggedOut = "logged-out"
        case deviceRevoked = "device-revoked"
        case deviceDisplaced = "device-displaced"
        case tokenReuse = "token-reuse"
        case refreshLimited = "refresh-limited"
        case accountDeleted = "account-deleted"
        case passwordReset = "password-reset"
        case devicesSignedOut = "devices-signed-out"
        case appPasswordCreated = "app-password-created"
        case appPasswordRevoked = "app-password-revoked"
        // Commands of the owner (`OwnerAudit`).
        case userAdded = "user-added"
        case userDisabled = "user-disabled"
        case userEnabled = "user-enabled"
        case userDeleted = "user-deleted"
        case resetCodeMade = "reset-code-made"
        case quotaChanged = "quota-changed"
        case inviteAdded = "invite-added"
        case inviteWithdrawn = "invite-withdrawn"
        case deviceRevokedByOwner = "device-revoked-by-owner"
        case restored
        case storeMoved = "store-moved"

        /// The message for people.
        package var message: String {
            switch self {
            case .loggedIn: "a device has signed in"
            case .logInRefused: "a log-in was refused"
            case .logInLimited: "a log-in was refused after too many attempts"
            case .registered: "an account was created"
            case .registrationRefused: "a registration was refused"
            case .registrationLimited: "a registration was refused after too many attempts"
            case .passwordRefused: "a signed-in device gave a wrong password"
            case .passwordLimited: "a password of a signed-in device was refused after too many attempts"
            case .passwordChanged: "a password was changed; the other sessions of the account have ended"
            case .loggedOut: "a device has signed out"
            case .deviceRevoked: "a device was removed"
            case .deviceDisplaced:
                "a log-in beyond the quota signed out the device that was unused for the longest time"
            case .tokenReuse: "a replaced token was used again; its session has ended"
            case .refreshLimited: "an unknown refresh token was refused after too many attempts"
            case .accountDeleted: "an account was deleted"
            case .passwordReset:
                "a password was set with a one-time code; the earlier sessions of the account have ended"
            case .devicesSignedOut: "devices and app passwords of an account were signed out"
            case .appPasswordCreated: "an app password was created"
            case .appPasswordRevoked: "an app password was revoked"
            case .userAdded: "the owner added an account"
            case .userDisabled: "the owner disabled an account"
            case .userEnabled: "the owner enabled an account"
            case .userDeleted: "the owner deleted an account"
            case .resetCodeMade: "the owner made a one-time code for a new password"
            case .quotaChanged: "the owner changed the limits of an account"
            case .inviteAdded: "the owner made an invitation"
            case .inviteWithdrawn: "the owner withdrew an invitation"
            case .deviceRevokedByOwner: "the owner signed out a device or revoked an app password"
            case .restored: "the owner restored a backup"
            case .storeMoved: "the owner moved all data from another store to this one"
            }
        }

        /// The level of the event's line.
        package var level: Logger.Level {
            switch self {
            case .loggedIn, .loggedOut: .info
            case .tokenReuse, .restored: .warning
            case .logInRefused, .logInLimited, .registered, .registrationRefused, .registrationLimited,
                .passwordRefused, .passwordLimited, .passwordChanged, .deviceRevoked, .deviceDisplaced, .refreshLimited,
                .accountDeleted, .passwordReset,
                .devicesSignedOut, .appPasswordCreated, .appPasswordRevoked, .userAdded, .userDisabled, .userEnabled,
                .userDeleted, .resetCodeMade, .quotaChanged, .inviteAdded, .inviteWithdrawn, .deviceRevokedByOwner,
                .storeMoved:
                .notice
            }
        }

        /// All events as a table in Markdown.
        package static var table: String {
            allCases.reduce(into: "| event | level | message |\n| --- | --- | --- |\n") { table, name in
                table += "| `\(name.rawValue)` | \(name.level) | \(name.message) |\n"
            }
        }
    }

    package var name: Name {
        switch self {
        case .loggedIn: .loggedIn
        case .logInRefused: .logInRefused
        case .logInLimited: .logInLimited
        case .registered: .registered
        case .registrationRefused: .registrationRefused
        case .registrationLimited: .registrationLimited
        case .passwordRefused: .passwordRefused
        case .passwordLimited: .passwordLimited
        case .passwordChanged: .passwordChanged
        case .loggedOut: .loggedOut
        case .deviceRevoked: .deviceRevoked
        case .deviceDisplaced: .deviceDisplaced
        case .tokenReuse: .tokenReuse
        case .refreshLimited: .refreshLimited
        case .accountDeleted: .accountDeleted
        case .passwordReset: .passwordReset
        case .devicesSignedOut: .devicesSignedOut
        case .appPasswordCreated: .appPasswordCreated
        case .appPasswordRevoked: .appPasswordRevoked
        case .administered(let event): event.name
        }
    }

    /// The account that the event is about.
    package var subject: AuditSubject {
        switch self {
        case .loggedIn(let subject), .logInRefused(let subject, _), .logInLimited(let subject),
            .registered(let subject),
            .registrationRefused(let subject, _), .registrationLimited(let subject), .passwordRefused(let subject, _),
            .passwordLimited(let subject), .passwordChanged(let subject), .loggedOut(let subject),
            .deviceRevoked(let subject, _), .deviceDisplaced(let subject, _), .tokenReuse(let subject),
            .refreshLimited(let subject),
            .accountDeleted(let subject),
            .passwordReset(let subject), .devicesSignedOut(let subject, _), .appPasswordCreated(let subject, _, _),
            .appPasswordRevoked(let subject, _):
            subject
        // Its fields have the account.
        case .administered: AuditSubject()
        }
    }

    /// The fields of this event alone.
    var details: Logger.Metadata {
        switch self {
        case .logInRefused(_, let reason), .registrationRefused(_, let reason), .passwordRefused(_, let reason):
            ["reason": "\(reason.rawValue)"]
        case .deviceRevoked(_, let revoked), .deviceDisplaced(_, let revoked), .appPasswordRevoked(_, let revoked):
            ["revoked": "\(revoked)"]
        case .devicesSignedOut(_, let count): ["count": "\(count)"]
        case .appPasswordCreated(_, let id, let scope): ["created": "\(id)", "scope": "\(scope.rawValue)"]
        case .administered(let event): event.metadata
        case .loggedIn, .logInLimited, .registered, .registrationLimited, .passwordLimited, .passwordChanged,
            .loggedOut, .tokenReuse, .refreshLimited, .accountDeleted, .passwordReset:
            [:]
        }
    }
}

/// The account, and the device of it, that an event is about, as far as they are known.
package struct AuditSubject: Sendable, Equatable {
    /// The account's id.
    package var account: String?
    /// The account's name, or the name that a client gave.
    package var user: String?
    /// The id of the device that made the request.
    package var device: String?

    /// Creates a subject of what is known.
    ///
    /// - Parameter user: A name as a client sent it. A text that can't be a user name is omitted: people type passwords
    ///   into the field of the name.
    package init(account: String? = nil, user: String? = nil, device: String? = nil) {
        self.account = account
        self.user = user.flatMap { Username($0)?.text }
        self.device = device
    }

    init(_ caller: Caller) { self.init(account: caller.account, device: caller.device) }

    init(_ grant: SessionGrant) {
        self.init(account: grant.account.id, user: grant.account.username, device: grant.device.id)
    }

    var fields: Logger.Metadata {
        var fields: Logger.Metadata = [:]
        for (name, value) in [("account", account), ("user", user), ("device", device)] {
            fields[name] = value.map { "\($0)" }
        }
        return fields
    }
}

/// An operation whose refusals are security events.
enum AuditedAttempt: CaseIterable {
    case logIn, registration
    /// A password that a signed-in device gives to change it, or to delete the account.
    case password

    /// Returns the event of a failed attempt; nil if the failure says nothing about the caller: a malformed request, a
    /// fault or a busy server.
    func refusal(_ error: any Error, of subject: AuditSubject) -> AuditEvent? {
        switch error {
        case QueueRefusal.keyIsBusy: limited(subject)
        case let problem as Problem:
            switch problem.status {
            case 401, 403, 409: refused(subject, problem.code)
            case 429: limited(subject)
            default: nil
            }
        default: nil
        }
    }

    private func refused(_ subject: AuditSubject, _ reason: Problem.Code) -> AuditEvent {
        switch self {
        case .logIn: .logInRefused(subject, reason)
        case .registration: .registrationRefused(subject, reason)
        case .password: .passwordRefused(subject, reason)
        }
    }

    private func limited(_ subject: AuditSubject) -> AuditEvent {
        switch self {
        case .logIn: .logInLimited(subject)
        case .registration: .registrationLimited(subject)
        case .password: .passwordLimited(subject)
        }
    }
}
