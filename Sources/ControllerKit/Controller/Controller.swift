/// Business logic that knows no view: it holds a state, and carries out intents that change it.
///
/// A controller gets its services in its initialiser and imports no view, transport or database. It is alive as long
/// as its `Presentation` holds it, and so is the work it starts with `run`.
///
///     final class SquareController: Controller {
///         typealias Screen = SquareScreen
///         let model = Model(SquareState())
///         func handle(_ intent: SquareScreen.Intent) async throws { … state.position = … }
///     }
@MainActor
public protocol Controller<Screen>: LifecycleObserver {
    /// The contract it fulfils; a view of another screen can't be attached to it.
    associatedtype Screen: ControllerKit.Screen

    /// Holds the state; a change of it is shown to the views.
    nonisolated var model: Model<Screen.State> { get }

    /// Carries out what the person did. Views see the state whenever it waits, and at the end.
    ///
    /// Intents of several views may be under way at once: after each `await`, look at the state again.
    /// - Throws: What must be shown to the user, best as a `PersonFacing` error.
    func handle(_ intent: Screen.Intent) async throws

    /// Checks an intent before a view asks the person for its secrets; they are empty strings here. Changes nothing.
    ///
    /// - Throws: What `handle` would throw regardless of the secrets, as far as that is known without them.
    func check(_ intent: Screen.Intent) async throws

    /// Brings the state up to date after `notifyDataChanged`: the services hold other data than before.
    func refresh() async throws
}

extension Controller {
    /// What views show now. A change is shown once the main actor is free: many changes in one go, one rendering.
    public var state: Screen.State {
        get { model.state }
        set { model.state = newValue }
    }

    /// Accepts every intent, unless a controller says otherwise.
    public func check(_ intent: Screen.Intent) async throws {}

    /// Nothing to read again, unless a controller says otherwise.
    public func refresh() async throws {}

    /// Says, from any thread, that the services hold other data: `refresh` runs soon, once for many calls.
    public nonisolated func notifyDataChanged() { model.notifyDataChanged() }

    /// Starts work that is cancelled when the presentation ends; what it throws is reported by the presentation.
    public func run(_ operation: @escaping @MainActor () async throws -> Void) { model.work.run(operation) }
}
