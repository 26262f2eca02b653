internal import Backend
package import Records
package import struct Records.Record

/// The changes of records by one transaction, which are reported after its commit.
package struct CommittedChanges: Sendable, Equatable {
    /// The changes in their order; several changes of one record are separate.
    package var changes: [RecordChange] = []
    /// Whether they are edits of this device; otherwise a sync received them, for example.
    package var arePersonal = false
}

/// A change of a record.
package struct RecordChange: Sendable, Equatable {
    /// The key of the record.
    package let key: RecordKey
    /// The fields before the change; nil: the record didn't exist or was deleted.
    package let before: JSONObject?
    /// The fields after the change; nil: the record was removed or deleted.
    package let after: JSONObject?

    /// Creates a change of a record.
    package init(_ key: RecordKey, before: JSONObject?, after: JSONObject?) {
        (self.key, self.before, self.after) = (key, before, after)
    }
}

/// Collects the changes of a transaction if they are watched.
final class ChangeLog {
    private(set) var committed = CommittedChanges()

    /// Adds a change unless the record looks the same to a user.
    func note(_ key: RecordKey, from old: Record?, to new: Record?) {
        let (before, after) = (old?.liveFields, new?.liveFields)
        if before != after { committed.changes.append(RecordChange(key, before: before, after: after)) }
    }

    /// Marks the transaction as one with edits of this device.
    func markAsPersonal() { committed.arePersonal = true }
}

extension Record {
    fileprivate var liveFields: JSONObject? { deleted ? nil : fields }
}
