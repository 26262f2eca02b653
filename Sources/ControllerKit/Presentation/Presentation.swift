/// The one owner of a controller: it shows the state to any number of views, and ends what was started for it.
///
/// Views of different media may be attached at once, late, and again. One whose medium fails is detached and reported;
/// the others notice nothing.
@MainActor
public final class Presentation<S: Screen> {
    /// The controller, which only the presentation holds.
    public let controller: any Controller<S>
    /// The observers of the presentation; the controller is the first.
    public let lifecycle = Lifecycle()

    private let model: Model<S.State>
    private let report: @MainActor (any Error) -> Void
    private var attachments: [Attachment<S>] = []
    private var stage = Stage.new
    private var holders = 0
    private var sessionsInFront = 0
    private lazy var refreshing = Pump { [weak self] in await self?.refresh() }

    private enum Stage { case new, loaded, unloaded }

    /// Becomes the owner of a controller.
    ///
    /// - Parameter report: Receives errors of background work: of a view's medium, of a refresh, of started tasks.
    public init(_ controller: any Controller<S>, report: @escaping @MainActor (any Error) -> Void) {
        self.controller = controller
        self.report = report
        model = controller.model
        lifecycle.add(controller)
        model.work.report = report
        model.stateDidChange = { [weak self] in self?.attachments.forEach { $0.setNeedsRender() } }
        model.dataDidChange = { [weak self] in self?.refreshing.request() }
    }

    deinit {
        // The last reference may be released without `unload`, on any thread.
        Task { @MainActor [work = model.work] in work.end() }
    }

    /// What views show now.
    public var state: S.State { model.state }

    /// Whether it has ended: its controller does nothing more.
    public var isUnloaded: Bool { stage == .unloaded }

    // MARK: Views

    /// Makes a view and attaches it: the controller is loaded, the view made, attached, given its delegate, and shown
    /// the present state. A view that is attached already is left as it is.
    @discardableResult
    public func attach(_ makeView: @autoclosure () -> any View<S>) -> Attachment<S> {
        load()
        let view = makeView()
        if let attached = attachments.first(where: { $0.view === view }) { return attached }
        let attachment = Attachment(view, model) { [weak self] in self?.mediumFailed($0, $1) }
        attachments.append(attachment)
        view.attached(to: ViewDelegate(self))
        attachment.setNeedsRender()
        return attachment
    }

    /// Detaches a view; it may be attached again.
    public func detach(_ attachment: Attachment<S>) {
        guard let index = attachments.firstIndex(where: { $0 === attachment }) else { return }
        attachments.remove(at: index)
        attachment.end()
    }

    /// Returns when every view has been shown the state of now, or a later one.
    public func settle() async {
        await refreshing.catchUp()
        for attachment in attachments { await attachment.catchUp() }
    }

    private func mediumFailed(_ attachment: Attachment<S>, _ error: any Error) {
        detach(attachment)
        report(error)
    }

    // MARK: Intents

    /// Has the controller carry out an intent; returns when it is done and the views have been shown the result.
    ///
    /// - Throws: What the controller throws; `Failure` from inside a rendering, or after the end.
    public func send(_ intent: S.Intent) async throws {
        guard !Rendering.isUnderWay else {
            throw Failure(.failed, "A view of “\(S.name)” sent an intent while it was rendering.")
        }
        guard stage != .unloaded else { throw Failure(.failed, "“\(S.name)” is closed.") }
        load()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await controller.handle(intent)) } catch { outcome = .failure(error) }
        await settle()
        try outcome.get()
    }

    /// Has the controller check an intent whose secrets aren't known yet, see `Controller.check`.
    public func check(_ intent: S.Intent) async throws {
        load()
        try await controller.check(intent)
    }

    /// Starts work that is cancelled when the presentation ends.
    public func run(_ operation: @escaping @MainActor () async throws -> Void) { model.work.run(operation) }

    private func refresh() async {
        // What ends with the presentation is no failure.
        do { try await controller.refresh() } catch { if !Task.isCancelled { report(error) } }
    }

    // MARK: Life

    /// Notifies the observers, once, that the controller is in place. Attaching a view or sending an intent does it
    /// too.
    public func load() {
        guard stage == .new else { return }
        stage = .loaded
        lifecycle.notify(.didLoad)
    }

    /// The screen comes to the front of a session; the first one makes it appear.
    public func appear() {
        load()
        sessionsInFront += 1
        guard sessionsInFront == 1 else { return }
        lifecycle.notify(.willAppear)
        lifecycle.notify(.didAppear)
    }

    /// The screen leaves the front of a session; the last one makes it disappear.
    public func disappear() {
        guard sessionsInFront > 0 else { return }
        sessionsInFront -= 1
        guard sessionsInFront == 0 else { return }
        lifecycle.notify(.willDisappear)
        lifecycle.notify(.didDisappear)
    }

    /// A session shares in holding the presentation.
    public func hold() { holders += 1 }

    /// A session lets go; the last one unloads it.
    public func letGo() {
        holders -= 1
        if holders <= 0 { unload() }
    }

    /// Ends the presentation: notifies the observers, cancels the work and detaches the views.
    public func unload() {
        guard stage != .unloaded else { return }
        while sessionsInFront > 0 { disappear() }
        if stage == .loaded { lifecycle.notify(.didUnload) }
        stage = .unloaded
        model.work.end()
        refreshing.stop()
        attachments.forEach(detach)
    }
}

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
