internal import ControllerKit

/// A verb of a form in progress. It is cancelled by its session's end or by the user.
@MainActor
final class PageWork {
    /// The secret id by which a form cancels the work.
    let id = Token.make()
    /// The verb.
    let verb: String
    /// The page that shows the progress.
    let address: PageAddress
    /// Whether the form was answered before the end, so that only the page shows the progress.
    var isDeferred = false
    /// Whether a page with the progress was sent; its script fetches the result.
    var isShown = false
    /// The address of the result; nil while the work is in progress.
    private(set) var result: PageAddress?
    private var task: Task<Void, Never>?
    private var waiting: [AsyncStream<Void>.Continuation] = []

    init(_ verb: String, at address: PageAddress) { (self.verb, self.address) = (verb, address) }

    /// Starts the work.
    ///
    /// - Parameters:
    ///   - body: Performs the verb; returns the address of the result.
    ///   - ended: Called once, at the end.
    func start(_ body: @escaping @MainActor () async -> PageAddress, ended: @escaping @MainActor (PageWork) -> Void) {
        task = Task {
            result = await body()
            ended(self)
            // After `result` is set, which the answer of the form reads.
            for waiter in waiting { waiter.finish() }
            waiting = []
        }
    }

    func cancel() { task?.cancel() }

    /// Returns a stream with an element whenever `pause` has passed, until the work is done.
    func pauses(of pause: @escaping @Sendable () async -> Void) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // The work is done, and the waiters were finished.
        guard result == nil else {
            continuation.finish()
            return stream
        }
        waiting.append(continuation)
        // An unstructured task, which ends with the stream.
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

/// A coordinator of the page with the listeners to its changes.
@MainActor
final class Reading {
    let coordinator: Coordinator
    let signal = ChangeSignal()

    init(_ coordinator: Coordinator) {
        self.coordinator = coordinator
        coordinator.attach(signal)
    }

    func end() {
        signal.end()
        coordinator.end()
    }
}

/// Views of all screens that render nothing, but notify listeners of changes.
@MainActor
final class ChangeSignal: ViewFactory {
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastNumber = 0

    func makeView<S: Screen>(for screen: S.Type) -> any View<S> { SignalView<S> { [weak self] in self?.notify() } }

    /// Returns a stream with an element for each change; changes that were not fetched yet are combined.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        lastNumber += 1
        let number = lastNumber
        listeners[number] = continuation
        // The handler is called on any thread.
        continuation.onTermination = { [weak self] _ in Task { @MainActor in self?.listeners[number] = nil } }
        return stream
    }

    /// Ends all streams.
    func end() {
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    /// Notifies all listeners.
    func notify() {
        for listener in listeners.values { listener.yield() }
    }
}

private final class SignalView<S: Screen>: View {
    typealias Screen = S
    private let notify: @MainActor () -> Void

    init(_ notify: @escaping @MainActor () -> Void) { self.notify = notify }

    func render(_ state: S.State) { notify() }
}
