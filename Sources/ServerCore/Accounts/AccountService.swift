internal import SyncAPI

/// Operations on accounts: registering, logging in, and those that require the password.
struct AccountService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let configuration: ServerConfiguration
    let sessions: SessionService
    let hasher: PasswordHasher
    private let throttle = PasswordThrottle()

    init(
        store: any ServerStore, environment: ServerEnvironment, configuration: ServerConfiguration,
        sessions: SessionService
    ) {
        self.store = store
        self.environment = environment
        self.configuration = configuration
        self.sessions = sessions
        hasher = PasswordHasher(
            cost: configuration.passwordCost, threads: configuration.passwordThreads,
            randomBytes: environment.randomBytes)
    }

    // MARK: Registering and logging in

    /// Creates an account with its personal space and signs the device in.
    ///
    /// - Throws: `Problem`: 403, 409; `QueueRefusal`.
    func register(_ registration: RegisterRequest, address: ClientAddress) async throws -> SessionGrant {
        try checkInvite(registration.invite)
        let username = try Username(checking: registration.username, at: "/username").text
        let password = try Password(checking: registration.password, at: "/password")
        // Looked up before the password is hashed, since hashing costs far more.
        guard try await store.read({ tx in try tx.account(username: username) }) == nil else {
            throw Problem.usernameTaken
        }
        let requester = HashRequester(address, username: username)
        let account = StoredAccount(
            id: environment.uuid(), username: username,
            passwordHash: try await hasher.hash(password, for: requester),
            personalSpace: environment.uuid(),
            createdAt: environment.now())
        return try await store.write { [sessions] tx in
            // Another registration may have used the name since it was looked up.
            guard try tx.create(account) else { throw Problem.usernameTaken }
            return try sessions.open(account, device: registration.device, tx)
        }
    }

    private func checkInvite(_ invite: String?) throws(Problem) {
        switch configuration.registration {
        case .open: return
        case .closed: throw .registrationClosed
        case .invite:
            // Compared byte by byte: hashing, as `Set.contains` does, takes quadratic time for a text with many
            // combining marks.
            guard let invite, configuration.invites.contains(where: { $0.utf8.elementsEqual(invite.utf8) }) else {
                throw .inviteNeeded
            }
        }
    }

    /// Signs a device in. The answer to an unknown name is the same as to a wrong password, and takes the same time.
    ///
    /// - Parameter address: The client's address. Failures count for the account and for a known address.
    /// - Throws: `Problem`: 401, 429; `QueueRefusal`.
    func logIn(_ request: LogInRequest, address: ClientAddress) async throws -> SessionGrant {
        let username = Username(request.username)
        // Counted by name whether or not the account exists, so that the throttle doesn't show it.
        let name = PasswordThrottle.Name.account(username?.text ?? "")
        let names = [name] + (address.known.map { [.address($0)] } ?? [])
        let account = try await store.read { tx in
            try username.flatMap { try tx.account(username: $0.text) }
        }
        let password = Password(request.password)
        let requester = HashRequester(address, username: username?.text ?? "")
        let verdict = try await guarded(names, clearing: name, status: 401) {
            try await hasher.verify(password, against: account?.passwordHash, for: requester)
        }
        // Without either, the check has failed already: `verify` is never right then.
        guard let account, let password else { throw Problem.invalidCredentials(status: 401) }
        // If the hasher is busy, a later log-in replaces the hash.
        let rehashed = verdict.needsRehash ? try? await hasher.hash(password, for: requester) : nil
        let grant: SessionGrant? = try await store.write(using: .reserve) { [sessions] tx -> SessionGrant? in
            // If the password was changed meanwhile, the old one must not open a session: the change ends all others.
            guard let present = try tx.account(id: account.id), present.passwordHash == account.passwordHash else {
                return nil
            }
            // After the password, so that only its owner learns it.
            if present.disabledAt != nil { throw Problem.accountDisabled }
            if let rehashed { try tx.setPasswordHash(rehashed, account: account.id) }
            return try sessions.open(present, device: request.device, tx)
        }
        if let grant {
            // An earlier session of the device has ended.
            sessions.events.recheck(account: account.id)
            return grant
        }
        // The stored hash was replaced while the password was being checked. Check it against the new one.
        return try await logIn(request, address: address)
    }

    /// Signs a device in with a one-time code of the server's owner, sets a new password, and ends every other session.
    /// The answer to an unknown name is the same as to a wrong code.
    ///
    /// - Throws: `Problem`: 401, 403 if the account is disabled, 422, 429; `QueueRefusal`.
    func logIn(_ request: ResetLogInRequest, address: ClientAddress) async throws -> SessionGrant {
        let new = try Password(checking: request.newPassword, at: "/newPassword")
        let username = Username(request.username)
        let name = PasswordThrottle.Name.account(username?.text ?? "")
        let names = [name] + (address.known.map { [.address($0)] } ?? [])
        let codeHash = ReadableCode.hash(request.code)
        let now = environment.now()
        try await throttle.admit(names, now: now)
        let found = try await store.read { tx in try Self.account(username, codeHash: codeHash, now: now, tx) }
        guard let account = found else {
            try await throttle.failed(names, now: now)
            throw Problem.resetCodeWrong
        }
        try await throttle.succeeded(names, clearing: name, now: now)
        let hash = try await hasher.hash(new, for: HashRequester(address, username: account.username))
        let grant = try await store.write(using: .reserve) { [sessions] tx in
            // The code may have been used meanwhile.
            guard let present = try Self.account(username, codeHash: codeHash, now: now, tx) else {
                throw Problem.resetCodeWrong
            }
            if present.disabledAt != nil { throw Problem.accountDisabled }
            try tx.setPasswordHash(hash, account: present.id)
            try tx.deleteReset(account: present.id)
            for session in try tx.sessions(account: present.id) { try tx.deleteSession(id: session.id) }
            return try sessions.open(present, device: request.device, tx)
        }
        sessions.events.recheck(account: account.id)
        return grant
    }

    /// Returns the account with this name, if its one-time code has this hash and hasn't expired.
    private static func account(
        _ username: Username?, codeHash: [UInt8], now: Int64, _ tx: any StoreReading
    ) throws -> StoredAccount? {
        guard let account = try username.flatMap({ try tx.account(username: $0.text) }),
            let reset = try tx.reset(account: account.id), reset.codeHash == codeHash, now < reset.expiresAt
        else { return nil }
        return account
    }

    // MARK: Signed in

    /// Returns the account with its usage and its limits.
    func status(_ caller: Caller) async throws -> AccountStatus {
        let streams = Int64(sessions.events.count(account: caller.account))
        return try await store.read { [quota = configuration.quota] tx in
            let account = try Access.found(try tx.account(id: caller.account))
            let usage = try tx.usage(of: account)
            return AccountStatus(
                account: account.wire,
                usage: .init(records: usage.records, bytes: usage.bytes, devices: usage.devices, streams: streams),
                quota: quota.with(account.quota).wire)
        }
    }

    /// Changes the password and ends every other session of the account.
    ///
    /// - Throws: `Problem`: 403 if the present password is wrong, 429; `QueueRefusal`.
    func changePassword(_ caller: Caller, _ change: PasswordChangeRequest) async throws {
        let new = try Password(checking: change.newPassword, at: "/newPassword")
        let account = try await confirm(change.currentPassword, caller)
        let hash = try await hasher.hash(new, for: .session(caller.session))
        try await store.write(as: caller, using: .reserve) { tx in
            // Of two changes at once, the second one confirmed a password that isn't valid any more.
            guard try tx.account(id: account.id)?.passwordHash == account.passwordHash else {
                throw Problem.invalidCredentials(status: 403)
            }
            try tx.setPasswordHash(hash, account: account.id)
            try tx.deleteReset(account: account.id)
            for session in try tx.sessions(account: account.id) where session.id != caller.session {
                try tx.deleteSession(id: session.id)
            }
        }
        sessions.events.recheck(account: account.id)
    }

    /// Removes the account and its personal space permanently.
    ///
    /// Its outcomes and tokens are removed first, in small transactions. Once the account is deleted, its space is
    /// unreachable; maintenance clears what a crash leaves of it.
    ///
    /// - Throws: `Problem`: 403 if the password is wrong, 429; `QueueRefusal`.
    func delete(_ caller: Caller, password: String) async throws {
        let account = try await confirm(password, caller)
        var isGone = false
        while !isGone {
            isGone = try await store.write(as: caller, using: .reserve) { tx in
                try tx.clear(account: account.id, limit: RemovalLimit())
            }
        }
        sessions.events.recheck(account: account.id)
        try await store.clear(space: account.personalSpace)
    }

    /// Returns the caller's account, if the password is its.
    ///
    /// Throttled by session, not by account: guesses from outside can't prevent the owner from changing the password.
    private func confirm(_ password: String, _ caller: Caller) async throws -> StoredAccount {
        let account = try await store.read { tx in try Access.found(try tx.account(id: caller.account)) }
        let name = PasswordThrottle.Name.session(caller.session)
        _ = try await guarded([name], clearing: name, status: 403) {
            try await hasher.verify(
                Password(password), against: account.passwordHash, for: .session(caller.session))
        }
        return account
    }

    /// Runs a check of a password, throttled after failures.
    ///
    /// - Throws: `Problem`: 429, or the given status for a wrong password.
    private func guarded(
        _ names: [PasswordThrottle.Name], clearing name: PasswordThrottle.Name, status: Int,
        _ check: () async throws -> PasswordHasher.Verdict
    ) async throws -> PasswordHasher.Verdict {
        try await throttle.admit(names, now: environment.now())
        let verdict = try await check()
        switch verdict {
        case .right: try await throttle.succeeded(names, clearing: name, now: environment.now())
        case .wrong:
            try await throttle.failed(names, now: environment.now())
            throw Problem.invalidCredentials(status: status)
        }
        return verdict
    }
}

extension StoreWriting {
    /// Adds an account with its personal space.
    ///
    /// - Returns: False, with no effect, if the name is in use.
    func create(_ account: StoredAccount) throws -> Bool {
        guard try insert(account) else { return false }
        try insertSpace(id: account.personalSpace)
        try setRole(.owner, of: account.id, in: account.personalSpace)
        return true
    }
}

extension PasswordHasher.Verdict {
    fileprivate var needsRehash: Bool {
        switch self {
        case .right(let needsRehash): needsRehash
        case .wrong: false
        }
    }
}
