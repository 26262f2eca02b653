package import Foundation

/// The rules of repeating tasks: the creation of the next instance on completion, and its deletion on reopening.
struct RepeatingTasks: RecordPolicy {
    private static let predecessor = FieldKey.repeatPredecessor.name
    /// The reason why the fields of a series can't be edited.
    static let hint = "is derived from “repeat:” and can't be edited"

    let bookkeeping: Set<String> = [predecessor]
    let triggers: Set<String> = [FieldKey.status.name]

    /// Returns whether the successor of a completed task is created again after undo deleted it.
    ///
    /// The clock of the predecessor's id shows this: a completion sets it to the time of the completion (carried), undo
    /// to the time of the undoing, which isn't carried. A successor that the user deleted stays deleted.
    func isMadeAgain(
        _ edit: ThreeWayMerge.Side, after deletion: ThreeWayMerge.Side, base: ThreeWayMerge.Side?
    ) -> Bool {
        let name = Self.predecessor
        guard edit.fields[name] != nil, let deleted = deletion.clock[name], !deleted.isCarried,
            let made = edit.clock[name]
        else { return false }
        // Without a common state, undo reversed another completion than the one that created this record. The task
        // stays completed then, also if its completion was earlier.
        return base == nil || deleted < made
    }

    /// Returns true for a next instance: another device that completes the same task creates the same one.
    func mayComeAgain(_ record: Record) -> Bool { Self.isNextInstance(record) }

    /// Returns the predecessor's id for a next instance: the edit then wins over a deletion on another device.
    func stampedWhenRevived(_ record: Record) -> [String] {
        Self.isNextInstance(record) ? [Self.predecessor] : []
    }

    /// Returns the key of the next instance of a task.
    func successor(of key: RecordKey) -> RecordKey? { NextInstance.key(after: key) }

    /// Returns the creation of the next instance if the task was completed, or its deletion if it was reopened and the
    /// instance was not edited.
    func consequence(from before: Record, to after: Record, successor: Record?) -> Consequence {
        let (old, new) = (TaskRecord(fields: before.fields).status, TaskRecord(fields: after.fields).status)
        // A tombstone is replaced: undo deleted that instance, and this completion creates it again.
        if old.isOpen, new == .completed, successor?.deleted != false {
            return NextInstance.record(after: after).map { .make($0) } ?? .nothing
        }
        if old == .completed, new.isOpen, let successor, !successor.deleted, Self.isUntouched(successor, after: before)
        {
            return .revert(successor.key, at: after.clock[FieldKey.status.name], stamping: [Self.predecessor])
        }
        return .nothing
    }

    /// Refuses an interval without a due date from which to count, and an end before the due date.
    func check(_ record: Record, after patch: JSONObject) throws(InvalidRecord) {
        let task = TaskRecord(fields: record.fields)
        // Only if the edit sets the end: other edits of a task that was stored this way must remain possible.
        if patch[FieldKey.until.name] != nil, task.endsBeforeDue {
            throw InvalidRecord(
                "The last day of the series (until:) is before the due date. Give a later day, change due: as well, or "
                    + "write until: alone for a series without an end.")
        }
        if let until = patch[FieldKey.until.name], until != .null, record.fields[FieldKey.repeating.name] == nil {
            throw InvalidRecord(
                "The last day of a series (until:) needs an interval. Add one, for example repeat:weekly, or leave until: "
                    + "out.")
        }
        let changesSeries = patch[FieldKey.repeating.name] != nil || patch[FieldKey.due.name] != nil
        guard changesSeries, record.fields[FieldKey.repeating.name] != nil, task.due == nil else { return }
        throw InvalidRecord(
            "A task that repeats needs a due date. Set one, for example due:friday, or write repeat: alone to remove the "
                + "interval.")
    }

    private static func isNextInstance(_ record: Record) -> Bool { record.fields[predecessor] != nil }

    /// Returns whether an instance is as the completion created it.
    private static func isUntouched(_ next: Record, after done: Record) -> Bool {
        // The fields are compared, too, since an edit may have been reverted.
        next.clock.moments.values.allSatisfy(\.isCarried) || next.fields == NextInstance.record(after: done)?.fields
    }
}

