/// Reports to the person what a command waits for, once the wait has taken longer than `delay`.
///
/// Only waits of the task that runs in `reported(to:_:)`, and of its child tasks, are reported; background work is not.
public enum WaitNotice {
    /// How long a wait may take before it is reported.
    public static let delay = Duration.seconds(2)

    /// Receives each notice, on any thread; nil: notices are discarded.
    public static var receive: (@Sendable (String) -> Void)? { receiver?.receive }

    /// A task-local value that is a closure itself crashes in release builds of Swift 6.3: the metadata of its type is null
    /// in `swift_task_localValuePush`. So the closure is in a structure.
    private struct Receiver: Sendable {
        let receive: @Sendable (String) -> Void
    }

    @TaskLocal private static var receiver: Receiver?

    /// Runs `body`, and reports its waits to `receive`.
    public static func reported<Result>(
        to receive: @escaping @Sendable (String) -> Void, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $receiver.withValue(Receiver(receive: receive), operation: body, isolation: isolation)
    }
}
