import Synchronization

/// Holds a controller's state and reports each change to the presentation. It keeps no other object alive.
@MainActor
public final class Model<State: ScreenState> {
    /// What views show. Setting an equal value changes nothing.
    public var state: State {
        didSet { if state != oldValue { stateDidChange() } }
    }

    /// Set by the presentation: shows the state to its views.
    var stateDidChange: @MainActor () -> Void = {}
    /// Set by the presentation: has the controller read its services again.
    var dataDidChange: @MainActor () -> Void = {}
    /// The work started for the controller.
    let work = Work()

    private let isNotified = Atomic(false)

    /// A model that begins with this state.
    public nonisolated init(_ state: State) { self.state = state }

    /// Says that the data behind the state changed; from any thread. Calls before the main actor is free count as one.
    nonisolated func notifyDataChanged() {
        guard !isNotified.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { @MainActor in
            // Before the data are read: what changes from here on is another change.
            isNotified.store(false, ordering: .releasing)
            dataDidChange()
        }
    }
}
