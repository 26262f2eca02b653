internal import LocalStore
internal import Records
internal import SyncAPI
internal import struct Records.Record

// Merges of the server's states into cached records: pure functions of the cached record and the server's, which return
// the record to store.

/// The outcome of a merge for one record.
struct MergeOutcome: Sendable, Equatable {
    /// The record to store; nil: it is removed.
    var next: CachedRecord?
    /// The values that the merge couldn't keep.
    var conflicts: [ConflictRecord] = []
    /// Whether two edits were merged.
    var merged = false
}

extension CachedRecord {
    /// Applies the server's state. It replaces a record without unsent edits; otherwise the edits are merged on top of
    /// it.
    func applyingRemote(_ theirs: Record, types: RecordTypes) -> MergeOutcome {
        guard let pending else { return MergeOutcome(next: CachedRecord(record: theirs.keepingFields(of: record))) }
        // A state that was seen before needs no merge, so applying it twice changes nothing.
        if let mirror, mirror.isSameState(as: theirs) {
            var next = self
            next.mirror = theirs.keepingFields(of: mirror)
            return MergeOutcome(next: next.tidied())
        }
        return merging(theirs, base: mirror, pending: pending, types: types)
    }

    /// Applies that the server no longer knows the record: a deletion is done, and the record removed (nil); an edit is
    /// sent again, with all fields. The last state that was seen stays the base of later merges.
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
    /// - Parameter device: This device, which the server stores as the author of the change.
    func applying(_ result: MutationResult, of mutation: Mutation, device: String, types: RecordTypes)
        -> MergeOutcome
    {
        guard let pending, pending.sent != nil else { return MergeOutcome(next: self) }
        switch result {
        case .applied where mirror == nil && mutation.base > 0:
            // The mirror was lost with a part of the cache, so the server's state is unknown until a later answer has
            // it.
            return MergeOutcome(next: noLongerInFlight(on: nil))
        case .applied(let version, let modifiedAt, let clock):
            let server = serverState(
                after: mutation, version: version, modifiedAt: modifiedAt, clock: clock, device: device)
            return MergeOutcome(
                next: unchangedSinceSent ? CachedRecord(record: server) : noLongerInFlight(on: server).tidied())
        case .conflict(let current?):
            return noLongerInFlight(on: mirror).applyingRemote(current, types: types)
        case .conflict(nil):
            return MergeOutcome(next: noLongerInFlight(on: mirror).applyingRemoteDeletion())
        case .conflictWithoutCurrent:
            // The server's state is among the records of this answer or of the next pages, and is merged there.
            return MergeOutcome(next: noLongerInFlight(on: mirror))
        case .rejected(let problem):
            var next = noLongerInFlight(on: mirror)
            // An edit that was made since may be acceptable, so it is sent.
            if unchangedSinceSent { next.pending?.rejection = Rejection(problem) }
            // The server never accepted it, and it was deleted here since, so nothing is left to keep.
            if seen == nil, record.deleted, !unchangedSinceSent, !mayComeAgain(types) { return MergeOutcome(next: nil) }
            return MergeOutcome(next: next.tidied())
        }
    }

    /// Returns the record, no longer in flight, with its unsent edits based on `mirror`.
    private func noLongerInFlight(on mirror: Record?) -> CachedRecord {
        var next = self
        next.mirror = mirror
        next.pending?.sent = nil
        return next
    }

    private var unchangedSinceSent: Bool { pending?.sent == pending?.edits }

    private func serverState(
        after mutation: Mutation, version: Int64, modifiedAt: String, clock: FieldClocks, device: String
    ) -> Record {
        // The server doesn't have edits that were made in flight.
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

    /// Merges both sides three ways. `base` is the last live state that was seen; nil: nothing is known to be common.
    func merging(_ theirs: Record, base: Record?, pending: Pending, types: RecordTypes) -> MergeOutcome {
        let outcome = ThreeWayMerge.merge(
            base: base?.lastLiveState, mine: .init(record), theirs: .init(theirs), type: types[record.key.collection])
        var next = self
        next.mirror = theirs.keepingFields(of: base)
        next.record.deleted = outcome.deleted
        // A tombstone keeps the last live fields, the base of a revival.
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
    /// Returns the server's state; a tombstone gets the fields of the last live state that was seen, as the cache keeps
    /// them.
    ///
    /// - Parameter old: The last state that was seen; nil: none was.
    func keepingFields(of old: Record?) -> Record {
        guard deleted else { return self }
        var kept = self
        kept.fields = old?.fields ?? [:]
        return kept
    }

    /// Returns whether the server sends a state that was seen before. Two tombstones may differ in their version: the
    /// device that deleted the record again hadn't seen the edits of this one.
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
    /// Creates a rejection from a problem that the server has reported.
    init(_ problem: Problem) { self.init(code: problem.code.rawValue, reason: problem.detail ?? problem.title) }
}

extension CachedRecord {
    /// The most by which an edit's clock may be ahead of the server's, in milliseconds (SyncAPI.docc/Protocol.md,
    /// "Data").
    private static let tolerance: UInt64 = 60_000

    /// Returns the record with the clocks of its unsent edits lowered to the server's, if this device's clock is ahead.
    ///
    /// - Parameters:
    ///   - serverTime: The server's clock, in milliseconds since 1970; nil: unknown, and nothing changes.
    ///   - lower: Returns a clock of that time, later than the clock that the edit replaces; another one at each call.
    ///     Edits that shared a clock share one again.
    func lowered(to serverTime: UInt64?, by lower: (UInt64, HLC?) throws -> HLC) rethrows -> CachedRecord {
        guard let serverTime, pending != nil else { return self }
        // Clocks that the server has sent are not those of unsent edits.
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
