public import Records
public import SyncAPI

/// The storage of a server. Every implementation passes `ServerStoreConformance`.
///
/// Bodies run synchronously: those of `lookUp` may run on the calling thread, all others run on threads of the store's own,
/// never on the cooperative pool. A body may run more than once
/// (an engine that detects conflicts starts it again), so it has no effects besides those on its transaction. The
/// transaction is invalid after the body.
public protocol ServerStore: Sendable {
    /// Reads from one snapshot: changes that are committed meanwhile are not visible.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result

    /// Reads a few rows by their keys from one snapshot, as `read` does. A store may run `body` on the calling thread of
    /// the cooperative pool: a thread switch takes longer than such a read.
    func lookUp<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result

    /// Runs one transaction. When this returns, the transaction is durable (fsynced); when it throws, it has no effect.
    ///
    /// The store may commit several transactions together, but each fails independently.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result

    /// Runs one transaction as `write` does, which may use the store's reserve when the disk is full.
    ///
    /// - Parameter space: The space that the transaction may use when the disk is full. A store without a reserve
    ///   ignores it.
    func write<Result: Sendable>(
        using space: SpaceUse, _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result

    /// Checks that an ordinary transaction has room and could be written, without writing anything.
    ///
    /// - Throws: `StoreFailure`.
    func checkSpace() async throws

    /// Returns a number that differs from an earlier one if another process has committed a transaction since. Event
    /// streams then check whether their sessions still exist, and the server writes events of its owner's commands to
    /// its log.
    ///
    /// - Returns: Nil if the store doesn't know: there may have been a transaction.
    func foreignCommits() async throws -> Int64?

    /// Reports news to the other processes over the same store. Never waits; the news may be sent together with later
    /// ones.
    func announce(_ news: StoreNews)

    /// Calls a function with the news of other processes, on a thread of the store's own, until the returned object is
    /// released. After a lost connection it receives `StoreNews.anything`.
    ///
    /// - Returns: Nil if the store has no news: then `foreignCommits` is called every second.
    func receiveNews(_ receive: @escaping @Sendable (StoreNews) -> Void) -> (any StoreNewsReceiving)?

    /// Checks that the engine's files are undamaged. May take a long time; writers aren't delayed.
    ///
    /// - Returns: A description of each fault; none if the files are undamaged.
    func faults() async throws -> [String]

    /// Returns the sizes of the store, for its metrics.
    func statistics() async throws -> StoreStatistics

    /// Checks that no other process could use the store since it was opened for a move (`StoreUse.moveTarget`, `.moveSource`). A store
    /// that can't keep others out any more refuses each write from then on.
    func checkExclusiveUse() async throws
}

extension ServerStore {
    public func lookUp<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        try await read(body)
    }

    public func write<Result: Sendable>(
        using space: SpaceUse, _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await write(body)
    }

    public func checkSpace() async throws {}

    public func foreignCommits() async throws -> Int64? { nil }

    public func announce(_ news: StoreNews) {}

    public func receiveNews(_ receive: @escaping @Sendable (StoreNews) -> Void) -> (any StoreNewsReceiving)? { nil }

    public func faults() async throws -> [String] { [] }

    public func statistics() async throws -> StoreStatistics { StoreStatistics() }

    public func checkExclusiveUse() async throws {}
}

/// The disk space that a transaction may use when the disk is full.
public enum SpaceUse: Sendable, Equatable {
    /// Only the free space.
    case ordinary
    /// Also the store's reserve: for deletions, and for what deletions require, such as a session. A transaction that
    /// uses the reserve keeps no revisions of deleted records.
    case reserve
}

