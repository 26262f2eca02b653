public import Records
public import SyncAPI

/// Where a server keeps its data. Every implementation passes `ServerStoreConformance`.
///
/// Bodies run synchronously on threads of the store's own, never on the cooperative pool. A body may be run more than
/// once (an engine that detects conflicts starts it again), so it has no effects besides those on its transaction, and
/// the transaction is of no use after it.
public protocol ServerStore: Sendable {
    /// Reads from one snapshot: nothing that others commit meanwhile is seen.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result

    /// Runs one transaction. When this returns, it is durable (fsynced); when it throws, nothing of it is left.
    ///
    /// The store may gather several into one commit, but each fails independently.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result

    /// Same as `write`, but the transaction may use the store's reserve when the disk is full.
    ///
    /// - Parameter space: the space that it may use when the disk is full. A store without a reserve ignores it.
    func write<Result: Sendable>(
        using space: SpaceUse, _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result

    /// Checks that an ordinary transaction would find room and could be written, without writing anything.
    ///
    /// - Throws: `StoreFailure`.
    func checkSpace() async throws
}

extension ServerStore {
    public func write<Result: Sendable>(
        using space: SpaceUse, _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await write(body)
    }

    public func checkSpace() async throws {}
}

/// The disk space that a transaction may use when the disk is full.
public enum SpaceUse: Sendable, Equatable {
    /// Only the free space.
    case ordinary
    /// Also the store's reserve: for deletions, and for what deletions require, such as a session. A transaction that
    /// uses the reserve keeps no revisions of deleted records.
    case reserve
}

/// What can be asked within a transaction. Not to be used after it, nor from another thread.
public protocol StoreReading {
    /// A random id that changes when the database is made or restored from a backup.
    func epoch() throws -> String
    /// The version up to which a space is the same as in an epoch that has ended: the one that it went back to in the
    /// restore that ended the epoch (those since went back to later ones, since each raises the version); 0 if it wasn't
    /// there then.
    ///
    /// - Returns: nil if no epoch of this name is known to have ended.
    func shared(since epoch: String, in space: String) throws -> Int64?

    /// The account with this id.
    func account(id: String) throws -> StoredAccount?
    /// The account with this name, which is in lower case.
    func account(username: String) throws -> StoredAccount?

    /// The token with this SHA-256.
    func token(hash: [UInt8]) throws -> StoredToken?
    /// The session with this id.
    func session(id: String) throws -> StoredSession?
    /// How many tokens of a generation a session has, withdrawn ones included.
    func tokenCount(session: String, generation: Int64) throws -> Int
    /// The session of a device of an account.
    func session(account: String, device: String) throws -> StoredSession?
    /// The sessions of an account, the oldest device first.
    func sessions(account: String) throws -> [StoredSession]

    /// The space with this id.
    func space(_ id: String) throws -> SpaceRow?
    /// The digest of the live records of these collections: the sum of their stored digests.
    func digest(of collections: [String], in space: String) throws -> SpaceDigest
    /// What the account may do in the space; nil: it is no member, or there is no such space.
    func role(of account: String, in space: String) throws -> Role?
    /// The spaces of which the account is a member, in order of id.
    func memberships(of account: String) throws -> [Membership]

    /// The version of a record, tombstones included; nil if the space doesn't have it. The cost doesn't depend on the
    /// record's size.
    func version(of key: RecordKey, in space: String) throws -> Int64?
    /// Those of the named records that the space has, tombstones included.
    func records(_ keys: [RecordKey], in space: String) throws -> [RecordKey: RawRecord]
    /// Visits records in order of version until `visit` returns false.
    func visitChanges(_ range: ChangeRange, in space: String, visit: (RawRecord) -> Bool) throws
    /// Visits the live records of a collection in order of id, those after `after`, until `visit` returns false.
    func visitLive(
        collection: String, in space: String, after: String?, visit: (RawRecord) -> Bool) throws

    /// Visits the states of a record from the newest to the oldest, the present one and tombstones included, those before a
    /// version, until `visit` returns false.
    func visitRevisions(
        of key: RecordKey, in space: String, before version: Int64, visit: (RawRecord) -> Bool) throws
    /// The tombstones of all spaces that were made before a moment (RFC 3339 in UTC with milliseconds), the oldest first.
    func tombstones(before moment: String, limit: Int) throws -> [StoredTombstone]

    /// Spaces without members, whose remains are to be cleared.
    func abandonedSpaces(limit: Int) throws -> [String]

