internal import Foundation

/// The task that comes after one that repeats and is done. See the decision record "The next instance of a repeating task
/// follows from the last one" in this module's documentation.
///
/// Its id follows from the completed task's alone, its fields and clocks from that task's: devices that complete the same one
/// make the same record.
public struct NextInstance: Sendable, Equatable {
    /// Where it is stored; the id is a UUID of version 8.
    public let key: RecordKey
    /// What it begins with.
    public let fields: JSONObject
    /// For each value, when it was typed into the task that it comes from.
    public let clock: FieldClocks

    /// What belongs to one instance alone, and to other programs' series.
    private static let left: Set<String> = [
        "status", "end", "start", "modified", "annotations", Record.importMarkField, "parent", "recur", "mask", "imask",
        "rtype",
    ]
    /// What moves with the due.
    private static let moved = ["wait", "scheduled"]

    /// What comes after `record`; nil if that isn't done, or doesn't come again.
    public init?(after record: Record) {
        let task = TaskRecord(fields: record.fields)
        guard record.key.collection == TaskRecord.type.collection, !record.deleted, task.status == .completed,
            let due = task.due, let series = task.series, let next = task.nextDue(after: task.end ?? due)
        else { return nil }
        key = Self.key(after: record.key)
        var made = TaskRecord(fields: record.fields)
        for name in Self.left { made.fields[name] = nil }
        made.status = .pending
        made.due = next
        made.fields[time: TaskRecord.RepeatField.start] = series.first
        made.fields[text: TaskRecord.RepeatField.predecessor] = record.key.id
        for name in Self.moved {
            made.fields[time: name] = task.fields[time: name].map { $0.moved(from: due, to: next, zone: task.zone) }
        }
        fields = made.fields
        clock = Self.clock(from: record.clock)
    }

    /// The key of what comes after a task.
    public static func key(after key: RecordKey) -> RecordKey {
        RecordKey(collection: key.collection, id: UUIDText.derived(from: ["repeat", key.collection, key.id]))
    }

    /// Each value has the moment of the one that it was made from. Not that of the completion: then the later completion
    /// would beat what somebody has edited in the next instance before it. Only the predecessor's id has that one: it tells
    /// whether this was made after it had been taken back elsewhere.
    private static func clock(from clock: FieldClocks) -> FieldClocks {
        var moments = clock.moments.filter { !left.contains($0.key.text) }
        // The values that are counted from these.
        let counted = ["due", "until"] + [TaskRecord.RepeatField.rule, TaskRecord.RepeatField.zone]
        let latest = counted.compactMap { moments[$0] }.max()
        for name in ["due", TaskRecord.RepeatField.start] + moved {
            if let moment = FieldClocks.later(latest, moments[name]) { moments[name] = moment }
        }
        if let done = clock["status"] { moments[TaskRecord.RepeatField.predecessor] = done }
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