/// The reads of a transaction. Invalid after the transaction, and on any other thread.
public protocol StoreReading {
    /// Returns the epoch: a random id that changes when the database is created or restored from a backup.
    func epoch() throws -> String
    /// Returns the time of the last maintenance by a trusted clock, in milliseconds since 1970. Before the first one, it
    /// is the latest time at which a device was seen, an account created or an invitation made; nil: there is none of
    /// these either.
    func lastMaintenance() throws -> Int64?
    /// Returns the doubt about the clock that the last decision left; nil: the clock was trusted.
    func clockDoubt() throws -> ClockDoubt?
    /// Returns the version up to which a space equals its state in an epoch that has ended.
    ///
    /// That is the version to which the restore that ended the epoch reset the space; 0 if the space didn't exist then.
    /// Later restores have reset it to later versions only, since each raises the version.
    ///
    /// - Returns: Nil if no ended epoch of this name is known.
    func shared(since epoch: String, in space: String) throws -> Int64?

    /// Returns the account with this id.
    func account(id: String) throws -> StoredAccount?
    /// Returns the account with this name, which is in lower case.
    func account(username: String) throws -> StoredAccount?
    /// Returns accounts in order of their names, those after a name.
    func accounts(after username: String, limit: Int) throws -> [StoredAccount]
    /// Returns the one-time code of an account; nil if it has none.
    func reset(account: String) throws -> StoredReset?
    /// Returns the numbers of everything that is stored.
    func totals() throws -> StoredTotals

    /// Returns whether there is any account.
    func hasAccounts() throws -> Bool
    /// Returns the invitation whose code has this SHA-256.
    func invite(codeHash: [UInt8]) throws -> StoredInvite?
    /// Returns all invitations, the oldest first.
    func invites() throws -> [StoredInvite]

    /// Returns the counted attempts of a subject of the throttle; nil if none is counted.
    func attempts(of name: String) throws -> StoredAttempts?
    /// Returns the SHA-256 of the secret by which a device proves an earlier session of an account.
    func deviceProof(account: String, device: String) throws -> [UInt8]?

    /// Returns whether an event of a command of the owner is stored.
    func hasAudits() throws -> Bool
    /// Returns the number of accounts that use at least nine tenths of a limit, for each limit, and of those above one.
    ///
    /// - Parameters:
    ///   - rules: The limits of accounts that have none of their own.
    ///   - sessions: The lifetimes of sessions: a session that has expired isn't a device.
    ///   - now: The time in milliseconds since 1970.
    func quotaUse(_ rules: QuotaRules, sessions: SessionRules, now: Int64) throws -> QuotaUse
    /// Returns the limits that the server which was started last has for accounts without their own, for commands of the
    /// owner; nil: none has stored them.
    func defaultQuota() throws -> QuotaRules?

    /// Returns the token with this SHA-256, unless its session has ended.
    func token(hash: [UInt8]) throws -> StoredToken?
    /// Returns the session with this id, unless it has ended.
    func session(id: String) throws -> StoredSession?
    /// Returns the number of tokens of a generation of a session, withdrawn ones included.
    func tokenCount(session: String, generation: Int64) throws -> Int
    /// Returns the number of tokens of a session, expired, replaced and withdrawn ones included.
    func tokenCount(session: String) throws -> Int
    /// Returns the oldest generation of which a session has tokens, expired and withdrawn ones included; nil: it has none.
    func oldestGeneration(session: String) throws -> Int64?
    /// Returns whether something is stored of ended sessions of an account.
    func hasEndedSessions(account: String) throws -> Bool
    /// Returns the session of a device of an account.
    func session(account: String, device: String) throws -> StoredSession?
    /// Returns the sessions of an account, the oldest first.
    func sessions(account: String) throws -> [StoredSession]

    /// Returns the space with this id.
    func space(_ id: String) throws -> SpaceRow?
    /// Returns the digest of the live records of these collections: the sum of their stored digests.
    func digest(of collections: [String], in space: String) throws -> SpaceDigest
    /// Returns what the account may do in the space; nil if it isn't a member or the space doesn't exist.
    func role(of account: String, in space: String) throws -> Role?
    /// Returns the account's memberships, in order of the spaces' ids.
    func memberships(of account: String) throws -> [Membership]