/// The next instance of a repeating task that was completed (record 0004 of Records).
///
/// Its id is derived from the completed task's id, its fields and clocks from those of the task: devices that complete
/// the same task create the same record.
package enum NextInstance {
    /// Fields that belong to one instance, or to the series of other programs.
    private static let left: Set<String> = [
        FieldKey.status.name, FieldKey.end.name, FieldKey.start.name, FieldKey.spent.name, FieldKey.modified.name,
        FieldKey.annotations.name, FieldKey<[String]>.formerTitles.name, Record.importMarkField, "parent", "recur",
        "mask", "imask", "rtype",
    ]
    /// Fields that move with the due date.
    private static let moved: [FieldKey<DateValue>] = [.wait, .scheduled, .remind]

    /// Returns the next instance of `record`, with its check boxes unchecked; nil if it isn't completed, or doesn't repeat.
    package static func record(after record: Record) -> DerivedRecord? {
        let task = TaskRecord(fields: record.fields)
        guard record.key.collection == TaskRecord.type.collection, !record.deleted, task.status == .completed,
            let due = task.due, let series = task.series,
            let next = task.nextDue(after: task.end ?? due.start(in: task.calendar))
        else { return nil }
        var made = TaskRecord(fields: record.fields)
        for name in left { made.fields[name] = nil }
        made.status = .pending
        made.due = next
        made.body = made.body.map(CheckBox.clearing)
        // An interval that is counted from the completion has no series.
        made.fields[.repeatStart] = task.rule?.isFromCompletion == true ? nil : series.first
        made.fields[.repeatPredecessor] = record.key.id
        for key in moved {
            made.fields[key] = task.fields[key].map { $0.moved(from: due, to: next, in: task.calendar) }
        }
        return DerivedRecord(key: key(after: record.key), fields: made.fields, clock: clock(from: record.clock))
    }

    /// Returns the key of the next instance of a task; the id is a UUID of version 8.
    package static func key(after key: RecordKey) -> RecordKey {
        RecordKey(collection: key.collection, id: UUIDText.derived(from: ["repeat", key.collection, key.id]))
    }

    /// Returns the clocks of the next instance. Each value has the time of the one that it was copied from, not that of
    /// the completion: otherwise the later completion would replace earlier edits of the next instance. Only the
    /// predecessor's id has the time of the completion, which shows whether this record was created after undo had
    /// deleted it elsewhere.
    private static func clock(from clock: FieldClocks) -> FieldClocks {
        var moments = clock.moments.filter { !left.contains($0.key.text) }
        // The dates are computed from these fields, so they have the time of the latest edit of them.
        let counted = [FieldKey.due.name, FieldKey.until.name, FieldKey.repeating.name, FieldKey.repeatZone.name]
        let latest = counted.compactMap { moments[JSONName($0)] }.max()
        for name in ([.due, .repeatStart] + moved).map({ JSONName($0.name) }) {
            if let moment = FieldClocks.later(latest, moments[name]) { moments[name] = moment }
        }
        if let done = clock[FieldKey.status.name] { moments[JSONName(FieldKey.repeatPredecessor.name)] = done }
        // A live record has an entry for `*` (SyncAPI.docc/Protocol.md, "Data"). The earliest time loses against every
        // edit.
        moments["*"] = moments["*"] ?? HLC(milliseconds: 0, device: "unknown")
        return FieldClocks(moments.mapValues(\.carried))
    }
}

extension DateValue {
    /// Returns the day or time that is as many days of the calendar later as `end` is after `start`; a time keeps its
    /// time of day in its own time zone, or in that of the calendar if it has none.
    package func moved(from start: DateValue, to end: DateValue, in calendar: Calendar) -> DateValue {
        let days = end.day(in: calendar).daysSince1970 - start.day(in: calendar).daysSince1970
        switch self {
        case .day(let day): return .day(day.adding(days: days))
        case .time(let time, let zone):
            let own = zone.map { Calendar.gregorian(in: $0.text) } ?? calendar
            let moved = own.date(byAdding: .day, value: days, to: time.date).flatMap { Timestamp($0) }
            return .time(moved ?? time, zone: zone)
        }
    }

    /// Returns the day, or the day of the time in the calendar's time zone.
    package func day(in calendar: Calendar) -> CalendarDay {
        switch self {
        case .day(let day): day
        case .time(let time, _): CalendarDay(time.date, in: calendar)
        }
    }
}
