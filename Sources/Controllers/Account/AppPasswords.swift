internal import Backend
internal import ControllerKit
public import Foundation
internal import Records
internal import SyncAPI

/// What an app password may do, and how long.
public struct AppPasswordInfo: Codable, Equatable, Sendable {
    /// Whether it may only read.
    public var isReadOnly: Bool
    /// When it expires; nil: the server's time can't be parsed.
    public var expiresAt: Date?

    init(_ appPassword: AppPassword) {
        (isReadOnly, expiresAt) = (appPassword.scope == .readOnly, appPassword.expiresAt.date)
    }
}

/// An app password that was just created, with its secret, which the server doesn't return again.
///
/// It is in the state of the screen until the next command: views show it once, and no file of the home has it.
public struct CreatedAppPassword: Codable, Equatable, Sendable {
    /// Its id, by which it is revoked.
    public var id: String
    /// Its name.
    public var name: String
    /// The secret for `Authorization: Bearer`.
    public var secret: String
    /// What it may do, and how long.
    public var info: AppPasswordInfo

    /// Returns whether a text has the form of a server's secret: the prefix, and 256 bits in base64url.
    static func isSecret(_ text: String) -> Bool {
        let bits = text.dropFirst(AppPasswordGrant.secretPrefix.count)
        return text.hasPrefix(AppPasswordGrant.secretPrefix) && bits.utf8.count == 43
            && bits.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
}

/// The expiry of an app password, as the user types it.
enum AppPasswordExpiry {
    /// Returns the seconds from now to the time that a date expression names, to the end of a day.
    ///
    /// - Throws: `Failure` of category `usage`.
    static func seconds(_ text: String, in dates: DateExpression.Context) throws(Failure) -> Int64 {
        let expression: DateExpression
        do { expression = try DateExpression(text, in: dates) } catch { throw Failure(.usage, error.description) }
        let end = expression.isDay ? expression.moment.seconds + 86_400 : expression.moment.seconds
        let seconds = end - Timestamp(clamping: dates.now).seconds
        if seconds <= 0 {
            throw Failure(.usage, "“\(text)” is in the past. Give a time in the future, such as 90d.")
        }
        guard seconds <= Limits.appPasswordSeconds else {
            throw Failure(.usage, "“\(text)” is too far in the future: an app password expires in ten years at most.")
        }
        return seconds
    }
}

/// What an account uses on its server, and what it may use.
public struct AccountUsage: Codable, Equatable, Sendable {
    /// The live records.
    public var records: Amount
    /// The bytes that the server stores for the account.
    public var bytes: Amount
    /// The signed-in devices and app passwords; nil: the server doesn't say.
    public var devices: Amount?
    /// The open event streams, which receive changes as they happen; nil: the server doesn't say.
    public var streams: Amount?

    /// An amount with its limit.
    public struct Amount: Codable, Equatable, Sendable {
        /// What is used.
        public var used: Int64
        /// What may be used; nil: there is no limit.
        public var limit: Int64?
    }

    init(_ status: AccountStatus) {
        let (usage, quota) = (status.usage, status.quota)
        records = Amount(used: usage.records, limit: quota?.records)
        bytes = Amount(used: usage.bytes, limit: quota?.bytes)
        devices = usage.devices.map { Amount(used: $0, limit: quota?.devices) }
        streams = usage.streams.map { Amount(used: $0, limit: quota?.streams) }
    }

    /// The name of the first limit that is reached; nil: none is.
    public var exhausted: String? {
        [("records", records), ("bytes", bytes)].first { _, amount in amount.limit.map { amount.used >= $0 } == true }?
            .0
    }
}

// Signing in with an app password in place of the account's password.
extension AccountService {
    /// Returns a session with the app password that was given as the password; nil: the text isn't one.
    ///
    /// A text of that form is never sent as a password: a log-in with an expired app password would count as a wrong
    /// password, and a container that restarts in a loop would slow down its owner's address, or have it banned.
    ///
    /// - Throws: `Failure` of category `signedOut` if the server refuses it, of category `usage` if it is the app
    ///   password of another account; `BackendError`.
    func appPasswordSession(
        _ username: String, _ secret: String, as device: DeviceClaim, at server: ServerAddress, insecureHTTP: Bool
    ) async throws -> Credentials? {
        guard CreatedAppPassword.isSecret(secret), let id = device.id else { return nil }
        let session = try await opened(
            secret, as: SessionGrant.Device(id: id, name: device.name), at: server, insecureHTTP: insecureHTTP)
        let owner = session.identity.username
        guard HomeClaim.isSame(owner, username) else {
            throw Failure(
                .usage, "This app password belongs to the account \(owner). Nothing was changed. Sign in as \(owner).")
        }
        return session
    }

    // This is a function of its own because a constant that `do` initialises, with a typed error, crashes Swift 6.3.1.
    private func opened(
        _ secret: String, as device: SessionGrant.Device, at server: ServerAddress, insecureHTTP: Bool
    ) async throws -> Credentials {
        do {
            return try await backend.open(appPassword: secret, as: device, at: server, insecureHTTP: insecureHTTP)
        } catch BackendError.problem(let problem, _) where [.tokenExpired, .tokenInvalid].contains(problem.code) {
            throw Failure(
                .signedOut,
                "The server refused this password, which looks like an app password: it may have expired or been "
                    + "revoked. Use another one, or the account's password.")
        }
    }
}
