internal import Records
internal import SyncAPI

/// The check of the quota of the account that owns a space, around a change of its records in one transaction.
///
/// Deleting always works: a plan that only deletes isn't checked.
struct QuotaCheck {
    private let account: StoredAccount
    private let rules: QuotaRules
    private let recordsBefore, bytesBefore: Int64
    /// Whether so little is left that a deleted record keeps no revisions. Otherwise deleting would free nothing: the
    /// last state of a deleted record would be stored as a revision until its tombstone is removed.
    let isTight: Bool

    /// Reads the usage before a change; nil if the space isn't the personal one of the caller.
    ///
    /// - Parameter defaults: The server's limits.
    init?(of caller: Caller, changing space: SpaceRow, defaults: QuotaRules, _ tx: any StoreReading) throws {
        // A space counts for the account whose personal space it is.
        guard let account = try tx.account(id: caller.account), account.personalSpace == space.id else { return nil }
        self.account = account
        rules = defaults.with(account.quota)
        recordsBefore = space.records
        bytesBefore = space.bytes + (try tx.outcomeBytes(account: account.id))
        isTight = QuotaRules.isNear(bytesBefore, rules.bytes)
    }

    /// Checks the usage after the change. The bytes are read again only if the change may have exceeded their limit: a store
    /// that sends its statements together would have to wait for them.
    ///
    /// - Parameters:
    ///   - changes: The stored changes of the plan.
    ///   - outcome: The stored outcome of the request; nil: it has none.
    /// - Throws: `Problem` 403 if a limit is exceeded, unless the plan only deletes. An edit is accepted above the limit of
    ///   records, which it doesn't add to.
    func check(
        _ plan: PushPlan, _ changes: NumberedPlan, outcome: StoredOutcome? = nil, _ tx: any StoreReading
    ) throws {
        if plan.onlyDeletes { return }
        let records = changes.space.records
        if records > rules.records, records > recordsBefore { throw Problem.tooManyRecords(limit: rules.records) }
        if Self.mostBytes(after: changes, outcome, before: bytesBefore) <= rules.bytes { return }
        guard let space = try tx.space(account.personalSpace) else { return }
        if space.bytes + (try tx.outcomeBytes(account: account.id)) > rules.bytes {
            throw Problem.tooManyBytes(limit: rules.bytes)
        }
    }

    /// Returns the most bytes that are used after a change: a replaced state stays at most as a revision, and older revisions
    /// and outcomes may have been removed.
    static func mostBytes(after changes: NumberedPlan, _ outcome: StoredOutcome?, before: Int64) -> Int64 {
        changes.writes.reduce(before + (outcome?.bytes ?? 0)) { $0 + $1.bytes }
    }
}

extension PushPlan {
    /// Whether the plan adds nothing but tombstones of stored records. The tombstone of an unknown record is a further
    /// record.
    var onlyDeletes: Bool {
        steps.allSatisfy { step in
            switch step {
            case .write(let write): write.fields == nil && write.replaced != nil
            case .conflict: true
            case .rejected: true
            }
        }
    }

    /// The keys of the stored records that the plan deletes.
    var deletedKeys: [RecordKey] {
        writes.filter { $0.fields == nil && $0.replaced != nil }.map(\.key)
    }
}
