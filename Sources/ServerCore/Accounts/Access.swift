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
            guard try tx.session(id: caller.session) != nil else { throw Problem.tokenInvalid }
            try Access.checkEnabled(caller.account, tx)
            return try body(tx)
        }
    }
}

/// The checks of a caller's rights. For a caller that isn't a member, a space doesn't exist.
enum Access {
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
        guard try role(of: caller, in: space, tx).mayWrite else { throw Problem.forbidden }
    }

    /// Returns the space's row, locked, if the caller may change it.
    ///
    /// - Throws: `Problem` 404 or 403.
    static func writable(_ space: String, by caller: Caller, _ tx: any StoreWriting) throws -> SpaceRow {
        try checkWritable(space, by: caller, tx)
        return try found(try tx.lockSpace(space))
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
