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
