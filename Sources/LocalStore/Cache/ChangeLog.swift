internal import Backend
package import Records
package import struct Records.Record

/// The changes of records by one transaction, reported once it is stored.
package struct CommittedChanges: Sendable, Equatable {
    /// The changes, in their order; several of one record are separate.
    package var changes: [RecordChange] = []
    /// Whether the person made them on this device; else a sync has brought them.
    package var arePersonal = false
}

/// A record before and after a change.
package struct RecordChange: Sendable, Equatable {
    /// Which record it is.
    package let key: RecordKey
    /// Its fields before; nil: it wasn't there, or was deleted.
    package let before: JSONObject?
    /// Its fields after; nil: it is gone.
    package let after: JSONObject?

    /// A change from one state of a record to another.
    package init(_ key: RecordKey, before: JSONObject?, after: JSONObject?) {
        (self.key, self.before, self.after) = (key, before, after)
    }
}

/// Collects the changes of a transaction if they are watched.
final class ChangeLog {
    private(set) var committed = CommittedChanges()

    /// Notes that a record is now another one, if a person would see the difference.
    func note(_ key: RecordKey, from old: Record?, to new: Record?) {
        let (before, after) = (old?.liveFields, new?.liveFields)
        if before != after { committed.changes.append(RecordChange(key, before: before, after: after)) }
    }

    /// Notes that this transaction is a command of the person.
    func isPersonal() { committed.arePersonal = true }
}

extension Record {
    fileprivate var liveFields: JSONObject? { deleted ? nil : fields }
}
