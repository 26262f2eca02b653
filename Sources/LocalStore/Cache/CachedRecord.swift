package import Records

/// All that the cache knows of one record, as a value: editing and syncing are functions from one of these to the next,
/// and `Cache.store` writes the outcome.
package struct CachedRecord: Sendable, Equatable {
    /// The record as the person sees it. Of a tombstone, the fields are the last live state: the base of a revival.
    package var record: Record
    /// The server's last state, where it differs or is unknown whether it does; nil when the record is clean (then it is
    /// its own mirror) and when the server never knew the record. Of a tombstone, the fields are the last live state; a
    /// tombstone of version 0 stands for a record that the server has purged.
    package var mirror: Record?
    /// The unsent edits; nil when the record is clean.
    package var pending: Pending?

    /// What the outbox holds of a record.
    package struct Pending: Sendable, Equatable {
        /// When the last edit was made.
        package var at: HLC
        /// How many edits were made since the record was clean.
        package var edits: Int64
        /// `edits` when the batch in flight was made; nil when the record isn't in it.
        package var sent: Int64?
        /// Why the server refused the record; it stays here until it is edited again.
        package var rejection: Rejection?

        package init(at: HLC, edits: Int64 = 1, sent: Int64? = nil, rejection: Rejection? = nil) {
            self.at = at
            self.edits = edits
            self.sent = sent
            self.rejection = rejection
        }
    }

    package init(record: Record, mirror: Record? = nil, pending: Pending? = nil) {
        self.record = record
        self.mirror = mirror
        self.pending = pending
    }

    /// The server's last state; nil if it doesn't know the record.
    package var seen: Record? { pending == nil || mirror?.isPurged == false ? base : nil }

    /// What unsent edits are based on.
    private var base: Record? { pending == nil ? record : mirror }
}

/// Why a server refused a record.
public struct Rejection: Sendable, Equatable {
    /// The kind of problem, stable, for programs.
    public var code: String
    /// What is wrong and what to do, for the person.
    public var reason: String

    public init(code: String, reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension Record {
    /// What is left of this state of the server's when the server doesn't know the record any more: a tombstone of version
    /// 0, whose fields and clocks remain the base of merges.
    package var purged: Record {
        var purged = self
        purged.deleted = true
        purged.version = 0
        return purged
    }

    fileprivate var isPurged: Bool { deleted && version == 0 }
}

// MARK: - Local edits

extension CachedRecord {
    /// A new record, made on this device.
    package static func created(_ key: RecordKey, fields: JSONObject, at: HLC) -> CachedRecord {
        let record = Record(key: key, modifiedBy: at.device, fields: fields.withoutNulls, clock: FieldClocks(all: at))
        return CachedRecord(record: record, pending: Pending(at: at))
    }

    /// The record with each named field replaced (`null` removes it), a deleted one revived. The same value again is no edit.
    ///
    /// - Parameter types: the rules of its type say which other fields get the moment of an edit that revives it.
    package func edited(_ patch: JSONObject, at: HLC, types: RecordTypes = .standard) -> CachedRecord {
        var next = self
        next.record.fields = record.fields.applying(patch)
        let changed = patch.names.filter { record.fields[$0] != next.record.fields[$0] }
        next.record.clock.stamp(changed, at: at)
        if record.deleted {
            next.record.clock.stamp(types[record.key.collection].policy.stampedWhenRevived(record), at: at)
        }
        next.record.deleted = false
        return next == self ? self : next.counted(after: self, at: at)
    }

    /// The record as a tombstone; nil when nothing of it is left to keep, because no server may know of it.
    ///
    /// Of what may be made again a tombstone is kept in any case; see `mayComeAgain`.
    package func deleted(at: HLC, types: RecordTypes = .standard) -> CachedRecord? {
        if record.deleted { return self }
        if seen == nil, pending?.sent == nil, !mayComeAgain(types) { return nil }
        var next = self
        next.record.deleted = true
        return next.counted(after: self, at: at)
    }

    /// Whether a record of this id may be made again, so that its deletion must be remembered: a conflict, which another
    /// device that merges the same pair makes too; an imported record, by the next import of the same file; and what the
    /// policy of its type says.
    package func mayComeAgain(_ types: RecordTypes) -> Bool {
        let type = types[record.key.collection]
        return type.isDerived || record.isImported || type.policy.mayComeAgain(record)
    }

    private func counted(after before: CachedRecord, at: HLC) -> CachedRecord {
        var next = self
        next.mirror = before.base
        next.pending = Pending(at: at, edits: (before.pending?.edits ?? 0) + 1, sent: before.pending?.sent)
        return next.tidied()
    }

    /// Clean again, if nothing is in flight and what the person sees is what the server has.
    package func tidied() -> CachedRecord {
        guard let mirror, !mirror.isPurged, let pending, pending.sent == nil, record.deleted == mirror.deleted,
            record.deleted || record.fields == mirror.fields
        else { return self }
        return CachedRecord(record: mirror)
    }
}
