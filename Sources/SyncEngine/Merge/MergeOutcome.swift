internal import LocalStore
internal import Records
internal import SyncAPI
internal import struct Records.Record

// Applying what the server has to a record: pure functions from the record that the cache holds and the server's to the
// record that the cache stores next.

/// The outcome for one record.
struct MergeOutcome: Sendable, Equatable {
    /// The record to store; nil: it is removed.
    var next: CachedRecord?
    /// The values that a merge couldn't keep.
    var conflicts: [ConflictRecord] = []
    /// Whether two edits were merged.
    var merged = false
}

extension CachedRecord {
    /// Applies the server's state. Without unsent edits it replaces the record; otherwise the edits are merged on top of it.
    func applyingRemote(_ theirs: Record, types: RecordTypes) -> MergeOutcome {
        guard let pending else { return MergeOutcome(next: CachedRecord(record: theirs.keepingFields(of: record))) }
        if let mirror, mirror.isSameState(as: theirs) {
            var next = self
            next.mirror = theirs.keepingFields(of: mirror)
            return MergeOutcome(next: next.tidied())
        }
        return merging(theirs, base: mirror, pending: pending, types: types)
    }

    /// Applies that the server doesn't know the record any more: a deletion is done, an edit is sent again, with all
    /// fields. The last state that was seen stays the base of later merges.
    func applyingRemoteDeletion() -> CachedRecord? {
        guard let pending, !record.deleted else { return nil }
        var next = self
        next.mirror = mirror?.purged
        next.record.version = 0
        next.pending = Pending(at: pending.at, edits: pending.edits + 1)
        return next
    }

    /// Applies the result of the mutation in flight.
    ///
    /// - Parameter device: this device, which the server stores as the one that made the change.
    func settling(_ result: MutationResult, of mutation: Mutation, device: String, types: RecordTypes)
        -> MergeOutcome
    {
        guard let pending, pending.sent != nil else { return MergeOutcome(next: self) }
        switch result {
        case .applied where mirror == nil && mutation.base > 0:
            // The mirror was lost with a part of the cache: the next pull brings the record.
            return MergeOutcome(next: landed(on: nil))
        case .applied(let version, let modifiedAt, let clock):
            let server = applied(mutation, version: version, modifiedAt: modifiedAt, clock: clock, device: device)
            return MergeOutcome(next: unchangedSinceSent ? CachedRecord(record: server) : landed(on: server).tidied())
        case .conflict(let current?):
            return landed(on: mirror).applyingRemote(current, types: types)
        case .conflict(nil):
            return MergeOutcome(next: landed(on: mirror).applyingRemoteDeletion())
        case .conflictWithoutCurrent:
            // What the server has comes with the records of this answer or of the next pages, and is merged there.
            return MergeOutcome(next: landed(on: mirror))
        case .rejected(let problem):
            var next = landed(on: mirror)
            if unchangedSinceSent { next.pending?.rejection = Rejection(problem) }
            // Never accepted by the server, and deleted here since.
            if seen == nil, record.deleted, !unchangedSinceSent, !mayComeAgain(types) { return MergeOutcome(next: nil) }
            return MergeOutcome(next: next.tidied())
        }
    }

    /// The same record, no longer in flight; its unsent edits are now based on `mirror`.
    private func landed(on mirror: Record?) -> CachedRecord {
        var next = self
        next.mirror = mirror
        next.pending?.sent = nil
        return next
    }

    private var unchangedSinceSent: Bool { pending?.sent == pending?.edits }

    private func applied(
        _ mutation: Mutation, version: Int64, modifiedAt: String, clock: FieldClocks, device: String
    ) -> Record {
        // Later edits are no part of what the server has.
        var server = mirror ?? (unchangedSinceSent ? record : Record(key: record.key))
        switch mutation.action {
        case .delete:
            server.deleted = true
        case .set(let fields):
            // On a tombstone or an unknown record the mutation names all fields.
            let before = mirror == nil || server.deleted ? [:] : server.fields
            server.fields = before.applying(fields)
            server.deleted = false
        }
        server.version = version
        server.modifiedAt = modifiedAt
        server.modifiedBy = device
        server.clock = clock
        return server
    }

    /// Merges three ways. `base` is the last live state that was seen; nil: nothing is known to be common.
    func merging(_ theirs: Record, base: Record?, pending: Pending, types: RecordTypes) -> MergeOutcome {
        let outcome = ThreeWayMerge.merge(
            base: base?.lastLiveState, mine: .init(record), theirs: .init(theirs), type: types[record.key.collection])
        var next = self
        next.mirror = theirs.keepingFields(of: base)
        next.record.deleted = outcome.deleted
        next.record.fields = outcome.deleted ? record.fields : outcome.fields
        next.record.clock = outcome.clock
        next.record.version = theirs.version
        next.pending = Pending(at: outcome.clock.latest ?? pending.at, edits: pending.edits + 1)
        let conflicts = outcome.conflicts.map { ConflictRecord($0, in: record.key) }
        let isMerge = record.deleted != theirs.deleted || (!record.deleted && record.fields != theirs.fields)
        return MergeOutcome(next: next.tidied(), conflicts: conflicts, merged: isMerge)
    }
}

extension Record {
    /// The server's state; a tombstone gets the fields of the last live state that was seen, as the cache keeps them.
    /// `old` nil: none was seen.
    func keepingFields(of old: Record?) -> Record {
        guard deleted else { return self }
        var kept = self
        kept.fields = old?.fields ?? [:]
        return kept
    }

    /// Whether the server sends a state that was seen before. Two tombstones may differ in their version: the device that
    /// deleted the record again hadn't seen the edits of this one.
    fileprivate func isSameState(as theirs: Record) -> Bool {
        if deleted || theirs.deleted { return deleted == theirs.deleted }
        return version == theirs.version && fields == theirs.fields
    }

    /// The base of a merge; nil for a tombstone of which no live state was ever seen.
    fileprivate var lastLiveState: ThreeWayMerge.Side? {
        deleted && fields.isEmpty ? nil : ThreeWayMerge.Side(fields: fields, clock: clock)
    }
}

extension Rejection {
    /// What is kept of a server's problem.
    init(_ problem: Problem) { self.init(code: problem.code.rawValue, reason: problem.detail ?? problem.title) }
}

extension CachedRecord {
    /// How far ahead of the server's clock an edit may be dated, in milliseconds (SyncAPI.docc/Protocol.md, "Data").
    private static let tolerance: UInt64 = 60_000

    /// The record with the clocks of its unsent edits lowered to the server's, where this device's clock is ahead.
    ///
    /// - Parameters:
    ///   - serverTime: the server's clock, milliseconds since 1970; nil: unknown, then nothing changes.
    ///   - lower: makes a moment of that time, after the moment that the edit replaces; a new one with each call. Edits
    ///     that had one moment keep one.
    func lowered(to serverTime: UInt64?, by lower: (UInt64, HLC?) throws -> HLC) rethrows -> CachedRecord {
        guard let serverTime, pending != nil else { return self }
        let ahead = record.clock.moments.filter { field, moment in
            moment.milliseconds > serverTime + Self.tolerance && mirror?.clock[field.text] != moment
        }
        var next = self
        for moment in Set(ahead.values).sorted() {
            let fields = ahead.filter { $0.value == moment }.map(\.key.text)
            let replaced = fields.compactMap { mirror?.clock[$0] }.max()
            next.record.clock.stamp(fields, at: try lower(serverTime, replaced))
        }
        return next
    }
}
