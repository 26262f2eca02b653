internal import NIOCore

/// Calls a guard at the next deadline of its state. Used on one event loop.
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private var scheduled: (look: Scheduled<Void>, at: NIODeadline)?

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Sets the time of the next call; nil: the previous one remains, which costs one superfluous look at most.
    func set(_ next: NIODeadline?, look: @escaping () -> Void) {
        guard let next else { return }
        // A timer that fires too early only causes one more check, which costs less than replacing it for each request.
        if let scheduled, scheduled.at <= next { return }
        scheduled?.look.cancel()
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: next) {
            self.scheduled = nil
            look()
        }
        scheduled = (task, next)
    }

    func cancel() {
        scheduled?.look.cancel()
        scheduled = nil
    }
}
