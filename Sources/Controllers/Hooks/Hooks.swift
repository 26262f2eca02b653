internal import LocalStore
internal import Records

/// The events at which programs in the home's `hooks/` run. New cases may be added.
public enum HookEvent: String, Sendable, CaseIterable {
    /// A command on this device created records.
    case add
    /// A command on this device changed or deleted records.
    case edit
    /// A sync received changes of other devices.
    case sync

    /// The name of the programs that run after the event.
    public var afterProgramName: String {
        switch self {
        case .add: "after-add"
        case .edit: "after-edit"
        case .sync: "on-sync"
        }
    }

    /// The name of the programs that review the edits of the event before they are stored; nil: received changes are
    /// stored whatever a program says, or devices would not converge.
    public var reviewProgramName: String? {
        switch self {
        case .add: "on-add"
        case .edit: "on-edit"
        case .sync: nil
        }
    }
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
    /// The programs that review edits before they are stored; nil: none.
    public var review: ReviewPrograms?

    /// Creates hooks.
    public init(
        run: @escaping @Sendable (HookJob) -> Void,
        inspect: @escaping @Sendable () -> (count: Int, faults: [HookFault]), review: ReviewPrograms? = nil
    ) { (self.run, self.inspect, self.review) = (run, inspect, review) }
}

extension HookJob {
    /// The jobs after a command: one for new records, then one for changed and deleted records.
    static func jobs(after changes: [RecordChange]) -> [HookJob] {
        let whole = changes.joinedByRecord
        let (made, changed) = (whole.filter { $0.before == nil }, whole.filter { $0.before != nil })
        return [HookJob(.add, lines: made.map(line)), HookJob(.edit, lines: changed.map(line))]
            .filter { !$0.lines.isEmpty }
    }

    /// The job after a sync; nil: nothing was received.
    static func job(afterSync changes: [RecordChange]) -> HookJob? {
        let whole = changes.joinedByRecord
        return whole.isEmpty ? nil : HookJob(.sync, lines: whole.map(line))
    }

    private static func line(_ change: RecordChange) -> String {
        line(change.key, before: change.before, after: change.after)
    }

    /// `{"collection":"tasks","deleted":false,"fields":{…},"id":"…","previous":{…}}`; `previous` is null for a record
    /// that didn't exist.
    static func line(_ key: RecordKey, before: JSONObject?, after: JSONObject?) -> String {
        let line: JSONObject = [
            "collection": .string(key.collection), "id": .string(key.id),
            "deleted": .bool(after == nil), "fields": .object(after ?? [:]),
            "previous": before.map(JSONValue.object) ?? .null,
        ]
        return JSONValue.object(line).text
    }
}
