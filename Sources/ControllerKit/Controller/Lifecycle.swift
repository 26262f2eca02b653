/// What happens to a presentation, in the order of a life: shown and hidden may repeat between load and unload.
/// New cases may be added.
public enum LifecycleEvent: Sendable, Equatable, CaseIterable {
    /// See `LifecycleObserver`, which has a callback for each.
    case didLoad, willAppear, didAppear, willDisappear, didDisappear, didUnload
}

/// An observer of the events of a presentation; each callback is optional. A controller is the first observer.
@MainActor
public protocol LifecycleObserver: AnyObject, Sendable {
    /// The controller is in its presentation; no view has been made for it yet. Once in a life.
    func didLoad()
    /// The screen is about to be in front in a session, and was so in none.
    func willAppear()
    /// The screen is in front.
    func didAppear()
    /// The screen is about to be in front in no session.
    func willDisappear()
    /// The screen is in front nowhere.
    func didDisappear()
    /// The end is near, and everything is still there: the controller, its work, the views. Once in a life.
    func didUnload()
}

extension LifecycleObserver {
    public func didLoad() {}
    public func willAppear() {}
    public func didAppear() {}
    public func willDisappear() {}
    public func didDisappear() {}
    public func didUnload() {}

    fileprivate func notify(_ event: LifecycleEvent) {
        switch event {
        case .didLoad: didLoad()
        case .willAppear: willAppear()
        case .didAppear: didAppear()
        case .willDisappear: willDisappear()
        case .didDisappear: didDisappear()
        case .didUnload: didUnload()
        }
    }
}

/// The observers of one presentation: called in order of registration, held weakly, each once.
@MainActor
public final class Lifecycle {
    fileprivate enum Listener {
        case observer(Weak)
        case once(LifecycleEvent, @MainActor () -> Void)
    }

    fileprivate struct Weak {
        weak var observer: (any LifecycleObserver)?
    }

    private var listeners: [Listener] = []

    /// Registers an observer; one that is registered already stays where it is. It is not kept alive.
    public func add(_ observer: any LifecycleObserver) {
        guard !listeners.contains(where: { $0.isObserver(observer) }) else { return }
        listeners.append(.observer(Weak(observer: observer)))
    }

    /// Removes an observer.
    public func remove(_ observer: any LifecycleObserver) {
        listeners.removeAll { $0.isObserver(observer) }
    }

    /// Runs `body` at the next such event, and never again.
    public func once(_ event: LifecycleEvent, _ body: @escaping @MainActor () -> Void) {
        listeners.append(.once(event, body))
    }

    func notify(_ event: LifecycleEvent) {
        let notified = listeners
        listeners.removeAll { $0.isSpent(by: event) }
        for listener in notified {
            switch listener {
            case .observer(let weak): weak.observer?.notify(event)
            case .once(event, let body): body()
            case .once: break
            }
        }
    }
}

extension Lifecycle.Listener {
    fileprivate func isObserver(_ other: any LifecycleObserver) -> Bool {
        if case .observer(let weak) = self { weak.observer === other } else { false }
    }

    fileprivate func isSpent(by event: LifecycleEvent) -> Bool {
        switch self {
        case .observer(let weak): weak.observer == nil
        case .once(let awaited, _): awaited == event
        }
    }
}
