/// A view that is attached to a presentation, until it is detached or its medium fails.
@MainActor
public final class Attachment<S: Screen> {
    let view: any View<S>
    private let model: Model<S.State>
    private let failed: @MainActor (Attachment, any Error) -> Void
    private lazy var pump = Pump { [weak self] in await self?.render() }

    init(_ view: any View<S>, _ model: Model<S.State>, failed: @escaping @MainActor (Attachment, any Error) -> Void) {
        self.view = view
        self.model = model
        self.failed = failed
    }

    /// Has the view shown the present state soon: after a change, or because its size changed.
    public func setNeedsRender() { pump.request() }

    /// Returns when the view has been shown the state of now, or a later one.
    func catchUp() async { await pump.catchUp() }

    /// Stops rendering permanently, and notifies the view.
    func end() {
        pump.stop()
        view.detached()
    }

    private func render() async {
        do {
            try await Rendering.$isUnderWay.withValue(true) { try await view.render(model.state) }
        } catch {
            if !Task.isCancelled { failed(self, error) }
        }
    }
}

/// Whether the current task renders: a rendering that sends an intent would feed back on itself.
enum Rendering {
    @TaskLocal static var isUnderWay = false
}

/// Runs a body whenever it is asked to, never twice at once; requests during a run count as one further run.
///
/// This is all the coalescing there is: intermediate requests may be served together, the last one always is.
@MainActor
final class Pump {
    private let body: @MainActor () async -> Void
    private var requested = 0
    private var served = 0
    private var round: Task<Void, Never>?
    private var isStopped = false

    init(_ body: @escaping @MainActor () async -> Void) { self.body = body }

    /// Asks for a run that begins after now.
    func request() {
        guard !isStopped else { return }
        requested += 1
        startRound()
    }

    /// Returns when the requests made so far have been served; those made meanwhile may not be.
    func catchUp() async {
        let target = requested
        while served < target, let round { await round.value }
    }

    /// Cancels the run under way and serves no more.
    func stop() {
        isStopped = true
        round?.cancel()
    }

    private func startRound() {
        guard round == nil, !isStopped, served < requested else { return }
        round = Task {
            // Requests made until the body begins to read are served by it.
            let target = requested
            await body()
            served = target
            round = nil
            startRound()
        }
    }
}
