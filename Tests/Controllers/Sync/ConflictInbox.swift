import TextMerge
import Controllers
import LocalStore
import Records
import TestSupport

/// A task with a conflict on it.
@MainActor
struct Inbox {
    let home: Home
    let conflict: ConflictRecord
}

/// Creates a task `task` with the later value, and a conflict on it.
///
/// - Parameters:
///   - mine: Which edits this device made.
/// - kept: What the merge left in the record; for `both`, that is `merged`.
///   - overlaps: The lines in conflict of a text.
@MainActor
func inbox(
    _ field: String = "title", _ earlier: JSONValue? = "Earlier", _ later: JSONValue? = "Later",
    mine: (earlier: Bool, later: Bool) = (false, true), in home: Home? = nil, task: String = "task",
    kept: FieldConflict.Kept = .later, merged: JSONValue? = nil, overlaps: [TextOverlap] = []
) throws -> Inbox {
    let home = try home ?? Home()
    let device = try home.services.store.writeNow { try $0.device() }
    let now = home.clock.milliseconds
    let moment = { (age: UInt64, isMine: Bool) in
        HLC(milliseconds: now - age * 1_000, device: isMine ? device : "other-device")
    }
    let found = FieldConflict(
        field: field, earlier: FieldEdit(value: earlier, moment: moment(60, mine.earlier)),
        later: FieldEdit(value: later, moment: moment(30, mine.later)), kept: kept,
        overlaps: overlaps)
    var fields: JSONObject = ["title": .string(task)]
    fields[field] = later
    if kept == .both { fields[field] = merged }
    let key = RecordKey(collection: "tasks", id: task)
    try home.bring([task: fields])
    try home.services.store.writeNow { cache in
        guard var record = try cache.cached(key) else { return }
        record.record.clock.moments[field] = kept == .both ? found.later.moment?.next : found.later.moment
        try cache.store(record, for: key)
    }
    let conflict = ConflictRecord(found, in: key)
    try home.services.store.writeNow { _ = try $0.edit(conflict.key, conflict.fields) }
    return Inbox(home: home, conflict: conflict)
}

@MainActor
func isResolved(_ inbox: Inbox) throws -> Bool {
    let held = try inbox.home.services.store.readNow { try $0.cached(inbox.conflict.key) }
    return held.map { $0.record.deleted || $0.record.fields["settled"] != nil } ?? true
}
