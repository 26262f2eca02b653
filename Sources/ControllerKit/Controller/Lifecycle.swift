/// The events of a presentation, in their order; appearing and disappearing may repeat between load and unload.
/// New cases may be added.
public enum LifecycleEvent: Sendable, Equatable, CaseIterable {
    /// See `LifecycleObserver`, which has a callback for each.
    case didLoad, willAppear, didAppear, willDisappear, didDisappear, didUnload
}

/// An observer of the events of a presentation; each callback is optional. A controller is the first observer.
@MainActor
public protocol LifecycleObserver: AnyObject, Sendable {
    /// Called once, when the controller is in its presentation and before the first view is created.
    func didLoad()
    /// Called before the screen comes to the front of its first session.
    func willAppear()
    /// Called when the screen is in front of a session.
    func didAppear()
    /// Called before the screen leaves the front of its last session.
    func willDisappear()
    /// Called when the screen isn't in front of any session.
    func didDisappear()
    /// Called once, at the end, while the controller, its work and the views still exist.
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

/// The observers of one presentation. They are held weakly and called in the order of registration, each once.
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

    /// Registers an observer, which isn't retained. An observer that is already registered keeps its position.
    public func add(_ observer: any LifecycleObserver) {
        guard !listeners.contains(where: { $0.isObserver(observer) }) else { return }
        listeners.append(.observer(Weak(observer: observer)))
    }

    /// Removes an observer.
    public func remove(_ observer: any LifecycleObserver) {
        listeners.removeAll { $0.isObserver(observer) }
    }

    /// Runs `body` at the next such event only.
    public func once(_ event: LifecycleEvent, _ body: @escaping @MainActor () -> Void) {
        listeners.append(.once(event, body))
    }

    func notify(_ event: LifecycleEvent) {
        // A copy, because a callback may add or remove observers. One-shot observers are removed before they are
        // called: a callback that causes the same event again must not run them twice.
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
