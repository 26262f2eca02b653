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
