/// Tells the person what a command waits for, once that has taken longer than `delay`.
///
/// Only waits of the task in which `receive` was set, and of the tasks that it starts, are reported: not those of work in
/// the background.
public enum WaitNotice {
    /// How long a wait may take before it is reported.
    public static let delay = Duration.seconds(2)

    /// Receives each notice, from any thread; nil: there is no person to tell.
    @TaskLocal public static var receive: (@Sendable (String) -> Void)?
}
