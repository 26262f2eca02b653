import Synchronization

/// Holds a controller's state and reports each change to the presentation. It keeps no other object alive.
@MainActor
public final class Model<State: ScreenState> {
    /// What views show. Setting an equal value changes nothing.
    public var state: State {
        didSet { if state != oldValue { stateDidChange() } }
    }

    /// Set by the presentation: shows the state to its views.
    var stateDidChange: @MainActor () -> Void = {}
    /// Set by the presentation: has the controller read its services again.
    var dataDidChange: @MainActor () -> Void = {}
    /// The work started for the controller.
    let work = Work()

    private let isNotified = Atomic(false)

    /// A model that begins with this state.
    public nonisolated init(_ state: State) { self.state = state }

    /// Says that the data behind the state changed; from any thread. Calls before the main actor is free count as one.
    nonisolated func notifyDataChanged() {
        guard !isNotified.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { @MainActor in
            // Before the data are read: what changes from here on is another change.
            isNotified.store(false, ordering: .releasing)
            dataDidChange()
        }
    }
}

/// The tasks started for a presentation: they end with it at the latest.
@MainActor
final class Work {
    /// Receives the errors of tasks, cancellation excepted.
    var report: @MainActor (any Error) -> Void = { _ in }

    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastNumber = 0
    private var isEnded = false

    nonisolated init() {}

    /// Starts work; after the end nothing is started any more.
    func run(_ operation: @escaping @MainActor () async throws -> Void) {
        guard !isEnded else { return }
        lastNumber += 1
        let number = lastNumber
        tasks[number] = Task { [weak self] in
            do { try await operation() } catch is CancellationError {} catch { self?.report(error) }
            self?.tasks[number] = nil
        }
    }

    /// Cancels everything under way, for good.
    func end() {
        isEnded = true
        for task in tasks.values { task.cancel() }
    }
}
