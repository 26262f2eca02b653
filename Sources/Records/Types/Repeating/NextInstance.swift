internal import Foundation

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
