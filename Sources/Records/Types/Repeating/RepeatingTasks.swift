/// The rules of tasks that repeat: what comes after one that is done, and when that is taken back.
public struct RepeatingTasks: RecordPolicy {
    private static let predecessor = FieldKey.repeatPredecessor.name
    /// Why the fields that count a series are not edited.
    static let hint = "is derived from “repeat:” and can't be edited"

    public let bookkeeping: Set<String> = [predecessor]
    public let triggers: Set<String> = [FieldKey.status.name]

    /// The successor of a completed task is created again after a deletion by an undo.
    ///
    /// The moment of the predecessor's id shows this: in what a completion makes it is that of the completion; in what was
    /// taken back, that of the taking back, which isn't carried. One that a person deleted stays deleted.
    public func isMadeAgain(_ edit: ThreeWayMerge.Side, after deletion: ThreeWayMerge.Side) -> Bool {
        let name = Self.predecessor
        guard edit.fields[name] != nil, let deleted = deletion.clock[name], !deleted.isCarried,
            let made = edit.clock[name]
        else { return false }
        return deleted < made
    }

    /// Another device that completes the same task makes the same next one.
    public func mayComeAgain(_ record: Record) -> Bool { Self.isNextInstance(record) }

    /// An edit revives a deleted record, also one that another device deleted.
    public func stampedWhenRevived(_ record: Record) -> [String] {
        Self.isNextInstance(record) ? [Self.predecessor] : []
    }

    /// The key of what comes after a task.
    public func successor(of key: RecordKey) -> RecordKey? { NextInstance.key(after: key) }

    /// Completing a task creates the next one; reopening it deletes that one, unless it was edited.
    public func consequence(from before: Record?, to after: Record, successor: Record?) -> Consequence {
        guard let before, !before.deleted else { return .nothing }
        let (old, new) = (TaskRecord(fields: before.fields).status, TaskRecord(fields: after.fields).status)
        if old.isOpen, new == .completed, successor?.deleted != false {
            return NextInstance.record(after: after).map { .make($0) } ?? .nothing
        }
        if old == .completed, new.isOpen, let successor, !successor.deleted, Self.isUntouched(successor, after: before)
        {
            return .revert(successor.key, at: after.clock[FieldKey.status.name], stamping: [Self.predecessor])
        }
        return .nothing
    }

    /// Refuses an interval without a due date to count from, and an end before it.
    public func check(_ record: Record, after patch: JSONObject) throws(InvalidRecord) {
        let task = TaskRecord(fields: record.fields)
        if patch[FieldKey.until.name] != nil, task.endsBeforeDue {
            throw InvalidRecord(
                "The last day of the series (until:) is before the due date. Give a later day, change due: as well, or "
                    + "write until: alone for a series without an end.")
        }
        let changesSeries = patch[FieldKey.repeating.name] != nil || patch[FieldKey.due.name] != nil
        guard changesSeries, record.fields[FieldKey.repeating.name] != nil, task.due == nil else { return }
        throw InvalidRecord(
            "A task that repeats needs a due date. Set one, for example due:friday, or write repeat: alone to remove the "
                + "interval.")
    }

    private static func isNextInstance(_ record: Record) -> Bool { record.fields[predecessor] != nil }

    /// Whether an instance is as the completion has made it.
    private static func isUntouched(_ next: Record, after done: Record) -> Bool {
        next.clock.moments.values.allSatisfy(\.isCarried) || next.fields == NextInstance.record(after: done)?.fields
    }
}