    /// What came of a request with this idempotency key.
    func outcome(of key: OutcomeKey) throws -> StoredOutcome?
    /// The bytes of the results of all outcomes that are kept for an account, kept up to date by each transaction.
    func outcomeBytes(account: String) throws -> Int64
}

/// What can be done within a transaction that writes.
public protocol StoreWriting: StoreReading {
    /// Marks the database as restored from a backup: keeps the epoch that ends with the version of each space, raises
    /// each space's version by `RestoredVersion`, so that no number is handed out twice, and begins an epoch.
    ///
    /// - Parameters:
    ///   - epoch: a random id that no other epoch had, `[A-Za-z0-9_-]{1,64}`.
    ///   - now: milliseconds since 1970.
    func markRestored(epoch: String, now: Int64) throws

    /// Adds an account; false, and nothing done, if the name is taken.
    func insert(_ account: StoredAccount) throws -> Bool
    /// Replaces the hash of an account's password.
    func setPasswordHash(_ hash: String, account: String) throws
    /// Removes outcomes, tokens and ended sessions of an account, up to a limit, and the account with its memberships and
    /// live sessions once none is left.
    ///
    /// - Returns: whether the account is gone.
    func clear(account id: String, limit: RemovalLimit) throws -> Bool

    /// Adds a session or replaces the one with its id.
    func put(_ session: StoredSession) throws
    /// Ends a session: it and its tokens are not found any more, and its device may have another one. `deleteSessions`
    /// removes what is stored of it. Nothing happens if there is no such session.
    func deleteSession(id: String) throws
    /// Adds a token.
    func insert(_ token: StoredToken) throws
    /// Marks a session's tokens of a generation as withdrawn.
    func withdrawTokens(session: String, generation: Int64) throws
    /// Removes a session's tokens of a kind that expired before a moment (milliseconds since 1970), up to a limit.
    func deleteTokens(
        session: String, kind: StoredToken.Kind, expiredBefore moment: Int64, limit: inout RemovalLimit
    ) throws

    /// Adds an empty space.
    func insertSpace(id: String) throws
    /// Adds changes to the digests of a space's collections.
    ///
    /// - Parameter changes: by collection; a collection without a digest has the digest 0.
    func addToDigests(_ changes: [String: SpaceDigest], in space: String) throws
    /// Makes an account a member of a space, or changes its role.
    func setRole(_ role: Role, of account: String, in space: String) throws
    /// Removes records and revisions of a space, up to a limit, and the space with its members once none is left.
    ///
    /// Called in steps, so that removing a large space neither blocks other writers nor needs much space in one
    /// transaction.
    ///
    /// - Returns: whether the space is gone.
    func clear(space id: String, limit: RemovalLimit) throws -> Bool
    /// The space, held by this transaction alone until it commits, so that the order of versions is that of commits.
    func lockSpace(_ id: String) throws -> SpaceRow?
    /// Replaces a space's row, except for its bytes, which the store counts.
    func update(_ space: SpaceRow) throws

    /// Adds the records to the space or replaces those with their keys.
    func put(_ records: [RawRecord], in space: String) throws
    /// Keeps the present states of records as revisions, and keeps this number of each record's revisions, the newest.
    func keepRevisions(of keys: [RecordKey], in space: String, limit: Int) throws
    /// Removes revisions of a record up to a limit, and subtracts them from it; after the last one, the record, too.
    ///
    /// - Returns: whether none is left, and the record may be removed in the same transaction.
    func removeRevisions(of key: RecordKey, in space: String, limit: inout RemovalLimit) throws -> Bool
    /// Removes those of the tombstones that the space still has, with their revisions.
    func remove(_ tombstones: [StoredTombstone], in space: String) throws
    /// Removes sessions that have ended, that have not been used since one moment or that began before another
    /// (milliseconds since 1970), with their tokens, up to a limit.
    ///
    /// - Returns: whether none is left.
    func deleteSessions(lastSeenBefore seen: Int64, createdBefore created: Int64, limit: RemovalLimit) throws -> Bool
    /// Stores an outcome, and removes all but the last `StoredOutcome.kept` of its device.
    func insert(_ outcome: StoredOutcome, for key: OutcomeKey) throws
    /// Removes outcomes that were stored before a moment (milliseconds since 1970) and whose device has no session, up
    /// to a limit.
    ///
    /// - Returns: whether none is left.
    func deleteOutcomesWithoutSession(storedBefore moment: Int64, limit: RemovalLimit) throws -> Bool
}

/// Why a store can't work now, as far as callers need to know; the transaction had no effect. Any other error of a
/// store is a fault. New cases may be added.
public enum StoreFailure: Error, Sendable, Equatable {
    /// There is no room left where the data are. `reason` is the engine's, for the log.
    case full(reason: String)
    /// Another program keeps the data locked for longer than the store waits. `reason` is the engine's, for the log.
    case busy(reason: String)
}
