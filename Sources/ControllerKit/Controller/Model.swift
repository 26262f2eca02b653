import Synchronization

/// Holds a controller's state and reports each change to the presentation, which it doesn't retain.
@MainActor
public final class Model<State: ScreenState> {
    /// The state that views render. Setting an equal value has no effect.
    public var state: State {
        didSet { if state != oldValue { stateDidChange() } }
    }

    /// Called after each change of the state. Set by the presentation, which renders its views.
    var stateDidChange: @MainActor () -> Void = {}
    /// Called after the data of the services changed. Set by the presentation, which refreshes the controller.
    var dataDidChange: @MainActor () -> Void = {}
    /// The work started for the controller.
    let work = Work()

    private let isNotified = Atomic(false)

    /// Creates a model with an initial state.
    public nonisolated init(_ state: State) { self.state = state }

    /// Schedules `dataDidChange`, from any thread. All calls until the main actor is free cause one call of it.
    nonisolated func notifyDataChanged() {
        guard !isNotified.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { @MainActor in
            // Reset before the data are read, so that a change during the read causes another refresh.
            isNotified.store(false, ordering: .releasing)
            dataDidChange()
        }
    }
}

/// The tasks started for a presentation. They are cancelled when it ends.
@MainActor
final class Work {
    /// Receives the errors of tasks, except for cancellation.
    var report: @MainActor (any Error) -> Void = { _ in }

    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastNumber = 0
    private var isEnded = false

    nonisolated init() {}

    /// Starts work. Does nothing after `end`.
    func run(_ operation: @escaping @MainActor () async throws -> Void) {
        guard !isEnded else { return }
        lastNumber += 1
        let number = lastNumber
        tasks[number] = Task { [weak self] in
            do { try await operation() } catch is CancellationError {} catch { self?.report(error) }
            self?.tasks[number] = nil
        }
    }

    /// Cancels all tasks and starts no more.
    func end() {
        isEnded = true
        for task in tasks.values { task.cancel() }
    }
}
