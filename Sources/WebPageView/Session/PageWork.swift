internal import ControllerKit

/// A verb that a form asked for, while it is carried out. It is cancelled with its session, and by the person.
@MainActor
final class PageWork {
    /// Names the work in a form that cancels it.
    let id = Token.make()
    /// The verb.
    let verb: String
    /// The page that shows how far it is.
    let address: PageAddress
    /// Whether the form was answered before the end, so that the page alone shows that the work goes on.
    var isDeferred = false
    /// Whether such a page was sent: its script fetches the result.
    var isShown = false
    /// The address of the result; nil: it is not done.
    private(set) var result: PageAddress?
    private var task: Task<Void, Never>?
    private var waiting: [AsyncStream<Void>.Continuation] = []

    init(_ verb: String, at address: PageAddress) { (self.verb, self.address) = (verb, address) }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - body: Carries the verb out; returns the address of the result.
    ///   - ended: Called once, at the end.
    func start(_ body: @escaping @MainActor () async -> PageAddress, ended: @escaping @MainActor (PageWork) -> Void) {
        task = Task {
            result = await body()
            ended(self)
            for waiter in waiting { waiter.finish() }
            waiting = []
        }
    }

    func cancel() { task?.cancel() }

    /// An element whenever `pause` has passed, until the work is done.
    func pauses(of pause: @escaping @Sendable () async -> Void) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard result == nil else {
            continuation.finish()
            return stream
        }
        waiting.append(continuation)
        let clock = Task {
            while !Task.isCancelled {
                await pause()
                continuation.yield()
            }
        }
        continuation.onTermination = { _ in clock.cancel() }
        return stream
    }
}
