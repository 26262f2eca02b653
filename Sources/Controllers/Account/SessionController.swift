internal import Backend
public import ControllerKit
public import Foundation
public import Records
internal import SyncAPI

/// Shows the session and the devices, signs out and names devices, manages app passwords, changes the password and deletes
/// the account.
public final class SessionController: Controller {
    public typealias Screen = SessionScreen
    public let model = Model(SessionScreen.State())
    private let account: AccountService
    private let dates: @MainActor () -> DateExpression.Context

    /// Creates a controller.
    ///
    /// - Parameter dates: Returns the time and the calendar with which the expiry of an app password is parsed.
    public init(
        _ account: AccountService,
        dates: @escaping @MainActor () -> DateExpression.Context = {
            .init(now: Date(), calendar: LocalTime.userCalendar)
        }
    ) {
        (self.account, self.dates) = (account, dates)
    }

    public func handle(_ intent: SessionScreen.Intent) async throws {
        (state.notice, state.created) = (nil, nil)
        try await show()
        do { try await perform(intent) } catch {
            // The server may have ended the session with its answer. If that can't be read, the first error is still
            // the one to report.
            try? await show()
            throw error
        }
    }

    /// Refuses a command that needs a password, without a session or with wrong words, before the password is typed.
    public func check(_ intent: SessionScreen.Intent) async throws {
        let purpose: String
        switch intent {
        case .changePassword: purpose = "change the password"
        case .deleteAccount: purpose = "delete the account"
        case .createAppPassword(let name, _, let expires, _):
            purpose = Self.appPasswordPurpose
            _ = try checkAppPassword(name, expires)
        case .refuse(let reason): throw Failure(.usage, reason)
        case .whoAmI, .devices, .revoke, .rename, .appPasswords, .logOut, .signOut: return
        }
        try await account.backend.session.reload()
        guard case .active = try await account.backend.session.status() else { throw Self.noSession(purpose) }
    }

    /// The refusal of a command that needs a password without a session.
    private static func noSession(_ purpose: String) -> Failure {
        Failure(.signedOut, "Not signed in. `login` first, then \(purpose).")
    }

    private func perform(_ intent: SessionScreen.Intent) async throws {
        switch intent {
        case .whoAmI: try await showUsage()
        case .devices: try await listDevices()
        case .revoke(let device): try await revoke(device)
        case .rename(let device, let name): try await rename(device, to: name)
        case .appPasswords: try await listDevices(onlyAppPasswords: true)
        case .createAppPassword(let name, let isReadOnly, let expires, let password):
            try await createAppPassword(name, isReadOnly: isReadOnly, expires, password)
        case .changePassword(let current, let new): try await changePassword(current, new)
        case .logOut: try await logOut()
        case .signOut(let scope): try await signOut(scope)
        case .deleteAccount(let password): try await deleteAccount(password)
        case .refuse(let reason): throw Failure(.usage, reason)
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
        case .neverSignedIn: (state.isSignedIn, state.ended, state.appPassword) = (false, nil, nil)
        case .active(let identity):
            (state.isSignedIn, state.ended) = (true, nil)
            state.appPassword = identity.appPassword.map(AppPasswordInfo.init)
        case .ended(_, let reason):
            (state.isSignedIn, state.ended, state.appPassword) = (false, EndedSession(reason), nil)
        }
        if !state.isSignedIn { (state.usage, state.usageFailure) = (nil, nil) }
    }

    private func showUsage() async throws {
        (state.devices, state.onlyAppPasswords) = ([], false)
        guard state.isSignedIn else { return }
        var appPassword: AppPasswordInfo?
        switch await account.status() {
        case .success(let status):
            (state.usage, state.usageFailure) = (AccountUsage(status), nil)
            appPassword = status.appPassword.map(AppPasswordInfo.init)
        case .failure(let error): (state.usage, state.usageFailure) = (nil, error.message)
        }
        // The server may have ended the session with its answer.
        try await show()
        // A session that an earlier version has stored doesn't say that it has an app password.
        if state.isSignedIn, let appPassword { state.appPassword = appPassword }
    }

    // MARK: Devices and app passwords

    private func listDevices(onlyAppPasswords: Bool = false) async throws {
        let devices = try await account.backend.devices()
        try await account.devices.save(devices)
        state.onlyAppPasswords = onlyAppPasswords
        state.devices = devices.filter { !onlyAppPasswords || $0.appPassword != nil }.map {
            .init(
                id: $0.id, name: $0.name, lastSeenAt: $0.lastSeenAt.date, isThisOne: $0.current,
                appPassword: $0.appPassword.map(AppPasswordInfo.init))
        }
        if onlyAppPasswords, state.devices.isEmpty {
            state.notice = "The account has no app passwords. To create one, type: token add NAME"
        }
    }

    /// Returns the device or app password that a reference names, after the list has been received again: in an old one, the
    /// beginning of an id could be that of two devices.
    private func device(_ reference: String) async throws -> SessionScreen.State.Device {
        try await listDevices()
        let beginning = state.devices.filter { $0.id.hasPrefix(reference) }
        // A whole id names its device, even if it is the beginning of another id. Names may be the same.
        let exact = state.devices.filter { $0.id == reference }
        let named = state.devices.filter { $0.name == reference }
        let matches = !exact.isEmpty ? exact : named.count == 1 && beginning.isEmpty ? named : beginning
        guard let device = matches.first, matches.count == 1 else {
            if named.count > 1, beginning.isEmpty {
                throw Failure(
                    .notFound,
                    "Several devices and app passwords have the name “\(reference)”. Name one by its id; see `devices`."
                )
            }
            let how = matches.isEmpty ? "No device's id begins" : "The ids of several devices begin"
            throw Failure(.notFound, "\(how) with “\(reference)”. See `devices`.")
        }
        return device
    }