    /// Announces that a token, its session and account, and the account's role in a space (nil: in none) will be read, and nothing
    /// else in this transaction, so that a store may read them together. A transaction that reads more nevertheless may be run
    /// again.
    func willReadCaller(token hash: [UInt8], space: String?) throws
    /// Announces that a space, an account's role there and the epoch will be read, so that a store may read them together.
    func willReadSpace(_ id: String, by account: String) throws
    /// Announces that a space, an account's role there and a record of it will be read, and nothing else in this transaction, so that
    /// a store may read them together. A transaction that reads more nevertheless may be run again.
    func willReadRecord(_ key: RecordKey, in space: String, by account: String) throws
    /// Announces that the versions of these records will be read, so that a store may read them together.
    func willReadVersions(of keys: [RecordKey], in space: String) throws
    /// Announces that the versions of these records will be read, and then the records of most of them, so that a store may
    /// read them together. A store holds few bytes of them at once.
    func willReadRecords(of keys: [RecordKey], in space: String) throws
    /// Returns the version of a record, tombstones included; nil if the space doesn't have it. The cost doesn't depend
    /// on the record's size.
    func version(of key: RecordKey, in space: String) throws -> Int64?
    /// Returns those of the named records that the space has, tombstones included.
    func records(_ keys: [RecordKey], in space: String) throws -> [RecordKey: RawRecord]
    /// Visits the records of a range in order of version until `visit` returns false.
    func visitChanges(_ range: ChangeRange, in space: String, visit: (RawRecord) -> Bool) throws
    /// Visits the live records of a collection in order of id, those after `after`, until `visit` returns false.
    func visitLive(
        collection: String, in space: String, after: String?, visit: (RawRecord) -> Bool) throws

    /// Visits the states of a record before a version, from the newest to the oldest, until `visit` returns false. The
    /// present state and tombstones are included.
    func visitRevisions(
        of key: RecordKey, in space: String, before version: Int64, visit: (RawRecord) -> Bool) throws
    /// Returns the tombstones of all spaces that were made before a moment (RFC 3339 in UTC with milliseconds), the
    /// oldest first.
    func tombstones(before moment: String, limit: Int) throws -> [StoredTombstone]

    /// Returns the ids of spaces without members, which are to be cleared.
    func abandonedSpaces(limit: Int) throws -> [String]

    /// Returns the stored outcome of a request with this idempotency key.
    func outcome(of key: OutcomeKey) throws -> StoredOutcome?
    /// Returns the bytes of all outcomes that are stored for an account (`StoredOutcome.bytes`). Each transaction keeps the
    /// number up to date.
    func outcomeBytes(account: String) throws -> Int64

    /// Returns rows of a table in the order of its key, those after a key (nil: from the first one): `limit` rows at most,
    /// and none after `StoreTable.batchBytes`.
    func rows(of table: StoreTable, after key: [StoredValue]?, limit: Int) throws -> [StoredRow]
    /// Returns the mark of a move; nil if there is none.
    func moveMark() throws -> MoveMark?
}

/// The reads and writes of a transaction.
public protocol StoreWriting: StoreReading {
    /// Marks the database as restored from a backup: stores the epoch that ends with the version of each space, raises
    /// each space's version by `RestoredVersion`, so that no number is used twice, and begins an epoch. Servers may use a
    /// database again that was moved (`MoveMark.moved`).
    ///
    /// - Parameters:
    ///   - epoch: A random id that no other epoch had, `[A-Za-z0-9_-]{1,64}`.
    ///   - now: The time in milliseconds since 1970.
    func markRestored(epoch: String, now: Int64) throws

    /// Announces a change of a space's records: that a session, its account with the bytes of its outcomes, and the account's role
    /// in the space will be read, that the space will be locked, and that the digests of the records' collections will change. A
    /// store may read what it needs together.
    func willChange(_ keys: [RecordKey], in space: String, session: String) throws

