internal import SyncAPI

/// Operations on accounts: registering, logging in, and those that require the password.
struct AccountService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let configuration: ServerConfiguration
    let sessions: SessionService
    let hasher: PasswordHasher
    /// The addresses of signed-in devices.
    let familiar = FamiliarAddresses()

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
    /// - Parameter rule: The rule for the request, see `ServerConfiguration.registrationRule(for:)`.
    /// - Throws: `Problem`: 403, 409, 422, 429; `QueueRefusal`.
    func register(
        _ registration: RegisterRequest, by rule: Capabilities.Registration, address: ClientAddress, host: String?
    ) async throws -> SessionGrant {
        let code = try await checkedInvite(registration.invite, by: rule, from: address)
        let username = try Username(checking: registration.username, at: "/username").text
        let password = try PasswordRules.checked(
            registration.password, at: "/password", username: username, names: names(host))
        let subjects = ThrottleSubject.counting(address) { .registrations(address: $0) }
        // Looked up before the password is hashed, since hashing costs far more.
        let isTaken = try await store.read { [environment] tx in
            try Throttle.admit(subjects, now: environment.now(), tx)
            return try tx.account(username: username) != nil
        }
        if isTaken {
            // Counted as a registration is: otherwise an address could find out the names of all accounts at any rate.
            try await count(subjects)
            throw Problem.usernameTaken
        }
        let requester = HashRequester(address, username: username)
        let account = StoredAccount(
            id: environment.uuid(), username: username,
            passwordHash: try await hasher.hash(password, for: requester),
            personalSpace: environment.uuid(),
            createdAt: environment.now())
        return try await store.write { [sessions] tx in
            // Counted although it succeeds: an address creates only so many accounts.
            try Throttle.count(subjects, now: account.createdAt, tx)
            // Another registration may have used the name or the invitation since they were looked up.
            if let code { try tx.countUse(ofInvite: InviteService.usable(code, now: account.createdAt, tx).id) }
            guard try tx.create(account) else { throw Problem.usernameTaken }
            return try sessions.open(account, device: registration.device, tx).grant
        }
    }

    /// The names that are refused as passwords, besides the account's own.
    private func names(_ host: String?) -> [String] {
        configuration.passwordWords + PasswordRules.names(ofHost: host)
    }

    /// Checks the invite code of a registration, if the rule requires one. Wrong codes are throttled by address. A
    /// correct one is accepted while only the clients that can't be distinguished have to wait: one of them can't keep out those
    /// with an invitation, and 150 random bits can't be guessed at any rate.
    ///
    /// - Returns: The code; nil if the server requires none.
    /// - Throws: `Problem` 403, 429.
    private func checkedInvite(
        _ code: String?, by rule: Capabilities.Registration, from address: ClientAddress
    ) async throws -> String? {
        switch rule {
        case .open: return nil
        case .closed: throw Problem.registrationClosed
        case .invite: break
        }
        guard let code else {
            // Registration is open, so the request came through a proxy that the owner hasn't named.
            throw configuration.registration == .open ? Problem.inviteNeededBehindProxy : Problem.inviteNeeded
        }
        let subjects = ThrottleSubject.counting(address) { .invites(address: $0) }
        let now = environment.now()
        let isUsable = try await store.read { tx in
            try Throttle.admit(subjects.filter { !$0.isShared }, now: now, tx)
            do { _ = try InviteService.usable(code, now: now, tx) } catch is Problem { return false }
            return true
        }
        guard isUsable else {
            try await count(subjects)
            throw Problem.inviteInvalid
        }
        return code
    }

    /// Counts an attempt in a transaction of its own.
    ///
    /// - Throws: `Problem` 429.
    private func count(_ subjects: [ThrottleSubject]) async throws {
        try await store.write(using: .reserve) { [now = environment.now()] tx in
            try Throttle.count(subjects, now: now, tx)
        }
    }

    /// Signs a device in. The answer to an unknown name is the same as to a wrong password, and takes the same time.
    ///
    /// - Parameter address: The client's address. Failures count for the account from this address, for the account as a
    ///   whole and for a known address; those of a device that proves an earlier session count for the device alone.
    /// - Throws: `Problem`: 401, 429; `QueueRefusal`.
    func logIn(_ request: LogInRequest, address: ClientAddress) async throws -> SessionService.OpenedSession {
        let username = Username(request.username)
        let attempt = try await store.read { [environment, familiar] tx in
            let account = try username.flatMap { try tx.account(username: $0.text) }
            let isProven = try SessionService.proves(
                request.deviceProof, device: request.device.id, of: account, tx)
            // Counted by name whether or not the account exists, so that the throttle doesn't show it.
            let subjects = ThrottleSubjects.logIn(
                username?.text ?? "", from: address, device: isProven ? request.device.id : nil,
                isFamiliar: account.map { familiar.contains(address.known, of: $0.id) } ?? false)
            try Throttle.admit(subjects.all, now: environment.now(), tx)
            return (account: account, subjects: subjects)
        }
        let password = Password(request.password)
        let requester = HashRequester(address, username: username?.text ?? "")
        let verdict = try await verified(password, of: attempt.account, attempt.subjects, for: requester, status: 401)
        // Without either, the check has failed already: `verify` is never right then.
        guard let account = attempt.account, let password else { throw Problem.invalidCredentials(status: 401) }
        // If the hasher is busy, a later log-in replaces the hash.
        let rehashed = verdict.needsRehash ? try? await hasher.hash(password, for: requester) : nil
        let opened = try await store.write(using: .reserve) {
            [sessions, environment] tx -> SessionService.OpenedSession? in
            // If the password was changed meanwhile, the old one must not open a session: the change ends all others.
            guard let present = try tx.account(id: account.id), present.passwordHash == account.passwordHash else {
                return nil
            }
            try Throttle.clear(attempt.subjects, now: environment.now(), tx)
            // After the password, so that only its owner learns it.
            if present.disabledAt != nil { throw Problem.accountDisabled }
            if let rehashed { try tx.setPasswordHash(rehashed, account: account.id) }
            return try sessions.open(present, device: request.device, tx)
        }
        if let opened {
            // An earlier session of the device has ended.
            sessions.events.recheck(account: account.id)
            // Before the answer, so that a device that logs in again and again waits for it. Maintenance
            // removes the rest, also after a failure.
            try? await sessions.deleteEndedSessions(of: account.id)
            return opened
        }
        // The stored hash was replaced while the password was being checked. Check it against the new one.
        return try await logIn(request, address: address)
    }

    /// Signs a device in with a one-time code of the server's owner, sets a new password, and ends every other session.
    /// The answer to an unknown name is the same as to a wrong code.
    ///
    /// - Throws: `Problem`: 401, 403 if the account is disabled, 422, 429; `QueueRefusal`.
    func logIn(
        _ request: ResetLogInRequest, address: ClientAddress, host: String?
    ) async throws -> SessionService.OpenedSession {
        let username = Username(request.username)
        let new = try PasswordRules.checked(
            request.newPassword, at: "/newPassword", username: username?.text ?? "", names: names(host))
        // Not by account: a code of 150 random bits can't be guessed, and guesses at the password of an account must not
        // prevent its owner from using the code. For the same reason a correct code is accepted while only the clients
        // that can't be distinguished have to wait.
        let subjects = ThrottleSubject.codes(of: address)
        let codeHash = ReadableCode.hash(request.code)
        let now = environment.now()
        let found = try await store.read { tx in
            try Throttle.admit(subjects.filter { !$0.isShared }, now: now, tx)
            return try Self.account(username, codeHash: codeHash, now: now, tx)
        }
        guard let account = found else {
            try await count(subjects)
            throw Problem.resetCodeWrong
        }
        let hash = try await hasher.hash(new, for: HashRequester(address, username: account.username))
        let opened = try await store.write(using: .reserve) { [sessions] tx in
            // The code may have been used meanwhile.
            guard let present = try Self.account(username, codeHash: codeHash, now: now, tx) else {
                throw Problem.resetCodeWrong
            }
            if present.disabledAt != nil { throw Problem.accountDisabled }
            try tx.setPasswordHash(hash, account: present.id)
            try tx.deleteReset(account: present.id)
            for session in try tx.sessions(account: present.id) {
                try tx.deleteSession(id: session.id)
            }
            try tx.deleteDeviceProofs(account: present.id, except: nil)
            return try sessions.open(present, device: request.device, tx)
        }
        sessions.events.recheck(account: account.id)
        return opened
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
        let now = environment.now()
        return try await store.read { [quota = configuration.quota, rules = sessions.rules] tx in
            let account = try Access.found(try tx.account(id: caller.account))
            let usage = try tx.usage(of: account) { rules.lives($0, now: now) }
            // A signed-in device has none, so its session isn't read.
            let session = try caller.scope == nil ? nil : tx.session(id: caller.session)
            return AccountStatus(
                account: account.wire,
                usage: .init(records: usage.records, bytes: usage.bytes, devices: usage.devices, streams: streams),
                quota: quota.with(account.quota).wire, appPassword: session?.appPassword?.wire)
        }
    }

    /// Changes the password and ends every other session of the account.
    ///
    /// - Throws: `Problem`: 403 if the present password is wrong, 429; `QueueRefusal`.
    func changePassword(_ caller: Caller, _ change: PasswordChangeRequest, host: String?) async throws {
        let username = try await store.read { tx in try Access.found(try tx.account(id: caller.account)).username }
        let new = try PasswordRules.checked(
            change.newPassword, at: "/newPassword", username: username, names: names(host))
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
            // Also those of devices without a session: a thief of the former password may have one.
            try tx.deleteDeviceProofs(account: account.id, except: caller.device)
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

    /// Creates an app password, which outlives the access token of the request: therefore it takes the password.
    ///
    /// - Throws: `Problem`: 403 if the password is wrong or the account has as many devices as it may have, 429;
    ///   `QueueRefusal`.
    func createAppPassword(_ request: AppPasswordRequest, _ caller: Caller) async throws -> AppPasswordGrant {
        let account = try await confirm(request.password, caller)
        return try await sessions.createAppPassword(request, caller, confirmed: account)
    }

    /// Returns the caller's account, if the password is its.
    ///
    /// Throttled by session, not by account: guesses from outside can't prevent the owner from changing the password.
    private func confirm(_ password: String, _ caller: Caller) async throws -> StoredAccount {
        let subjects = ThrottleSubjects.session(caller.session)
        let account = try await store.read { [environment] tx in
            try Throttle.admit(subjects.all, now: environment.now(), tx)
            return try Access.found(try tx.account(id: caller.account))
        }
        _ = try await verified(Password(password), of: account, subjects, for: .session(caller.session), status: 403)
        try await store.write(using: .reserve) { [environment] tx in
            try Throttle.clear(subjects, now: environment.now(), tx)
        }
        return account
    }

    /// Checks a password, and counts it for the throttle if it is wrong. If it is right and the hash is to be renewed,
    /// the throttle is asked once more: the time for the new hash must not show that a guess was right.
    ///
    /// - Throws: `Problem`: 429, or the given status for a wrong password.
    private func verified(
        _ password: Password?, of account: StoredAccount?, _ subjects: ThrottleSubjects, for requester: HashRequester,
        status: Int
    ) async throws -> PasswordHasher.Verdict {
        let verdict = try await hasher.verify(password, against: account?.passwordHash, for: requester)
        switch verdict {
        case .right(needsRehash: false): break
        case .right(needsRehash: true):
            try await store.read { [environment] tx in
                try Throttle.admit(subjects.all, now: environment.now(), tx)
            }
        case .wrong:
            try await count(subjects.all)
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
