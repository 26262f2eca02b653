/// The only owner of a controller. It shows the state to any number of views and ends the controller's work.
///
/// Views of different media may be attached at the same time, late, and again. A view whose medium fails is detached
/// and reported; other views aren't affected.
@MainActor
public final class Presentation<S: Screen> {
    /// The controller. No other object retains it.
    public let controller: any Controller<S>
    /// The observers of the presentation; the controller is the first.
    public let lifecycle = Lifecycle()

    private let model: Model<S.State>
    private let report: @MainActor (any Error) -> Void
    private var attachments: [Attachment<S>] = []
    private var stage = Stage.new
    private var retainCount = 0
    private var sessionsInFront = 0
    private lazy var refreshing = CoalescedWork { [weak self] in await self?.refresh() }

    private enum Stage { case new, loaded, unloaded }

    /// Creates the owner of a controller.
    ///
    /// - Parameter report: Receives the errors of background work: of views' media, refreshes and started tasks.
    public init(_ controller: any Controller<S>, report: @escaping @MainActor (any Error) -> Void) {
        self.controller = controller
        self.report = report
        model = controller.model
        lifecycle.add(controller)
        model.work.report = report
        // Weak, because the controller's model holds these closures and the presentation holds the controller.
        model.stateDidChange = { [weak self] in self?.attachments.forEach { $0.setNeedsRender() } }
        model.dataDidChange = { [weak self] in self?.refreshing.request() }
    }

    deinit {
        // The last reference may be released without `unload`, and on any thread.
        Task { @MainActor [work = model.work] in work.end() }
    }

    /// The present state.
    public var state: S.State { model.state }

    /// Whether the presentation has ended.
    public var isUnloaded: Bool { stage == .unloaded }

    // MARK: Views

    /// Creates a view and attaches it. In this order: loads the controller, creates the view, attaches it, passes its
    /// delegate, and schedules its first rendering. A view that is already attached isn't changed.
    @discardableResult
    public func attach(_ makeView: @autoclosure () -> any View<S>) -> Attachment<S> {
        // `makeView` is an autoclosure, so that the controller is loaded before the view is created.
        load()
        let view = makeView()
        if let attached = attachments.first(where: { $0.view === view }) { return attached }
        let attachment = Attachment(view, model) { [weak self] in self?.mediumFailed($0, $1) }
        attachments.append(attachment)
        view.attached(to: ViewDelegate(self))
        attachment.setNeedsRender()
        return attachment
    }

    /// Detaches a view. It may be attached again.
    public func detach(_ attachment: Attachment<S>) {
        guard let index = attachments.firstIndex(where: { $0 === attachment }) else { return }
        attachments.remove(at: index)
        attachment.end()
    }

    /// Waits until every view has rendered the present state or a later one.
    public func waitForViews() async {
        // The refresh comes first: it may change the state that the views render.
        await refreshing.catchUp()
        for attachment in attachments { await attachment.catchUp() }
    }

    private func mediumFailed(_ attachment: Attachment<S>, _ error: any Error) {
        detach(attachment)
        report(error)
    }

    // MARK: Intents