    private func revoke(_ reference: String) async throws {
        let device = try await device(reference)
        if device.isThisOne { throw Failure(.usage, "That is this device. To sign it out, use `logout`.") }
        try await account.backend.revokeDevice(id: device.id)
        try await listDevices(onlyAppPasswords: device.appPassword != nil)
        state.notice =
            device.appPassword == nil
            ? "Signed out \(device.name) (\(device.id))." : "Revoked the app password \(device.name) (\(device.id))."
    }

    private func rename(_ reference: String?, to name: String) async throws {
        try LoginRules.check(username: state.username ?? "-", deviceName: name)
        let id: String
        if let reference { id = try await device(reference).id } else { id = try await account.deviceID() }
        try await account.rename(device: id, to: name)
        try await listDevices()
        state.notice = "Named \(state.device == id ? "this device" : "the device \(id)") \(name)."
    }

    private static let appPasswordPurpose = "create the app password"

    /// Checks the words for a new app password.
    ///
    /// - Returns: The seconds until it expires; nil: the server's default.
    /// - Throws: `Failure` of category `usage`.
    private func checkAppPassword(_ name: String, _ expires: String?) throws(Failure) -> Int64? {
        try LoginRules.check(username: state.username ?? "-", deviceName: name)
        guard let expires else { return nil }
        return try AppPasswordExpiry.seconds(expires, in: dates())
    }

    private func createAppPassword(
        _ name: String, isReadOnly: Bool, _ expires: String?, _ password: String
    ) async throws {
        let seconds = try checkAppPassword(name, expires)
        guard state.isSignedIn else { throw Self.noSession(Self.appPasswordPurpose) }
        let request = AppPasswordRequest(
            name: name, scope: isReadOnly ? .readOnly : .full, expiresIn: seconds, password: password)
        let grant = try await self.grant(request)
        state.devices = []
        let info = AppPasswordInfo(grant.appPassword)
        state.created = CreatedAppPassword(
            id: grant.device.id, name: grant.device.name, secret: grant.secret, info: info)
        let expiry = info.expiresAt.map { ", until " + LocalTime.day($0, in: dates().calendar) } ?? ""
        state.notice =
            "Created the app password \(grant.device.name) (\(info.isReadOnly ? "read-only" : "full access")\(expiry)). "
            + "Its secret isn't shown again: copy it now. Programs send it as `Authorization: Bearer`."
    }

    // This is a function of its own because a constant that `do` initialises, with a typed error, crashes Swift 6.3.1.
    private func grant(_ request: AppPasswordRequest) async throws -> AppPasswordGrant {
        do {
            return try await account.backend.createAppPassword(request)
        } catch BackendError.problem(let problem, _) where problem.code == .invalidCredentials {
            throw Self.wrongPassword
        }
    }

    // MARK: The account

    private func changePassword(_ current: String, _ new: String) async throws {
        guard state.isSignedIn else { throw Self.noSession("change the password") }
        try LoginRules.check(newPassword: new)
        if new == current {
            // The server would end all other sessions for nothing.
            throw Failure(
                .usage, "The new password is the same as the current one. Nothing was changed. Choose another one.")
        }
        let request = PasswordChangeRequest(currentPassword: current, newPassword: new)
        do { try await account.backend.changePassword(request) } catch .problem(let problem, _)
            where problem.code == .invalidCredentials
        {
            // The error's own message is about a sign-in: it mentions the user name, too.
            throw Self.wrongPassword
        }
        state.notice =
            "Changed the password. All other devices must sign in again. All app passwords were revoked: create new "
            + "ones for the programs that used them."
    }

    private static let wrongPassword = Failure(
        .signedOut, "The current password is wrong. Nothing was changed. Try again.")

    private func deleteAccount(_ password: String) async throws {
        guard let username = state.username, state.isSignedIn else { throw Self.noSession("delete the account") }
        let server = state.server ?? ""
        do { try await account.delete(password: password) } catch BackendError.problem(let problem, _)
            where problem.code == .invalidCredentials
        {
            throw Self.wrongPassword
        }
        try await show()
        state.devices = []
        state.notice =
            "Deleted the account \(username) and its records on \(server). The records of this home stay here, only on "
            + "this device; `register` creates an account for them again."
    }

    private func signOut(_ scope: SessionScreen.SignOutScope) async throws {
        let unsent = try await account.unsentRecordCount()
        let count: Int
        switch scope {
        case .everywhere: count = try await account.backend.signOutDevices(includingThis: true)
        case .others: count = try await account.backend.signOutDevices(includingThis: false)
        }
        try await show()
        state.devices = []
        let what = "\(count.counted("device")) and app passwords of the account"
        switch scope {
        case .everywhere: state.notice = "Signed out \(what), this device included." + Self.unsentNotice(unsent)
        case .others: state.notice = "Signed out \(what). This device stays signed in."
        }
    }

    private static func unsentNotice(_ count: Int) -> String {
        if count == 0 { return "" }
        return
            " \(count) record\(count == 1 ? " has" : "s have") unsent edits; they stay here and are sent after the next "
            + "`login`."
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
        var notice = "Signed out \(username)." + Self.unsentNotice(unsent)
        if case .hereOnly(let error) = outcome, let warning = outcome.notice {
            notice += " \(warning) \(error.message)"
        }
        state.notice = notice
    }
}
