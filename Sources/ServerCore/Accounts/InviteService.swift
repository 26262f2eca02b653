internal import SyncAPI

/// Operations on invitations: those of the server's owner, and their use by a registration.
package struct InviteService: Sendable {
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

    private func audit(_ name: AuditEvent.Name, _ id: String) -> OwnerAudit {
        OwnerAudit(name, by: owner, at: environment.now(), details: ["invite": id])
    }

    /// Number of accounts that one invitation may allow.
    package static let uses = 1...10_000
    /// Lifetimes of an invitation, in milliseconds: a minute to a year.
    package static let lifetimes: ClosedRange<Int64> = 60_000...365 * 86_400_000
    /// The largest note, in bytes of UTF-8.
    package static let noteBytes = 200
    /// Lifetime of an invitation without another one, in milliseconds.
    package static let lifetime: Int64 = 7 * 86_400_000
    /// Time for which an invitation is listed after its expiry, in milliseconds.
    static let expiredKept: Int64 = 30 * 86_400_000

    /// A new invitation. Its code isn't stored, so this is the only place that has it.
    package struct Made: Sendable {
        /// The code for `register`.
        package let code: String
        /// The invitation.
        package let invite: StoredInvite
    }

    /// Makes an invitation.
    ///
    /// - Parameters:
    ///   - uses: Number of accounts that may be created with it, see `uses`.
    ///   - lifetime: Time until it expires, in milliseconds, see `lifetimes`.
    ///   - note: The owner's words about it, at most `noteBytes`.
    /// - Throws: The store's error.
    package func add(uses: Int = 1, lifetime: Int64 = Self.lifetime, note: String = "") async throws -> Made {
        let made = make(uses: uses, lifetime: lifetime, note: note)
        try await store.write(using: .reserve) { [audit = audit(.inviteAdded, made.invite.id)] tx in
            try tx.insert(made.invite)
            try tx.insert(audit)
        }
        return made
    }

    /// Makes an invitation if no one could register otherwise: there is no account, and no invitation can be used.
    ///
    /// - Parameter publish: Passes the code on. Called before the invitation is stored: a crash in between leaves a code that
    ///   is not valid, and the next start makes another one.
    /// - Returns: Nil if there is an account or an invitation.
    /// - Throws: The store's error, and that of `publish`; then there is no invitation.
    package func addFirst(_ publish: (Made) throws -> Void = { _ in }) async throws -> Made? {
        let now = environment.now()
        guard try await store.read({ tx in try tx.needsFirstInvite(now: now) }) else { return nil }
        let made = make(uses: 1, lifetime: Self.lifetime, note: "the first one")
        try publish(made)
        let isAdded = try await store.write(using: .reserve) { [audit = audit(.inviteAdded, made.invite.id)] tx in
            guard try tx.needsFirstInvite(now: now) else { return false }
            try tx.insert(made.invite)
            try tx.insert(audit)
            return true
        }
        return isAdded ? made : nil
    }

    /// Returns whether an account can be created with a code now.
    package func isUsable(_ code: String) async throws -> Bool {
        let now = environment.now()
        return try await store.read { tx in
            do { _ = try Self.usable(code, now: now, tx) } catch is Problem { return false }
            return true
        }
    }

    private func make(uses: Int, lifetime: Int64, note: String) -> Made {
        let code = ReadableCode.make(environment)
        let now = environment.now()
        // Eight hex digits: a name for a list of some invitations, and no secret.
        let id = String(environment.uuid().prefix(8))
        return Made(
            code: code.text,
            invite: StoredInvite(
                id: id, codeHash: ReadableCode.hash(code.text), note: note, uses: Int64(uses), createdAt: now,
                expiresAt: now + lifetime))
    }

    /// Returns all invitations, the oldest first, those that were used up or expired lately included.
    ///
    /// - Throws: The store's error.
    package func list() async throws -> [StoredInvite] { try await store.read { tx in try tx.invites() } }

    /// Removes an invitation, which then allows no registration any more.
    ///
    /// - Returns: Whether there was one of this id.
    /// - Throws: The store's error.
    package func withdraw(id: String) async throws -> Bool {
        try await store.write(using: .reserve) { [audit = audit(.inviteWithdrawn, id)] tx in
            guard try tx.deleteInvite(id: id) else { return false }
            try tx.insert(audit)
            return true
        }
    }
}

extension StoreReading {
    /// Returns whether no one could register where an invitation is needed.
    fileprivate func needsFirstInvite(now: Int64) throws -> Bool {
        try !hasAccounts() && !invites().contains { $0.isUsable(now: now) }
    }
}

extension InviteService {
    /// Returns the usable invitation with a code.
    ///
    /// - Throws: `Problem` 403 if there is none. The problem doesn't show whether it never existed, is used up,
    ///   or has expired.
    static func usable(_ code: String, now: Int64, _ tx: any StoreReading) throws -> StoredInvite {
        guard let invite = try tx.invite(codeHash: ReadableCode.hash(code)), invite.isUsable(now: now) else {
            throw Problem.inviteInvalid
        }
        return invite
    }
}
