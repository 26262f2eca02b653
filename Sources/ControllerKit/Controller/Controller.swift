import Synchronization

/// Business logic that doesn't depend on views. It holds a state and performs the intents that change it.
///
/// A controller receives its services in its initialiser and imports no view, transport or database. It lives as long
/// as its `Presentation`, and so does the work that it starts with `run`.
///
///     final class SquareController: Controller {
///         typealias Screen = SquareScreen
///         let model = Model(SquareState())
///         func handle(_ intent: SquareScreen.Intent) async throws { … state.position = … }
///     }
@MainActor
public protocol Controller<Screen>: LifecycleObserver {
    /// The screen that it implements. A view of another screen can't be attached to it.
    associatedtype Screen: ControllerKit.Screen

    /// The holder of the state. Views render each change.
    nonisolated var model: Model<Screen.State> { get }

    /// Performs an intent. Views render the state at each suspension and at the end.
    ///
    /// Intents of several views may run concurrently: check the state again after each `await`.
    /// - Throws: An error for the user, preferably `PersonFacing`.
    func handle(_ intent: Screen.Intent) async throws

    /// Checks an intent before a view asks for its secrets, which are empty strings here. Changes nothing.
    ///
    /// - Throws: The error that `handle` would throw with any secrets, as far as it can be determined without them.
    func check(_ intent: Screen.Intent) async throws

    /// Reads the services again after `notifyDataChanged` and updates the state.
    func refresh() async throws
}

extension Controller {
    /// The present state. Views render a change when the main actor is free: several changes without a suspension cause
    /// one rendering.
    public var state: Screen.State {
        get { model.state }
        set { model.state = newValue }
    }

    /// Accepts every intent. The default implementation.
    public func check(_ intent: Screen.Intent) async throws {}

    /// Does nothing. The default implementation.
    public func refresh() async throws {}

    /// Schedules a `refresh`, because the data of the services changed. May be called from any thread; several calls
    /// may cause one refresh.
    public nonisolated func notifyDataChanged() { model.notifyDataChanged() }

    /// Starts work that is cancelled when the presentation ends. The presentation reports its errors.
    public func run(_ operation: @escaping @MainActor () async throws -> Void) { model.work.run(operation) }
}

/// Holds a controller's state and reports each change to the presentation, which it doesn't retain.
@MainActor
public final class Model<State: ScreenState> {
    /// The state that views render. Setting an equal value has no effect.
    public var state: State {
        // An equal state, such as the one of a refresh without changes, causes no rendering.
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

    // By numbers: a task removes itself at its end, and its closure is created before the task exists.
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
            // Cancelled work isn't a failure: `end` cancels it.
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
