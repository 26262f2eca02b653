internal import Records
internal import SyncAPI

/// The operations of the server's owner on accounts and devices.
///
/// They work next to a running server, in another process: requests read accounts and sessions each time, and
/// `CommitWatch` notifies event streams.
package struct AdministrationService: Sendable {
    private let store: any ServerStore
    private let environment: ServerEnvironment
    private let owner: String

    /// Creates a service over a store.
    ///
    /// - Parameter owner: The person or user who runs the command, for the audit log.
    package init(store: any ServerStore, environment: ServerEnvironment = .live, owner: String = "owner") {
        self.store = store
        self.environment = environment
        self.owner = owner
    }

    private func audit(
        _ name: AuditEvent.Name, _ account: StoredAccount, details: [String: String] = [:]
    ) -> OwnerAudit {
        OwnerAudit(name, by: owner, at: environment.now(), account: account, details: details)
    }

    /// Lifetime of a one-time code, in milliseconds: a day.
    package static let codeLifetime: Int64 = 86_400_000
    /// Number of accounts that one transaction reads.
    private static let page = 200

    /// An account with what it uses.
    package struct Overview: Sendable {
        /// The account.
        package let account: StoredAccount
        /// What it uses of its quota.
        package let usage: StoredUsage
        /// The moment of the last request of any of its devices, in milliseconds since 1970; nil: it has none.
        package let lastSeenAt: Int64?
    }

    /// A one-time code. Only its hash is stored, so this is the only place that has it.
    package struct Code: Sendable {
        /// The code for `login --reset`.
        package let text: String
        /// The moment at which it stops to work, in milliseconds since 1970.
        package let expiresAt: Int64
    }

    // MARK: Accounts

    /// Returns all accounts in order of their names.
    package func accounts() async throws -> [Overview] {
        var all: [Overview] = []
        while true {
            let last = all.last?.account.username ?? ""
            let page = try await store.read { tx in
                try tx.accounts(after: last, limit: Self.page).map { try overview($0, tx) }
            }
            all += page
            if page.count < Self.page { return all }
        }
    }

    /// Returns an account.
    ///
    /// - Throws: `AdministrationError` if there is none of this name.
    package func account(_ name: String) async throws -> Overview {
        try await store.read { tx in try overview(try Self.account(name, tx), tx) }
    }

    /// Creates an account without a usable password, and a one-time code with which its owner sets one.
    ///
    /// - Throws: `AdministrationError` if the name is taken or has another form.
    package func add(_ name: String) async throws -> Code {
        guard let username = Username(name)?.text else { throw AdministrationError.badName(name) }
        let account = StoredAccount(
            id: environment.uuid(), username: username, passwordHash: StoredAccount.noPassword,
            personalSpace: environment.uuid(), createdAt: environment.now())
        let (code, reset) = newReset(of: account.id)
        try await store.write { [audit = audit(.userAdded, account)] tx in
            guard try tx.create(account) else { throw AdministrationError.nameInUse(username) }
            try tx.put(reset)
            try tx.insert(audit)
        }
        return code
    }

    /// Disables an account: its requests are refused, and its event streams end. Its data and its sessions are kept.
    ///
    /// - Returns: Whether it was enabled before.
    /// - Throws: `AdministrationError` if there is no such account.
    package func disable(_ name: String) async throws -> Bool {
        try await setDisabled(environment.now(), name, as: .userDisabled)
    }

    /// Enables an account again.
    ///
    /// - Returns: Whether it was disabled before.
    /// - Throws: `AdministrationError` if there is no such account.
    package func enable(_ name: String) async throws -> Bool {
        try await setDisabled(nil, name, as: .userEnabled)
    }

    private func setDisabled(_ moment: Int64?, _ name: String, as event: AuditEvent.Name) async throws -> Bool {
        try await store.write(using: .reserve) { [self] tx in
            let account = try Self.account(name, tx)
            guard (account.disabledAt == nil) != (moment == nil) else { return false }
            try tx.setDisabled(moment, account: account.id)
            try tx.insert(audit(event, account))
            return true
        }
    }

    /// Removes an account and its personal space permanently, in small transactions.
    ///
    /// - Throws: `AdministrationError` if there is no such account.
    package func delete(_ name: String) async throws {
        // Disabled first, so that its devices can't add anything meanwhile.
        let account = try await store.write(using: .reserve) { [self] tx in
            let account = try Self.account(name, tx)
            try tx.setDisabled(account.disabledAt ?? environment.now(), account: account.id)
            try tx.insert(audit(.userDeleted, account))
            return account
        }
        try await store.clear(account: account)
    }

    /// Makes a one-time code with which the account's owner sets a new password. An earlier code doesn't work any more;
    /// the present password does until the code is used.
    ///
    /// - Throws: `AdministrationError` if there is no such account.
    package func resetPassword(_ name: String) async throws -> Code {
        let account = try await store.read { tx in try Self.account(name, tx) }
        let (code, reset) = newReset(of: account.id)
        try await store.write(using: .reserve) { [audit = audit(.resetCodeMade, account)] tx in
            // It may have been deleted meanwhile.
            _ = try Self.account(name, tx)
            try tx.put(reset)
            try tx.insert(audit)
        }
        return code
    }

    private func newReset(of account: String) -> (code: Code, reset: StoredReset) {
        let code = ReadableCode.make(environment).text
        let expiresAt = environment.now() + Self.codeLifetime
        return (
            Code(text: code, expiresAt: expiresAt),
            StoredReset(account: account, codeHash: ReadableCode.hash(code), expiresAt: expiresAt)
        )
    }

    /// Changes an account's own limits.
    ///
    /// - Throws: `AdministrationError` if there is no such account.
    package func changeQuota(
        of name: String, _ change: @escaping @Sendable (inout AccountQuota) -> Void
    ) async throws -> Overview {
        try await store.write(using: .reserve) { [self] tx in
            var account = try Self.account(name, tx)
            change(&account.quota)
            try tx.setQuota(account.quota, account: account.id)
            try tx.insert(audit(.quotaChanged, account, details: account.quota.auditDetails))
            return try overview(account, tx)
        }
    }

    // MARK: Devices

    /// Returns the signed-in devices and app passwords of an account, the oldest first.
    ///
    /// - Throws: `AdministrationError` if there is no such account.
    package func devices(of name: String) async throws -> [StoredSession] {
        try await store.read { tx in try tx.sessions(account: try Self.account(name, tx).id).filter(lives) }
    }

    /// Ends the session of a device, or revokes an app password.
    ///
    /// - Parameter device: The device's id, or its name if no other device has it.
    /// - Returns: The session that has ended.
    /// - Throws: `AdministrationError` if there is no such account or device, or several.
    package func revoke(device: String, of name: String) async throws -> StoredSession {
        try await store.write(using: .reserve) { [self] tx in
            let account = try Self.account(name, tx)
            let sessions = try tx.sessions(account: account.id).filter(lives)
            let matches = sessions.filter { $0.device == device }
            let named = matches.isEmpty ? sessions.filter { $0.deviceName == device } : matches
            guard let session = named.first else {
                throw AdministrationError.noDevice(device, account: account.username)
            }
            guard named.count == 1 else { throw AdministrationError.ambiguous(device, account: account.username) }
            try tx.deleteSession(id: session.id)
            try tx.deleteDeviceProof(account: account.id, device: session.device)
            try tx.insert(audit(.deviceRevokedByOwner, account, details: ["revoked": session.device]))
            return session
        }
    }

    // MARK: Restores

    /// Marks the store as restored (`StoreWriting.markRestored`) after another program has restored it, and makes one-time
    /// codes invalid: one of them may have been used since the backup.
    ///
    /// - Parameter signingOut: Whether all devices are signed out and all app passwords revoked.
    /// - Returns: The number of sessions that have ended.
    package func markRestored(signingOut: Bool) async throws -> Int {
        // Before the mark, in small transactions. After an interruption, the command is repeated.
        let count = try await removeAccess(signingOut: signingOut)
        var audit = OwnerAudit(.restored, by: owner, at: environment.now(), details: ["marked": "true"])
        if signingOut { audit.fields["signedOut"] = "\(count)" }
        try await store.write { [environment, audit] tx in
            try tx.markRestored(epoch: environment.uuid(), now: environment.now())
            try tx.insert(audit)
        }
        return count
    }

    /// What one transaction has removed of a page of accounts.
    private struct RemovedAccess: Sendable {
        /// Number of sessions.
        var sessions = 0
        /// The name of the last account; nil: there was none.
        var last: String?
    }

    private func removeAccess(signingOut: Bool) async throws -> Int {
        var (count, last) = (0, "")
        while true {
            let removed = try await store.write { [last] tx in
                let accounts = try tx.accounts(after: last, limit: Self.page)
                var removed = RemovedAccess(last: accounts.last?.username)
                for account in accounts {
                    try tx.deleteReset(account: account.id)
                    guard signingOut else { continue }
                    let sessions = try tx.sessions(account: account.id)
                    for session in sessions { try tx.deleteSession(id: session.id) }
                    try tx.deleteDeviceProofs(account: account.id, except: nil)
                    removed.sessions += sessions.count
                }
                return removed
            }
            count += removed.sessions
            guard let next = removed.last else { return count }
            last = next
        }
    }

    // MARK: Reading

    /// Returns whether a session counts as a device: an expired one can't be used any more.
    private func lives(_ session: StoredSession) -> Bool { SessionRules().lives(session, now: environment.now()) }

    private static func account(_ name: String, _ tx: any StoreReading) throws -> StoredAccount {
        guard let account = try Username(name).flatMap({ try tx.account(username: $0.text) }) else {
            throw AdministrationError.noAccount(name)
        }
        return account
    }

    private func overview(_ account: StoredAccount, _ tx: any StoreReading) throws -> Overview {
        Overview(
            account: account, usage: try tx.usage(of: account, counting: lives),
            lastSeenAt: try tx.sessions(account: account.id).map(\.lastSeenAt).max())
    }

    /// Returns the limits that the server which was started last has for accounts without their own; nil: none has
    /// stored them.
    package func defaultQuota() async throws -> QuotaRules? { try await store.read { tx in try tx.defaultQuota() } }

    /// Returns the numbers of accounts close to their limits and above one.
    ///
    /// - Parameter rules: The limits of accounts that have none of their own.
    package func quotaUse(_ rules: QuotaRules) async throws -> QuotaUse {
        let now = environment.now()
        return try await store.read { tx in try tx.quotaUse(rules, sessions: SessionRules(), now: now) }
    }

    /// Returns the numbers of everything that is stored.
    package func totals() async throws -> StoredTotals { try await store.read { tx in try tx.totals() } }
}

