public import LocalStore
public import Records
public import struct Records.Record
public import SyncAPI

// How to take in what comes: pure functions from what the cache holds and what the server said to what the cache shall
// hold.

/// What becomes of a record, and the conflicts that were found on the way.
public struct Taken: Sendable, Equatable {
    /// The record from now on; nil: nothing of it is left.
    public var next: CachedRecord?
    /// What a merge couldn't keep.
    public var conflicts: [ConflictRecord] = []
    /// Whether two edits were merged.
    public var merged = false
}

extension CachedRecord {
    /// The server has this state. Without unsent edits here it is simply taken; else the edits are merged on top of it.
    public func taking(_ theirs: Record, types: RecordTypes) -> Taken {
        guard let pending else { return Taken(next: CachedRecord(record: theirs.keepingFields(of: record))) }
        if let mirror, mirror.isSameState(as: theirs) {
            var next = self
            next.mirror = theirs.keepingFields(of: mirror)
            return Taken(next: next.tidied())
        }
        return merging(theirs, base: mirror, pending: pending, types: types)
    }

    /// The server doesn't know the record any more: a deletion is done, an edit is sent again, with all fields. The
    /// last state that was seen stays the base of later merges.
    public func takingAbsence() -> CachedRecord? {
        guard let pending, !record.deleted else { return nil }
        var next = self
        next.mirror = mirror?.purged
        next.record.version = 0
        next.pending = Pending(at: pending.at, edits: pending.edits + 1)
        return next
    }

    /// What the server made of the mutation in flight.
    ///
    /// - Parameter device: this device, which the server notes as the one that made the change.
    public func settling(_ result: MutationResult, of mutation: Mutation, device: String, types: RecordTypes) -> Taken {
        guard let pending, pending.sent != nil else { return Taken(next: self) }
        switch result {
        case .applied where mirror == nil && mutation.base > 0:
            // What it was applied to was lost with a part of the cache: the server tells what came of it.
            return Taken(next: landed(on: nil))
        case .applied(let version, let modifiedAt, let clock):
            let server = applied(mutation, version: version, modifiedAt: modifiedAt, clock: clock, device: device)
            return Taken(next: unchangedSinceSent ? CachedRecord(record: server) : landed(on: server).tidied())
        case .conflict(let current?):
            return landed(on: mirror).taking(current, types: types)
        case .conflict(nil):
            return Taken(next: landed(on: mirror).takingAbsence())
        case .conflictWithoutCurrent:
            // What the server has comes with the records of this answer or of the next pages, and is merged there.
            return Taken(next: landed(on: mirror))
        case .rejected(let problem):
            var next = landed(on: mirror)
            if unchangedSinceSent { next.pending?.rejection = Rejection(problem) }
            // Never taken by the server, and deleted here meanwhile.
            if seen == nil, record.deleted, !unchangedSinceSent, !mayComeAgain(types) { return Taken(next: nil) }
            return Taken(next: next.tidied())
        }
    }

    /// The same, no longer in flight; the record's unsent edits now stand on `mirror`.
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
    func merging(_ theirs: Record, base: Record?, pending: Pending, types: RecordTypes) -> Taken {
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
        return Taken(next: next.tidied(), conflicts: conflicts, merged: isMerge)
    }
}

extension Record {
    /// A state that the server tells; a tombstone gets the fields of the last live state that was seen, as the cache
    /// keeps them. `old` nil: none was seen.
    func keepingFields(of old: Record?) -> Record {
        guard deleted else { return self }
        var kept = self
        kept.fields = old?.fields ?? [:]
        return kept
    }

    /// Whether the server tells anew what was seen already. Of two tombstones that is all but the number: whoever
    /// deleted it again hadn't seen what was edited here.
    fileprivate func isSameState(as theirs: Record) -> Bool {
        if deleted || theirs.deleted { return deleted == theirs.deleted }
        return version == theirs.version && fields == theirs.fields
    }

    /// The base of a merge; nil for a tombstone of which no live state was ever seen.
    fileprivate var lastLiveState: ThreeWayMerge.Side? {
        deleted && fields.isEmpty ? nil : ThreeWayMerge.Side(fields: fields, clock: clock)
    }
}