    /// Performs an intent. Returns when the controller has handled it and the views have rendered the result.
    ///
    /// - Throws: The controller's error; `Failure` if it is called from a rendering or after the end.
    public func send(_ intent: S.Intent) async throws {
        guard !Rendering.isUnderWay else {
            throw Failure(.failed, "A view of “\(S.name)” sent an intent while it was rendering.")
        }
        guard stage != .unloaded else { throw Failure(.failed, "“\(S.name)” is closed.") }
        load()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await controller.handle(intent)) } catch { outcome = .failure(error) }
        // Also after an error: the views show the state that the failed intent left.
        await waitForViews()
        try outcome.get()
    }

    /// Checks an intent whose secrets aren't known yet, see `Controller.check`.
    public func check(_ intent: S.Intent) async throws {
        load()
        try await controller.check(intent)
    }

    /// Starts work that is cancelled when the presentation ends.
    public func run(_ operation: @escaping @MainActor () async throws -> Void) { model.work.run(operation) }

    private func refresh() async {
        // A refresh that was cancelled by `unload` isn't a failure.
        do { try await controller.refresh() } catch { if !Task.isCancelled { report(error) } }
    }

    // MARK: Life

    /// Notifies the observers, once, that the controller is loaded. `attach`, `send`, `check` and `appear` call it.
    public func load() {
        guard stage == .new else { return }
        stage = .loaded
        lifecycle.notify(.didLoad)
    }

    /// Notes that the screen is in front of one more session. For the first session, observers are notified.
    public func appear() {
        load()
        sessionsInFront += 1
        guard sessionsInFront == 1 else { return }
        lifecycle.notify(.willAppear)
        lifecycle.notify(.didAppear)
    }

    /// Notes that the screen has left the front of a session. For the last session, observers are notified.
    public func disappear() {
        guard sessionsInFront > 0 else { return }
        sessionsInFront -= 1
        guard sessionsInFront == 0 else { return }
        lifecycle.notify(.willDisappear)
        lifecycle.notify(.didDisappear)
    }

    /// Retains it for one more session; balanced by `release`.
    public func retain() { retainCount += 1 }

    /// Releases the presentation for a session. The last release unloads it.
    public func release() {
        retainCount -= 1
        if retainCount <= 0 { unload() }
    }

    /// Ends the presentation: notifies the observers, cancels the work and detaches the views.
    public func unload() {
        guard stage != .unloaded else { return }
        while sessionsInFront > 0 { disappear() }
        // Observers are notified while the controller, its work and the views still exist.
        if stage == .loaded { lifecycle.notify(.didUnload) }
        stage = .unloaded
        model.work.end()
        refreshing.stop()
        attachments.forEach(detach)
    }
}

/// A thin adapter for a medium: it renders states and turns input into intents.
///
/// Its elements and their layout are its implementation. It contains no business logic and doesn't hold its controller;
/// it has only a `ViewDelegate`.
@MainActor
public protocol View<Screen>: AnyObject, Sendable {
    /// The screen whose states it renders.
    associatedtype Screen: ControllerKit.Screen

    /// Receives the delegate. Called before the first `render` each time the view is attached.
    func attached(to delegate: ViewDelegate<Screen>)

    /// Renders a state. Calls never overlap. Intermediate states may be omitted; the last one never is.
    ///
    /// - Throws: Any error if the medium is broken. The view is then detached.
    func render(_ state: Screen.State) async throws

    /// Receives whether the view's screen is in front of its session. Called when the view is attached and after each
    /// change; not called for a view that is attached to a presentation without a session.
    func frontChanged(isInFront: Bool)

    /// Called after the view was detached, for any reason.
    func detached()
}

extension View {
    public func attached(to delegate: ViewDelegate<Screen>) {}
    public func frontChanged(isInFront: Bool) {}
    public func detached() {}
}

/// A view's weak reference to its presentation, to send intents and to read the state.
@MainActor
public struct ViewDelegate<Screen: ControllerKit.Screen> {
    private weak var presentation: Presentation<Screen>?

    init(_ presentation: Presentation<Screen>) { self.presentation = presentation }

    /// The present state, rendered or not; nil: the screen is closed.
    public var state: Screen.State? { presentation?.state }

    /// Sends an intent. Returns when it is done and all views have rendered the resulting state.
    ///
    /// - Throws: The controller's error; `Failure` if the screen is closed or the view is rendering.
    public func send(_ intent: Screen.Intent) async throws {
        guard let presentation else { throw Failure(.failed, "“\(Screen.name)” is closed.") }
        try await presentation.send(intent)
    }
}

/// Creates the views of one medium for any screen. It also looks up the screen's renderer for the medium.
@MainActor
public protocol ViewFactory: AnyObject, Sendable {
    /// Creates a view for a screen.
    func makeView<S: Screen>(for screen: S.Type) -> any View<S>
}