extension AccountQuota {
    /// The limits of an account for the audit log.
    fileprivate var auditDetails: [String: String] {
        QuotaResource.allCases.reduce(into: [:]) { details, resource in
            details[resource.rawValue] =
                self[resource].map { $0 == QuotaRules.unlimited ? "unlimited" : "\($0)" } ?? "default"
        }
    }
}

/// The reason for which an operation of the server's owner was not done, with a message for the owner.
package enum AdministrationError: Error, CustomStringConvertible, Equatable {
    /// No account has this name.
    case noAccount(String)
    /// An account has this name already.
    case nameInUse(String)
    /// The text can't be a user name.
    case badName(String)
    /// The account has no device with this id or name.
    case noDevice(String, account: String)
    /// Several devices of the account have this name.
    case ambiguous(String, account: String)

    /// The message with what to do.
    package var description: String {
        switch self {
        case .noAccount(let name): "there is no account \(name); the command user list shows all"
        case .nameInUse(let name): "there is an account \(name) already; choose another name"
        case .badName(let name):
            "\(name) can't be a user name; it should be 1 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter "
                + "or digit"
        case .noDevice(let device, let account):
            "\(account) has no device \(device); the command device list \(account) shows all"
        case .ambiguous(let device, let account):
            "\(account) has several devices named \(device); name one by its id, which the command device list \(account) shows"
        }
    }
}
