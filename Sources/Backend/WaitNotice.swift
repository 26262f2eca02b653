/// Reports to the person what a command waits for, once the wait has taken longer than `delay`.
///
/// Only waits of the task in which `receive` was set, and of its child tasks, are reported; background work is not.
public enum WaitNotice {
    /// How long a wait may take before it is reported.
    public static let delay = Duration.seconds(2)

    /// Receives each notice, on any thread; nil: notices are discarded.
    @TaskLocal public static var receive: (@Sendable (String) -> Void)?
}
