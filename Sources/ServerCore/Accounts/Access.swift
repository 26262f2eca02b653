internal import Records
internal import SyncAPI

extension ServerStore {
    /// Runs one transaction for a caller, unless the caller's session has ended since the request was authenticated:
    /// the device may have been revoked while the body was received or a password was hashed.
    ///
    /// Every write on behalf of a signed-in device uses this method.
    ///
    /// - Throws: `Problem` 401, 403; what `write` throws.
    public func write<Result: Sendable>(
        as caller: Caller, using space: SpaceUse = .ordinary,
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await write(using: space) { tx in
            try Access.checkSession(of: caller, tx)
            return try body(tx)
        }
    }

    /// Runs one transaction for a caller that changes records of a space, as `write(as:using:)` does. Announced, so that a store may
    /// read what it needs together.
    ///
    /// - Parameter keys: The records that `body` changes.
    func write<Result: Sendable>(
        as caller: Caller, using use: SpaceUse, changing keys: [RecordKey], in space: String,
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await write(using: use) { tx in
            try tx.willChange(keys, in: space, session: caller.session)
            try Access.checkSession(of: caller, tx)
            return try body(tx)
        }
    }
}

/// The one place that decides what a caller may do. `SyncServer.caller(of:for:)` asks before anything of the body is read,
/// for the endpoints of Satchel and of extensions; each transaction that writes asks again.
///
/// For a caller that isn't a member, a space doesn't exist. `AuthorisationTests` has a row for each endpoint.
enum Access {
    /// Returns why a request for a space is refused; nil if it isn't.
    ///
    /// - Parameter role: The caller's role in the space; nil if it isn't a member.
    static func refusal(role: Role?, isWriting: Bool) -> Problem? {
        // 404, not 403: the answer must not show that a space exists of which the caller isn't a member.
        guard let role else { return .notFound }
        return isWriting && !role.mayWrite ? .forbidden : nil
    }

    /// Returns the caller's role in the space.
    ///
    /// - Throws: `Problem` 404 if it has none.
    static func role(of caller: Caller, in space: String, _ tx: any StoreReading) throws -> Role {
        try found(try tx.role(of: caller.account, in: space))
    }

    /// Checks that the caller may change the space.
    ///
    /// - Throws: `Problem` 404 or 403.
    static func checkWritable(_ space: String, by caller: Caller, _ tx: any StoreReading) throws {
        let role = try tx.role(of: caller.account, in: space)
        if let refusal = refusal(role: role, isWriting: true) { throw refusal }
    }

    /// Returns the space's row, locked, if the caller may change it.
    ///
    /// - Throws: `Problem` 404 or 403.
    static func writable(_ space: String, by caller: Caller, _ tx: any StoreWriting) throws -> SpaceRow {
        try checkWritable(space, by: caller, tx)
        return try found(try tx.lockSpace(space))
    }

    /// Checks that the caller's session has not ended, and that its account is enabled.
    ///
    /// - Throws: `Problem` 401, 403.
    static func checkSession(of caller: Caller, _ tx: any StoreReading) throws {
        guard try tx.session(id: caller.session) != nil else { throw Problem.tokenInvalid }
        try checkEnabled(caller.account, tx)
    }

    /// Checks that the server's owner has not disabled the account.
    ///
    /// - Throws: `Problem` 403.
    static func checkEnabled(_ account: String, _ tx: any StoreReading) throws {
        if try tx.account(id: account)?.disabledAt != nil { throw Problem.accountDisabled }
    }

    /// Checks that the scope of the caller's app password, if it is one, allows a method.
    ///
    /// - Throws: `Problem` 403.
    static func checkScope(of caller: Caller, method: String) throws(Problem) {
        switch caller.scope {
        case .readOnly: if method != "GET" { throw .readOnly }
        case .full, nil: return
        }
    }

    /// Checks that the caller is a signed-in device, which may manage the account.
    ///
    /// - Throws: `Problem` 403.
    static func checkManaging(_ caller: Caller) throws(Problem) {
        if caller.scope != nil { throw .managementForbidden }
    }

    /// Returns the value.
    ///
    /// - Throws: `Problem` 404 if it is nil.
    static func found<Value>(_ value: Value?) throws(Problem) -> Value {
        guard let value else { throw .notFound }
        return value
    }
}
