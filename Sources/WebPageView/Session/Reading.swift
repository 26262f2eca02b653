internal import ControllerKit

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
