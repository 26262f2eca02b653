/// What the programs in the home's `hooks/` may be run after.
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
