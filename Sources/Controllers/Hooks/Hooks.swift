internal import LocalStore
internal import Records

/// The events after which programs in the home's `hooks/` run. New cases may be added.
public enum HookEvent: String, Sendable, CaseIterable {
    /// A command on this device created records.
    case add
    /// A command on this device changed or deleted records.
    case edit
    /// A sync received changes of other devices.
    case sync
}

/// The input of an event's programs: a line of JSON for each record.
public struct HookJob: Sendable, Equatable {
    /// What happened.
    public let event: HookEvent
    /// The lines, without line ends.
    public let lines: [String]

    /// Creates a job.
    public init(_ event: HookEvent, lines: [String]) { (self.event, self.lines) = (event, lines) }
}

/// A program in the home's `hooks/` that can't be run, with the reason.
public struct HookFault: Sendable, Equatable {
    /// Its path.
    public let path: String
    /// The fault and its remedy, as a clause: `is not executable (chmod u+x)`.
    public let reason: String

    /// Creates a fault.
    public init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }
}

/// The hooks of a home, as functions: the composition root decides how they are run.
public struct Hooks: Sendable {
    /// Queues a job and returns immediately. Jobs run one after the other.
    public var run: @Sendable (HookJob) -> Void
    /// Returns how many programs can be run, and those that can't.
    public var inspect: @Sendable () -> (count: Int, faults: [HookFault])

    /// Creates hooks.
    public init(
        run: @escaping @Sendable (HookJob) -> Void,
        inspect: @escaping @Sendable () -> (count: Int, faults: [HookFault])
    ) { (self.run, self.inspect) = (run, inspect) }
}

extension HookJob {
    /// The jobs after a command: one for new records, then one for changed and deleted records.
    static func jobs(after changes: [RecordChange]) -> [HookJob] {
        let whole = joined(changes)
        let (made, changed) = (whole.filter { $0.before == nil }, whole.filter { $0.before != nil })
        return [HookJob(.add, lines: made.map(line)), HookJob(.edit, lines: changed.map(line))]
            .filter { !$0.lines.isEmpty }
    }

    /// The job after a sync; nil: nothing was received.
    static func job(afterSync changes: [RecordChange]) -> HookJob? {
        let whole = joined(changes)
        return whole.isEmpty ? nil : HookJob(.sync, lines: whole.map(line))
    }

    /// Joins the changes of each record to one, in the order of the first ones. Changes that cancel out are omitted.
    private static func joined(_ changes: [RecordChange]) -> [RecordChange] {
        var (order, whole) = ([RecordKey](), [RecordKey: RecordChange]())
        for change in changes {
            let earlier = whole[change.key]
            if earlier == nil { order.append(change.key) }
            whole[change.key] = RecordChange(
                // `map`, not `?.`: the first change may have no `before`, since the record was created by it.
                change.key, before: earlier.map(\.before) ?? change.before, after: change.after)
        }
        return order.compactMap { whole[$0] }.filter { $0.before != $0.after }
    }

    /// `{"collection":"tasks","deleted":false,"fields":{…},"id":"…","previous":{…}}`; `previous` is null for a record
    /// that didn't exist.
    private static func line(_ change: RecordChange) -> String {
        let line: JSONObject = [
            "collection": .string(change.key.collection), "id": .string(change.key.id),
            "deleted": .bool(change.after == nil), "fields": .object(change.after ?? [:]),
            "previous": change.before.map(JSONValue.object) ?? .null,
        ]
        return JSONValue.object(line).text
    }
}