    /// Adds an account.
    ///
    /// - Returns: False, with no effect, if the name is in use.
    func insert(_ account: StoredAccount) throws -> Bool
    /// Replaces the hash of an account's password.
    func setPasswordHash(_ hash: String, account: String) throws
    /// Disables an account at a moment (milliseconds since 1970), or enables it (nil).
    func setDisabled(_ moment: Int64?, account: String) throws
    /// Replaces an account's own limits.
    func setQuota(_ quota: AccountQuota, account: String) throws
    /// Stores a one-time code in place of the account's earlier one.
    func put(_ reset: StoredReset) throws
    /// Removes the one-time code of an account, if it has one.
    func deleteReset(account: String) throws
    /// Removes outcomes, tokens and ended sessions of an account, up to a limit. Once none is left, it removes the
    /// account with its memberships and live sessions.
    ///
    /// - Returns: Whether the account is gone.
    func clear(account id: String, limit: RemovalLimit) throws -> Bool

    /// Adds an invitation.
    func insert(_ invite: StoredInvite) throws
    /// Counts one more use of an invitation.
    func countUse(ofInvite id: String) throws
    /// Removes an invitation.
    ///
    /// - Returns: Whether there was one of this id.
    func deleteInvite(id: String) throws -> Bool
    /// Removes the invitations that expired before a moment (milliseconds since 1970).
    func deleteInvites(expiredBefore moment: Int64) throws

    /// Stores the counted attempts of a subject of the throttle, in place of earlier ones.
    func put(_ attempts: StoredAttempts, of name: String) throws
    /// Removes the attempts of a subject.
    func deleteAttempts(of name: String) throws
    /// Removes the attempts whose last one was before a moment (milliseconds since 1970).
    func deleteAttempts(lastBefore moment: Int64) throws
    /// Removes attempts until those of `bound` subjects are left, if more than `bound + surplus` are stored: first those
    /// whose last one was before a moment (milliseconds since 1970), then the least important ones
    /// (`StoredAttempts.Importance`), and of these those with the earliest end.
    ///
    /// Called after each counted attempt, so it doesn't read the rows to count them.
    func trimAttempts(to bound: Int, surplus: Int, forgottenBefore moment: Int64) throws

    /// Stores the SHA-256 of the secret of a device, in place of an earlier one, and keeps the newest `limit` of the
    /// account. The secrets outlive the sessions, and are removed with the account.
    func putDeviceProof(_ hash: [UInt8], account: String, device: String, now: Int64, limit: Int) throws
    /// Removes the secret of a device.
    func deleteDeviceProof(account: String, device: String) throws
    /// Removes the secrets of all devices of an account, except for one device.
    func deleteDeviceProofs(account: String, except device: String?) throws

    /// Stores the limits that a server has for accounts without their own, in place of earlier ones.
    func setDefaultQuota(_ rules: QuotaRules) throws

    /// Stores an event of a command of the owner, and keeps the newest `limit` of all.
    func insert(_ audit: StoredAudit, limit: Int) throws
    /// Removes the oldest stored events of the owner's commands, up to a limit.
    ///
    /// - Returns: The removed events in their order.
    func removeOldestAudits(limit: Int) throws -> [StoredAudit]

    /// Adds a session or replaces the one with its id.
    func put(_ session: StoredSession) throws
    /// Ends a session: it and its tokens are not found any more, and its device may have another one. Has no effect if
    /// there is no such session. `deleteSessions` removes the stored rows.
    func deleteSession(id: String) throws
    /// Adds a token.
    func insert(_ token: StoredToken) throws
    /// Marks a session's tokens of a generation as withdrawn, except those of one pair.
    func withdrawTokens(session: String, generation: Int64, except pair: Int64) throws
    /// Removes a session's tokens of a kind that expired before a moment (milliseconds since 1970), up to a limit.
    func deleteTokens(
        session: String, kind: StoredToken.Kind, expiredBefore moment: Int64, limit: inout RemovalLimit
    ) throws
    /// Removes a session's tokens of some generations, up to a limit.
    func deleteTokens(session: String, generations: Range<Int64>, limit: inout RemovalLimit) throws
    /// Removes what is stored of ended sessions of an account, up to a limit.
    func deleteEndedSessions(account: String, limit: inout RemovalLimit) throws

