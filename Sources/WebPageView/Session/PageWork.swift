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

/// A coordinator of the page's, and who listens to it.
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

/// Views of all screens that show nothing themselves: they notify listeners that there is something to fetch.
@MainActor
final class ChangeSignal: ViewFactory {
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastNumber = 0

    func makeView<S: Screen>(for screen: S.Type) -> any View<S> { SignalView<S> { [weak self] in self?.notify() } }

    /// An element for each change; changes that were not fetched yet count as one.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        lastNumber += 1
        let number = lastNumber
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in Task { @MainActor in self?.listeners[number] = nil } }
        return stream
    }

    /// Ends all streams.
    func end() {
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    /// There is something to fetch.
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
