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
