/// A screen that is open in a session: its presentation, whose child it is, and the session's views of it.
@MainActor
final class Scene: Identifiable {
    let parent: Scene.ID?
    /// Whether it is shown within its parent, which is then in front in its place.
    let isNested: Bool
    let presentation: any AnyPresentation
    /// Whether the scene is in front of its session; its views receive each change.
    var isInFront = false {
        didSet {
            guard isInFront != oldValue else { return }
            for view in views.values { view.setInFront(isInFront) }
        }
    }
    /// The last verb that only showed something.
    var reading: SessionMemory.Reading?
    private var views: [ObjectIdentifier: any AttachedView] = [:]
    let id: ID

    /// The identity of a scene, known before its controller is made.
    final class ID: Hashable, Sendable {
        static func == (left: ID, right: ID) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    init(_ id: ID, _ presentation: any AnyPresentation, parent: Scene.ID?, isNested: Bool = false) {
        self.id = id
        self.isNested = isNested
        self.presentation = presentation
        self.parent = parent
        presentation.hold()
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
        presentation.letGo()
    }
}

/// A presentation of any screen, for views that serve all screens.
@MainActor
public protocol AnyPresentation: AnyObject, Sendable {
    /// The screen that it presents.
    associatedtype PresentedScreen: Screen
    /// What views show now.
    var state: PresentedScreen.State { get }
    /// The screen's name.
    var screenName: String { get }
    /// What views show now; encodable.
    var anyState: any ScreenState { get }

    /// Whether it has ended.
    var isUnloaded: Bool { get }

    /// Attaches a new view of the factory's medium.
    func attach(from factory: any ViewFactory) -> any AttachedView
    /// Returns when every view has been shown the state of now, or a later one.
    func settle() async

    /// It comes to the front of a session; each `appear` is ended by a `disappear`. For sessions, as all below.
    func appear()
    /// It leaves the front of a session.
    func disappear()
    /// A session shares in holding it; each `hold` is ended by a `letGo`.
    func hold()
    /// A session lets go of it; the last one unloads it.
    func letGo()
}

/// A view of some screen that a session has attached.
@MainActor
public protocol AttachedView: AnyObject, Sendable {
    /// Detaches it.
    func detach()
    /// Its screen has come to the front of the session, or left it.
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

/// The states of several screens at one time, each with its type.
public struct ScreenStates: Sendable {
    private struct Box<S: Screen>: Sendable {
        let state: S.State
    }

    private var boxes: [ObjectIdentifier: any Sendable] = [:]

    /// No states.
    public init() {}

    /// The states of these presentations; of several of one screen the last one's.
    @MainActor
    init(_ presentations: [any AnyPresentation]) {
        for presentation in presentations { insert(presentation) }
    }

    /// The state of a screen; nil: it isn't among them.
    public subscript<S: Screen>(screen: S.Type) -> S.State? {
        get { (boxes[ObjectIdentifier(screen)] as? Box<S>)?.state }
        set { boxes[ObjectIdentifier(screen)] = newValue.map { Box<S>(state: $0) } }
    }

    @MainActor
    private mutating func insert<P: AnyPresentation>(_ presentation: P) {
        self[P.PresentedScreen.self] = presentation.state
    }
}

/// What the one who opens a screen hands to its new controller: a typed parameter, once, and the ways out.
///
/// It holds the session weakly, so that a controller may keep it.
@MainActor
public struct Opening<S: Screen> {
    /// What was prepared for the screen. It is in no other place: consumed by making the controller.
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

    /// Closes the screen and hands its outcome to the one who opened it, once; a closed screen's outcome goes nowhere.
    public func finish(_ outcome: S.Outcome) {
        guard let coordinator, coordinator.close(scene) else { return }
        deliver(outcome)
    }

    /// Opens a screen over this one, its child.
    ///
    /// - Parameter onFinish: Receives the child's outcome; it isn't called when the child is closed without one.
    public func open<Child: Screen>(
        _ child: Child.Type, with parameter: Child.Parameter,
        onFinish: @escaping @MainActor (Child.Outcome) -> Void = { _ in }
    ) throws {
        guard let coordinator else { return }
        try coordinator.open(child, with: parameter, parent: scene, onFinish: onFinish)
    }
}
