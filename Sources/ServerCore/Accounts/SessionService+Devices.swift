internal import SyncAPI

// The devices and the app passwords of an account: its sessions, as their owner sees them.
extension SessionService {
    // MARK: Ending

    /// Ends the caller's own session.
    func end(_ caller: Caller) async throws {
        try await store.write(as: caller, using: .reserve) { tx in try tx.deleteSession(id: caller.session) }
        events.recheck(account: caller.account)
    }

    /// Returns the devices of the caller's account with a valid session.
    func devices(_ caller: Caller) async throws -> DeviceList {
        let now = environment.now()
        let stored = try await store.read { tx in try tx.sessions(account: caller.account) }
        return DeviceList(
            devices: stored.filter { rules.lives($0, now: now) }.map { session in
                .init(
                    id: session.device, name: session.deviceName,
                    createdAt: WireMoment(milliseconds: session.createdAt),
                    lastSeenAt: WireMoment(milliseconds: session.lastSeenAt), current: session.id == caller.session,
                    appPassword: session.appPassword?.wire)
            })
    }

    /// Returns the sessions that count for an account's limit, which are those that its owner sees, before another one is
    /// stored.
    ///
    /// Expired ones are kept for a while, so that an answer can say that they have expired. Those that would exceed the
    /// limit together with the others are removed, the oldest first, so that the limit bounds what is stored; while the
    /// clock may be wrong (`ClockTrust`), they are kept. A part of what is left of ended ones is removed as well.
    func counted(of account: StoredAccount, now: Int64, _ tx: any StoreWriting) throws -> [StoredSession] {
        let stored = try tx.sessions(account: account.id)
        let surplus = stored.count + 1 - Int(clamping: quota.with(account.quota).devices)
        let expired = stored.filter { !rules.lives($0, now: now) }.prefix(max(0, surplus))
        if !expired.isEmpty, try tx.trustsClock(at: now) {
            for session in expired { try tx.deleteSession(id: session.id) }
        }
        var limit = RemovalLimit()
        try tx.deleteEndedSessions(account: account.id, limit: &limit)
        return stored.filter { rules.lives($0, now: now) }
    }

    /// Ends the session of a device of the caller's account at once. The outcomes of its requests are kept for a while,
    /// since it may sign in again and repeat its last request (`MaintenanceService`).
    ///
    /// - Returns: The session that has ended.
    /// - Throws: `Problem` 404 if there is no such session.
    func revoke(device: String, _ caller: Caller) async throws -> StoredSession {
        let revoked = try await store.write(as: caller, using: .reserve) { tx in
            let session = try Access.found(try tx.session(account: caller.account, device: device))
            try tx.deleteSession(id: session.id)
            try tx.deleteDeviceProof(account: caller.account, device: device)
            return session
        }
        events.recheck(account: caller.account)
        return revoked
    }

    /// Ends the sessions of all devices of the caller's account, app passwords included.
    ///
    /// - Parameter includingThis: Whether the caller's own session ends, too.
    /// - Returns: The number of sessions that have ended.
    func endAll(_ caller: Caller, includingThis: Bool) async throws -> Int {
        let count = try await store.write(as: caller, using: .reserve) { tx in
            let sessions = try tx.sessions(account: caller.account).filter { includingThis || $0.id != caller.session }
            for session in sessions { try tx.deleteSession(id: session.id) }
            try tx.deleteDeviceProofs(account: caller.account, except: includingThis ? nil : caller.device)
            return sessions.count
        }
        events.recheck(account: caller.account)
        return count
    }

    // MARK: Names and app passwords

    /// Gives a device of the caller's account another name.
    ///
    /// - Throws: `Problem` 404 if there is no such device.
    func rename(device: String, to name: String, _ caller: Caller) async throws {
        try await store.write(as: caller, using: .reserve) { tx in
            var session = try Access.found(try tx.session(account: caller.account, device: device))
            session.deviceName = name
            try tx.put(session)
        }
    }

    /// Creates an app password: a session with one access token, which isn't refreshed.
    ///
    /// - Parameter confirmed: The account as it was when the request's password was found right.
    /// - Throws: `Problem` 403 if the account has as many devices as it may have, or another password by now.
    func createAppPassword(
        _ request: AppPasswordRequest, _ caller: Caller, confirmed: StoredAccount
    ) async throws -> AppPasswordGrant {
        let seconds = request.expiresIn ?? Self.appPasswordSeconds
        let now = environment.now()
        let token = OpaqueToken.make(environment, prefix: AppPasswordGrant.secretPrefix)
        let session = StoredSession(
            id: environment.uuid(), account: caller.account, device: environment.uuid(), deviceName: request.name,
            createdAt: now, lastSeenAt: now,
            appPassword: .init(scope: request.scope, expiresAt: now + seconds * 1_000))
        let stored = StoredToken(
            hash: OpaqueToken.hash(token.text), session: session.id, kind: .access, generation: 0, pair: 0,
            expiresAt: now + seconds * 1_000)
        try await store.write(as: caller) { tx in
            let account = try Access.found(try tx.account(id: caller.account))
            guard account.passwordHash == confirmed.passwordHash else {
                throw Problem.invalidCredentials(status: 403)
            }
            let limit = quota.with(account.quota).devices
            guard try counted(of: account, now: now, tx).count < limit else {
                throw Problem.tooManyDevices(limit: limit)
            }
            try tx.put(session)
            try tx.insert(stored)
        }
        return AppPasswordGrant(
            device: .init(id: session.device, name: session.deviceName),
            appPassword: AppPassword(
                scope: request.scope, expiresAt: WireMoment(milliseconds: now + seconds * 1_000)), secret: token.text)
    }

    /// Lifetime of an app password without another one, in seconds: a year.
    private static let appPasswordSeconds: Int64 = 365 * 86_400
}

extension SessionRules {
    /// Returns whether a device may still refresh its session, or whether an app password hasn't expired.
    func lives(_ session: StoredSession, now: Int64) -> Bool {
        if let appPassword = session.appPassword { return now < appPassword.expiresAt }
        return now < session.createdAt + self.session && now < session.lastSeenAt + refresh
    }
}

extension StoredSession.AppPassword {
    /// The app password in its form on the wire.
    var wire: SyncAPI.AppPassword { SyncAPI.AppPassword(scope: scope, expiresAt: WireMoment(milliseconds: expiresAt)) }
}
