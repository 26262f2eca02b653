/// The attachment of a view to a presentation. It ends when the view is detached or its medium fails.
@MainActor
public final class Attachment<S: Screen> {
    let view: any View<S>
    private let model: Model<S.State>
    private let failed: @MainActor (Attachment, any Error) -> Void
    private lazy var rendering = CoalescedWork { [weak self] in await self?.render() }

    init(_ view: any View<S>, _ model: Model<S.State>, failed: @escaping @MainActor (Attachment, any Error) -> Void) {
        self.view = view
        self.model = model
        self.failed = failed
    }

    /// Schedules a rendering of the present state, for example after the view's size changed.
    public func setNeedsRender() { rendering.request() }

    /// Waits until the view has rendered the present state or a later one.
    func catchUp() async { await rendering.catchUp() }

    /// Stops rendering permanently and notifies the view.
    func end() {
        rendering.stop()
        view.detached()
    }

    private func render() async {
        do {
            try await Rendering.$isUnderWay.withValue(true) { try await view.render(model.state) }
        } catch {
            // A cancelled rendering fails because its view was detached, not because its medium is broken.
            if !Task.isCancelled { failed(self, error) }
        }
    }
}

/// Marks the tasks that render. An intent sent from a rendering would cause the next rendering, without end.
enum Rendering {
    // A task-local value and not a flag: intents of other tasks are accepted while a view renders.
    @TaskLocal static var isUnderWay = false
}

/// Runs a body on request, never twice at the same time. All requests during a run cause one further run.
///
/// This is the only place that coalesces: intermediate requests may be served together, the last one is always served.
@MainActor
final class CoalescedWork {
    private let body: @MainActor () async -> Void
    private var requested = 0
    private var served = 0
    private var round: Task<Void, Never>?
    private var isStopped = false

    init(_ body: @escaping @MainActor () async -> Void) { self.body = body }

    /// Requests a run that begins after this call.
    func request() {
        guard !isStopped else { return }
        requested += 1
        startRound()
    }

    /// Waits until the requests made so far have been served. Later requests aren't waited for.
    func catchUp() async {
        let target = requested
        // After `stop` no round begins, so that callers return although requests remain unserved.
        while served < target, let round { await round.value }
    }

    /// Cancels the current run and ignores all further requests.
    func stop() {
        isStopped = true
        round?.cancel()
    }

    private func startRound() {
        guard round == nil, !isStopped, served < requested else { return }
        round = Task {
            // Read when the task begins, not when it is created: requests made in between are served by this run.
            let target = requested
            await body()
            served = target
            round = nil
            startRound()
        }
    }
}
