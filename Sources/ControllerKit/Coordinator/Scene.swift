/// An open screen of a session: its presentation, its parent and the session's views of it.
@MainActor
final class Scene: Identifiable {
    let parent: Scene.ID?
    /// Whether it is shown within its parent, which comes to the front in its place.
    let isNested: Bool
    let presentation: any AnyPresentation
    /// Whether the scene is in front of its session. Its views receive each change of this value.
    var isInFront = false {
        didSet {
            guard isInFront != oldValue else { return }
            for view in views.values { view.setInFront(isInFront) }
        }
    }
    /// The last successful verb that changed nothing, to restore the session.
    var reading: SessionMemory.Reading?
    private var views: [ObjectIdentifier: any AttachedView] = [:]
    let id: ID

    /// The identity of a scene. It exists before the controller, whose `Opening` refers to it.
    final class ID: Hashable, Sendable {
        // By identity: an id is unique as long as it is held, without a counter or a random source.
        static func == (left: ID, right: ID) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    init(_ id: ID, _ presentation: any AnyPresentation, parent: Scene.ID?, isNested: Bool = false) {
        self.id = id
        self.isNested = isNested
        self.presentation = presentation
        self.parent = parent
        presentation.retain()
    }

    func attach(_ factory: any ViewFactory) {
        let view = presentation.attach(from: factory)
        views[ObjectIdentifier(factory)] = view
        view.setInFront(isInFront)
    }

    func detach(_ factory: any ViewFactory) {
        views.removeValue(forKey: ObjectIdentifier(factory))?.detach()
    }

    func end() {
        for view in views.values { view.detach() }
        presentation.release()
    }
}

/// A presentation without the type of its screen, for views that serve all screens.
@MainActor
public protocol AnyPresentation: AnyObject, Sendable {
    /// The screen that it presents.
    associatedtype PresentedScreen: Screen
    /// The present state.
    var state: PresentedScreen.State { get }
    /// The screen's name.
    var screenName: String { get }
    /// The present state without its type.
    var anyState: any ScreenState { get }

    /// Whether it has ended.
    var isUnloaded: Bool { get }

    /// Attaches a new view of the factory's medium.
    func attach(from factory: any ViewFactory) -> any AttachedView
    /// Waits until every view has rendered the present state or a later one.
    func waitForViews() async

    /// Notes that it is in front of one more session; balanced by `disappear`. Called by sessions, as all below.
    func appear()
    /// Notes that it has left the front of a session.
    func disappear()
    /// Retains it for one more session; balanced by `release`.
    func retain()
    /// Releases it for a session. The last release unloads it.
    func release()
}

/// A view that a session has attached, without the type of its screen.
@MainActor
public protocol AttachedView: AnyObject, Sendable {
    /// Detaches the view.
    func detach()
    /// Notifies the view whether its screen is in front of the session.
    func setInFront(_ isInFront: Bool)
}

private final class SceneView<S: Screen>: AttachedView {
    private weak var presentation: Presentation<S>?
    private let attachment: Attachment<S>

    init(_ attachment: Attachment<S>, of presentation: Presentation<S>) {
        (self.attachment, self.presentation) = (attachment, presentation)
    }

    func detach() { presentation?.detach(attachment) }
    func setInFront(_ isInFront: Bool) { attachment.view.frontChanged(isInFront: isInFront) }
}

extension Presentation: AnyPresentation {
    public typealias PresentedScreen = S

    public var screenName: String { S.name }
    public var anyState: any ScreenState { state }

    public func attach(from factory: any ViewFactory) -> any AttachedView {
        SceneView(attach(factory.makeView(for: S.self)), of: self)
    }
}

/// The states of several screens at one point in time, each with its type.
public struct ScreenStates: Sendable {
    private struct Box<S: Screen>: Sendable {
        let state: S.State
    }

    private var boxes: [ObjectIdentifier: any Sendable] = [:]

    /// Creates an empty collection.
    public init() {}

    /// Collects the states of presentations. If several have the same screen, the last one counts.
    @MainActor
    init(_ presentations: [any AnyPresentation]) {
        for presentation in presentations { insert(presentation) }
    }

    /// The state of a screen; nil: it isn't in the collection.
    public subscript<S: Screen>(screen: S.Type) -> S.State? {
        get { (boxes[ObjectIdentifier(screen)] as? Box<S>)?.state }
        set { boxes[ObjectIdentifier(screen)] = newValue.map { Box<S>(state: $0) } }
    }

    @MainActor
    private mutating func insert<P: AnyPresentation>(_ presentation: P) {
        self[P.PresentedScreen.self] = presentation.state
    }
}

/// The parameter of a new controller and its access to navigation: finish, or open a child.
///
/// It holds the session weakly, so that a controller may store it.
@MainActor
public struct Opening<S: Screen> {
    /// The parameter that the opener prepared. It isn't stored elsewhere and is used once.
    public let parameter: S.Parameter
    private let scene: Scene.ID
    private weak var coordinator: Coordinator?
    private let deliver: @MainActor (S.Outcome) -> Void

    init(
        parameter: S.Parameter, scene: Scene.ID, coordinator: Coordinator,
        deliver: @escaping @MainActor (S.Outcome) -> Void
    ) {
        self.parameter = parameter
        self.scene = scene
        self.coordinator = coordinator
        self.deliver = deliver
    }

    /// Closes the screen and passes its outcome to the opener, once. The outcome of a closed screen is dropped.
    public func finish(_ outcome: S.Outcome) {
        // The opener is in front again when it receives the outcome. A second call finds no scene and delivers nothing.
        guard let coordinator, coordinator.close(scene) else { return }
        deliver(outcome)
    }

    /// Opens a screen in front of this one, as its child.
    ///
    /// - Parameter onFinish: Receives the child's outcome. It isn't called if the child is closed without one.
    public func open<Child: Screen>(
        _ child: Child.Type, with parameter: Child.Parameter,
        onFinish: @escaping @MainActor (Child.Outcome) -> Void = { _ in }
    ) throws {
        guard let coordinator else { return }
        try coordinator.open(child, with: parameter, parent: scene, onFinish: onFinish)
    }
}
