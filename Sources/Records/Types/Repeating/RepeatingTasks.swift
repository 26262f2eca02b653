internal import Foundation

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

/// The task that comes after one that repeats and is done. See the decision record "The next instance of a repeating task
/// follows from the last one" in this module's documentation.
///
/// Its id follows from the completed task's alone, its fields and clocks from that task's: devices that complete the same one
/// make the same record.
public enum NextInstance {
    /// What belongs to one instance alone, and to other programs' series.
    private static let left: Set<String> = [
        FieldKey.status.name, FieldKey.end.name, FieldKey.start.name, FieldKey.modified.name, FieldKey.annotations.name,
        Record.importMarkField, "parent", "recur", "mask", "imask", "rtype",
    ]
    /// What moves with the due.
    private static let moved: [FieldKey<Timestamp>] = [.wait, .scheduled]

    /// What comes after `record`; nil if that isn't done, or doesn't come again.
    public static func record(after record: Record) -> DerivedRecord? {
        let task = TaskRecord(fields: record.fields)
        guard record.key.collection == TaskRecord.type.collection, !record.deleted, task.status == .completed,
            let due = task.due, let series = task.series, let next = task.nextDue(after: task.end ?? due)
        else { return nil }
        var made = TaskRecord(fields: record.fields)
        for name in left { made.fields[name] = nil }
        made.status = .pending
        made.due = next
        made.fields[.repeatStart] = series.first
        made.fields[.repeatPredecessor] = record.key.id
        for key in moved {
            made.fields[key] = task.fields[key].map { $0.moved(from: due, to: next, zone: task.zone) }
        }
        return DerivedRecord(key: key(after: record.key), fields: made.fields, clock: clock(from: record.clock))
    }

    /// The key of what comes after a task; the id is a UUID of version 8.
    public static func key(after key: RecordKey) -> RecordKey {
        RecordKey(collection: key.collection, id: UUIDText.derived(from: ["repeat", key.collection, key.id]))
    }

    /// Each value has the moment of the one that it was made from, not that of the completion: otherwise the later
    /// completion would replace earlier edits of the next instance. Only the predecessor's id has that moment, which
    /// shows whether this record was created after it had been deleted by an undo elsewhere.
    private static func clock(from clock: FieldClocks) -> FieldClocks {
        var moments = clock.moments.filter { !left.contains($0.key.text) }
        // The values that are counted from these.
        let counted = [FieldKey.due.name, FieldKey.until.name, FieldKey.repeating.name, FieldKey.repeatZone.name]
        let latest = counted.compactMap { moments[JSONName($0)] }.max()
        for name in ([.due, .repeatStart] + moved).map({ JSONName($0.name) }) {
            if let moment = FieldClocks.later(latest, moments[name]) { moments[name] = moment }
        }
        if let done = clock[FieldKey.status.name] { moments[JSONName(FieldKey.repeatPredecessor.name)] = done }
        moments["*"] = moments["*"] ?? HLC(milliseconds: 0, device: "unknown")
        return FieldClocks(moments.mapValues(\.carried))
    }
}

extension Timestamp {
    /// As many days of the calendar later as lie between two others, at the same time of day.
    fileprivate func moved(from start: Timestamp, to end: Timestamp, zone: String) -> Timestamp {
        let calendar = Calendar.gregorian(in: zone)
        let days = calendar.dateComponents(
            [.day], from: calendar.startOfDay(for: start.date), to: calendar.startOfDay(for: end.date)
        ).day
        return days.flatMap { calendar.date(byAdding: .day, value: $0, to: date) }.flatMap { Timestamp($0) } ?? self
    }
}
