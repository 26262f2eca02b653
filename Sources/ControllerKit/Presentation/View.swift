/// A thin adapter for a medium: it shows states, and turns what comes in into intents.
///
/// Its elements and their layout are its own affair. It decides nothing and holds its controller not at all: what it
/// has of it is a `ViewDelegate`.
@MainActor
public protocol View<Screen>: AnyObject, Sendable {
    /// The contract whose states it shows.
    associatedtype Screen: ControllerKit.Screen

    /// Called when the view is attached, before the first `render`, and again each time it is attached later.
    func attached(to delegate: ViewDelegate<Screen>)

    /// Shows a state. Never called twice at once; states between two calls may have been left out, the last never is.
    ///
    /// - Throws: When the medium is broken; the view is then detached.
    func render(_ state: Screen.State) async throws

    /// The view's screen has come to the front of its session, or left it. Called when the view is attached, too. A view that
    /// is attached to a presentation outside of any session isn't called.
    func frontChanged(isInFront: Bool)

    /// Called when the view was detached, for whatever reason.
    func detached()
}

extension View {
    public func attached(to delegate: ViewDelegate<Screen>) {}
    public func frontChanged(isInFront: Bool) {}
    public func detached() {}
}

/// What a view has of its presentation: a way to send intents, which keeps nothing alive.
@MainActor
public struct ViewDelegate<Screen: ControllerKit.Screen> {
    private weak var presentation: Presentation<Screen>?

    init(_ presentation: Presentation<Screen>) { self.presentation = presentation }

    /// What the screen shows now, rendered or not; nil when it is closed.
    public var state: Screen.State? { presentation?.state }

    /// Sends what the person did; returns when it is done and all views have been shown the resulting state.
    ///
    /// - Throws: What the controller throws, and `Failure` when the screen is closed or the view is rendering.
    public func send(_ intent: Screen.Intent) async throws {
        guard let presentation else { throw Failure(.failed, "“\(Screen.name)” is closed.") }
        try await presentation.send(intent)
    }
}

/// Makes the views of one medium, for any screen. A screen's polish for a medium is looked up in here.
@MainActor
public protocol ViewFactory: AnyObject, Sendable {
    /// A new view for a screen.
    func makeView<S: Screen>(for screen: S.Type) -> any View<S>
}