    /// Adds an empty space.
    func insertSpace(id: String) throws
    /// Adds changes to the digests of a space's collections.
    ///
    /// - Parameter changes: The changes by collection; a collection without a digest has the digest 0.
    func addToDigests(_ changes: [String: SpaceDigest], in space: String) throws
    /// Makes an account a member of a space, or changes its role.
    func setRole(_ role: Role, of account: String, in space: String) throws
    /// Removes records and revisions of a space, up to a limit. Once none is left, it removes the space with its
    /// members.
    ///
    /// Called in steps, so that removing a large space neither blocks other writers nor needs much space in one
    /// transaction.
    ///
    /// - Returns: Whether the space is gone.
    func clear(space id: String, limit: RemovalLimit) throws -> Bool
    /// Returns the space and locks it for this transaction until it commits, so that the order of versions is that of
    /// commits.
    func lockSpace(_ id: String) throws -> SpaceRow?
    /// Replaces a space's row, except for its bytes, which the store counts.
    func update(_ space: SpaceRow) throws

    /// Adds the records to the space or replaces those with their keys.
    func put(_ records: [RawRecord], in space: String) throws
    /// Stores the present states of records as revisions, and keeps the newest `limit` revisions of each.
    func keepRevisions(of keys: [RecordKey], in space: String, limit: Int) throws
    /// Removes revisions of a record up to a limit, and subtracts them from it. After the last one, the record's own
    /// size is subtracted, too.
    ///
    /// - Returns: Whether none is left and the record may be removed in the same transaction.
    func removeRevisions(of key: RecordKey, in space: String, limit: inout RemovalLimit) throws -> Bool
    /// Removes those of the tombstones that the space still has, with their revisions.
    func remove(_ tombstones: [StoredTombstone], in space: String) throws
    /// Removes sessions that have ended, those of devices that were last used before one moment or that began before
    /// another, and app passwords that expired before a third (milliseconds since 1970), with their tokens, up to a limit.
    ///
    /// - Returns: Whether none is left.
    func deleteSessions(
        lastSeenBefore seen: Int64, createdBefore created: Int64, expiredBefore expired: Int64, limit: RemovalLimit
    ) throws -> Bool
    /// Stores an outcome, and removes all but the last `StoredOutcome.kept` of its device.
    func insert(_ outcome: StoredOutcome, for key: OutcomeKey) throws
    /// Removes outcomes that were stored before a moment (milliseconds since 1970) and whose device has no session, up
    /// to a limit.
    ///
    /// - Returns: Whether none is left.
    func deleteOutcomesWithoutSession(storedBefore moment: Int64, limit: RemovalLimit) throws -> Bool

    /// Adds rows that another store has exported (`rows(of:after:limit:)`), with their numbers. Counters begin at 0: the
    /// store adds up what the rows of other tables count.
    func insert(_ rows: [StoredRow], into table: StoreTable) throws
    /// Removes the rows of a table up to a key.
    func deleteRows(of table: StoreTable, through key: [StoredValue]) throws
    /// Ends an import: the store has the exporting one's epoch, and numbers new rows after the imported ones.
    func finishImport(epoch: String) throws
    /// Stores the time of the present maintenance, in milliseconds since 1970.
    func setLastMaintenance(_ moment: Int64) throws
    /// Stores the doubt about the clock in place of an earlier one, or removes it (nil).
    func setClockDoubt(_ doubt: ClockDoubt?) throws
    /// Stores the mark of a move in place of an earlier one, or removes it (nil).
    func setMoveMark(_ mark: MoveMark?) throws
}
