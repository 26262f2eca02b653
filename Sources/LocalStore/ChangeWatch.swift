internal import Backend
public import Records
public import struct Records.Record

/// What one transaction has changed in the records, told once it is stored.
public struct CommittedChanges: Sendable, Equatable {
    /// The changes, in their order; several of one record stand apart.
    public var changes: [RecordChange] = []
    /// Whether the person made them on this device; else a sync has brought them.
    public var arePersonal = false
}

/// A record before and after a change.
public struct RecordChange: Sendable, Equatable {
    /// Which record it is.
    public let key: RecordKey
    /// Its fields before; nil: it wasn't there, or was deleted.
    public let before: JSONObject?
    /// Its fields after; nil: it is gone.
    public let after: JSONObject?

    /// A change from one state of a record to another.
    public init(_ key: RecordKey, before: JSONObject?, after: JSONObject?) {
        (self.key, self.before, self.after) = (key, before, after)
    }
}

/// Gathers the changes of a transaction where somebody wants to hear of them.
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

extension LocalStore {
    /// Has every transaction of this process that changes records told, once it is stored, from now on and in their order; on
    /// the thread that wrote, which must not be kept. One watch at a time; nil ends it. What nobody watches isn't gathered.
    public func watchRecords(_ tell: (@Sendable (CommittedChanges) -> Void)?) { watcher.withLock { $0 = tell } }

    /// Where a transaction that begins now gathers its changes; nil: nobody wants to know.
    func changeLog() -> ChangeLog? { watcher.withLock { $0 == nil } ? nil : ChangeLog() }

    /// Tells what a transaction has changed.
    func tell(_ log: ChangeLog?) { tell(log?.committed) }

    func tell(_ committed: CommittedChanges?) {
        guard let committed, !committed.changes.isEmpty else { return }
        watcher.withLock { $0 }?(committed)
    }
}
