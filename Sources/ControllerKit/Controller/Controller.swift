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
