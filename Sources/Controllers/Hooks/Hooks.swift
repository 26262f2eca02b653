internal import LocalStore
internal import Records

/// What the programs in the home's `hooks/` may be run after. New cases may be added.
public enum HookEvent: String, Sendable, CaseIterable {
    /// The person made records.
    case add
    /// The person changed or deleted records.
    case edit
    /// A sync has brought changes of other devices.
    case sync
}

/// The input of an event's programs: a line of JSON for each record.
public struct HookJob: Sendable, Equatable {
    /// What happened.
    public let event: HookEvent
    /// The lines, without their ends.
    public let lines: [String]

    /// A job.
    public init(_ event: HookEvent, lines: [String]) { (self.event, self.lines) = (event, lines) }
}

/// A program in the home's `hooks/` that isn't run, and why.
public struct HookFault: Sendable, Equatable {
    /// Its path.
    public let path: String
    /// What is wrong and what to do, as a clause: `is not executable (chmod u+x)`.
    public let reason: String

    /// A fault.
    public init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }
}

/// The home's programs as the services see them; how they are run is the composition root's matter.
public struct Hooks: Sendable {
    /// Queues a job, and returns immediately. Jobs are carried out one after the other.
    public var run: @Sendable (HookJob) -> Void
    /// Looks at the programs: how many can be run, and which can't.
    public var inspect: @Sendable () -> (count: Int, faults: [HookFault])

    /// The programs of a home.
    public init(
        run: @escaping @Sendable (HookJob) -> Void,
        inspect: @escaping @Sendable () -> (count: Int, faults: [HookFault])
    ) { (self.run, self.inspect) = (run, inspect) }
}

extension HookJob {
    /// The jobs that a command makes: its new records first, then those that it changed or deleted.
    static func jobs(after changes: [RecordChange]) -> [HookJob] {
        let whole = joined(changes)
        let (made, changed) = (whole.filter { $0.before == nil }, whole.filter { $0.before != nil })
        return [HookJob(.add, lines: made.map(line)), HookJob(.edit, lines: changed.map(line))]
            .filter { !$0.lines.isEmpty }
    }

    /// The job that a sync makes; nil if it has brought nothing.
    static func job(afterSync changes: [RecordChange]) -> HookJob? {
        let whole = joined(changes)
        return whole.isEmpty ? nil : HookJob(.sync, lines: whole.map(line))
    }

    /// The changes of each record as one, in the order of its first; those of which nothing is left go.
    private static func joined(_ changes: [RecordChange]) -> [RecordChange] {
        var (order, whole) = ([RecordKey](), [RecordKey: RecordChange]())
        for change in changes {
            let earlier = whole[change.key]
            if earlier == nil { order.append(change.key) }
            whole[change.key] = RecordChange(
                change.key, before: earlier.map(\.before) ?? change.before, after: change.after)
        }
        return order.compactMap { whole[$0] }.filter { $0.before != $0.after }
    }

    /// `{"collection":"tasks","deleted":false,"fields":{…},"id":"…","previous":{…}}`; `previous` is null for a record that
    /// wasn't there.
    private static func line(_ change: RecordChange) -> String {
        let line: JSONObject = [
            "collection": .string(change.key.collection), "id": .string(change.key.id),
            "deleted": .bool(change.after == nil), "fields": .object(change.after ?? [:]),
            "previous": change.before.map(JSONValue.object) ?? .null,
        ]
        return JSONValue.object(line).text
    }
}
