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
        guard let pending else { return Taken(next: CachedRecord(record: kept(theirs, over: record))) }
        if let mirror, mirror.version == theirs.version, mirror.deleted == theirs.deleted,
            mirror.fields == theirs.fields
        {
            var next = self
            next.mirror = kept(theirs, over: mirror)
            return Taken(next: next.tidied())
        }
        return merging(theirs, base: mirror, pending: pending, types: types)
    }

    /// The server doesn't know the record any more: a deletion is done, an edit is sent anew, whole.
    public func takingAbsence() -> CachedRecord? {
        guard let pending, !record.deleted else { return nil }
        var next = self
        next.mirror = nil
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
        case .applied(let version, let modifiedAt, let clock):
            let server = applied(mutation, version: version, modifiedAt: modifiedAt, clock: clock, device: device)
            return Taken(next: unchangedSinceSent ? CachedRecord(record: server) : landed(on: server).tidied())
        case .conflict(let current?):
            return landed(on: mirror).taking(current, types: types)
        case .conflict(nil):
            return Taken(next: landed(on: mirror).takingAbsence())
        case .rejected(let problem):
            var next = landed(on: mirror)
            if unchangedSinceSent { next.pending?.rejection = Rejection(problem) }
            return Taken(next: next)
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
        var server = mirror ?? record
        switch mutation.action {
        case .delete:
            server.deleted = true
        case .set(let fields):
            // On a tombstone or an unknown record the mutation names all fields.
            if mirror == nil || server.deleted { server.fields = [:] }
            server.deleted = false
            for (name, value) in fields { server.fields[name] = value.isNull ? nil : value }
        }
        server.version = version
        server.modifiedAt = modifiedAt
        server.modifiedBy = device
        server.clock = clock
        return server
    }

    /// Merges three ways. `base` is the last live state that was seen; nil: nothing is known to be common.
    func merging(_ theirs: Record, base: Record?, pending: Pending, types: RecordTypes) -> Taken {
        // A tombstone in the cache keeps the fields of the last live state, which is what the base must be.
        let base = base.map { ThreeWayMerge.Side(fields: $0.fields, clock: $0.clock) }
        let outcome = ThreeWayMerge.merge(
            base: base, mine: .init(record), theirs: .init(theirs), type: types[record.key.collection])
        var next = self
        next.mirror = kept(theirs, over: mirror ?? record)
        next.record.deleted = outcome.deleted
        next.record.fields = outcome.deleted ? record.fields : outcome.fields
        next.record.clock = outcome.clock
        next.record.version = theirs.version
        next.pending = Pending(at: outcome.clock.latest ?? pending.at, edits: pending.edits + 1)
        let conflicts = outcome.conflicts.map { ConflictRecord($0, in: record.key) }
        return Taken(next: next.tidied(), conflicts: conflicts, merged: true)
    }

    /// A tombstone of the server with the fields of the last live state, as the cache keeps them.
    private func kept(_ theirs: Record, over old: Record) -> Record {
        guard theirs.deleted else { return theirs }
        var kept = theirs
        kept.fields = old.fields
        return kept
    }
}
