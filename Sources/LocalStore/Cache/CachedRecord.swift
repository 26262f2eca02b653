package import Records

/// The cached state of one record, as a value. Editing and syncing are functions from one such state to the next, and
/// `Cache.store` writes the result.
package struct CachedRecord: Sendable, Equatable {
    /// The record as the user sees it. The fields of a tombstone are the last live state: the base of a revival.
    package var record: Record
    /// The last known state on the server of a record with unsent edits. nil: the record is clean and so its own
    /// mirror, or the server never knew it. The fields of a tombstone are the last live state; version 0 marks a record
    /// that the server has purged.
    package var mirror: Record?
    /// The unsent edits; nil when the record is clean.
    package var pending: Pending?

    /// The entry of a record in the outbox.
    package struct Pending: Sendable, Equatable {
        /// The clock of the last edit.
        package var at: HLC
        /// The number of edits since the record was clean.
        package var edits: Int64
        /// The value of `edits` when the batch in flight was created; nil: the record isn't in that batch.
        package var sent: Int64?
        /// Why the server refused the record, which isn't sent again until it is edited; nil: it wasn't refused.
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

    /// The last known state on the server; nil: the server doesn't know the record.
    package var seen: Record? { pending == nil || mirror?.isPurged == false ? base : nil }

    /// The state on which unsent edits are based.
    private var base: Record? { pending == nil ? record : mirror }
}

/// Why a server refused a record.
public struct Rejection: Sendable, Equatable {
    /// A stable code of the problem, for programs.
    public var code: String
    /// The message to the user: what is wrong and what to do.
    public var reason: String

    public init(code: String, reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension Record {
    /// This state of the server after the server has purged the record: a tombstone of version 0, whose fields and
    /// clocks remain the base of merges.
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
    /// Returns a new record of this device.
    package static func created(_ key: RecordKey, fields: JSONObject, at: HLC) -> CachedRecord {
        let record = Record(key: key, modifiedBy: at.device, fields: fields.withoutNulls, clock: FieldClocks(all: at))
        return CachedRecord(record: record, pending: Pending(at: at))
    }

    /// Returns the record with each named field replaced, and revives a deleted one; `null` removes a field. An edit
    /// that changes no value is none.
    ///
    /// - Parameter types: Their policies name further fields that get the clock of an edit that revives the record.
    package func edited(_ patch: JSONObject, at: HLC, types: RecordTypes) -> CachedRecord {
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

    /// Returns the record as a tombstone; nil: it is removed without a trace, since no server can know it.
    ///
    /// A record that may be created again gets a tombstone in any case, see `mayComeAgain`.
    package func deleted(at: HLC, types: RecordTypes) -> CachedRecord? {
        if record.deleted { return self }
        // A batch in flight may already have created the record on the server.
        if seen == nil, pending?.sent == nil, !mayComeAgain(types) { return nil }
        var next = self
        next.record.deleted = true
        return next.counted(after: self, at: at)
    }

    /// Returns whether a record with this id may be created again, so that its deletion must be stored. These are a
    /// conflict, which another device that merges the same edits creates, too; an imported record, which the next
    /// import of the same file creates; and the records that the policy of the type names.
    package func mayComeAgain(_ types: RecordTypes) -> Bool {
        let type = types[record.key.collection]
        return type.isDerived || record.isImported || type.policy.mayComeAgain(record)
    }

    private func counted(after before: CachedRecord, at: HLC) -> CachedRecord {
        var next = self
        next.mirror = before.base
        // The rejection is dropped: the edited record is sent again.
        next.pending = Pending(at: at, edits: (before.pending?.edits ?? 0) + 1, sent: before.pending?.sent)
        return next.tidied()
    }

    /// Returns the record without an entry in the outbox if nothing is in flight and the record equals the server's
    /// state; otherwise returns it unchanged.
    ///
    /// While a batch is in flight, the server may still apply an earlier edit, which then must be sent in reverse.
    package func tidied() -> CachedRecord {
        guard let mirror, !mirror.isPurged, let pending, pending.sent == nil, record.deleted == mirror.deleted,
            record.deleted || record.fields == mirror.fields
        else { return self }
        return CachedRecord(record: mirror)
    }
}
