/// The navigation of one view session: a prompt, a browser tab, a JSON-lines peer.
///
/// It opens screens with their parameters, knows which one is in front, and attaches the session's views to all of
/// them. Navigation in one session doesn't affect another. Sessions created with `sharingWith` share presentations: a
/// screen that one of them opens with a verb has the same presentation and controller in all of them.
@MainActor
public final class Coordinator {
    /// The screens that can be opened.
    public let catalog: Catalog
    /// The open screens, the one in front last.
    private var scenes: [Scene] = []
    private var factories: [any ViewFactory] = []
    private let shared: PresentationPool
    private let report: @MainActor (any Error) -> Void

    /// Creates a session without open screens.
    ///
    /// - Parameters:
    ///   - other: A session for the same catalogue with which this one shares presentations, not retained; nil: none.
    ///   - report: Receives the errors of background work, see `Presentation`.
    public init(
        _ catalog: Catalog, sharingWith other: Coordinator? = nil, report: @escaping @MainActor (any Error) -> Void
    ) {
        self.catalog = catalog
        shared = other?.shared ?? PresentationPool()
        self.report = report
    }

    /// The presentation in front; nil: none is open.
    public var current: (any AnyPresentation)? { scenes.last?.presentation }

    /// The names of the open screens, the one in front last, without those that other screens contain.
    public var path: [String] { scenes.filter { !$0.isNested }.map(\.presentation.screenName) }

    /// Returns the open presentation of a screen that is nearest to the front; nil: none is open.
    public func presentation<S: Screen>(of screen: S.Type) -> Presentation<S>? {
        scenes.lazy.reversed().compactMap { $0.presentation as? Presentation<S> }.first
    }

    /// Returns the open presentation of the screen with a name that is nearest to the front; nil: none is open.
    public func presentation(of screen: String) -> (any AnyPresentation)? {
        scenes.last { $0.presentation.screenName == screen }?.presentation
    }

    /// Returns the state of the open screen with a name that is nearest to the front; nil: none is open.
    public func state(of screen: String) -> (any ScreenState)? { presentation(of: screen)?.anyState }

    /// The open screens with their last readings, see `restore`.
    public var memory: SessionMemory {
        var memory = SessionMemory()
        memory.screens = scenes.compactMap(\.reading)
        return memory
    }

    /// The states of all open screens.
    public var states: ScreenStates { ScreenStates(scenes.map(\.presentation)) }

    // MARK: Commands

    /// Performs a verb and opens its screen if necessary. A verb that answers with the state brings its screen to the
    /// front; one that answers with a notice doesn't navigate.
    ///
    /// - Parameter screen: The screen whose verb it is; nil: the only one that has such a verb.
    /// - Returns: The presentation that has the answer, which all views have rendered. This is the one that performed
    ///   the verb or, if the verb answers with the state, the one in front afterwards: an intent may open a screen.
    /// - Throws: The controller's error; `Failure` of category `usage` for an unknown verb or wrong arguments.
    @discardableResult
    public func perform(
        _ verb: String, _ values: ArgumentValues = [:], on screen: String? = nil
    ) async throws -> any AnyPresentation {
        let command = try catalog.command(verb, on: screen)
        let entry = try catalog.entry(named: command.screen)
        // Before the screen is opened: a command with wrong arguments opens nothing.
        let intent = try entry.prepare(verb, values)
        let scene = try openScene(of: entry)
        let wantsState = command.verb.answer == .state
        if wantsState { move(toFront: container(of: scene)) }
        try await intent.send(scene.presentation)
        // Only after success, so that a restored session doesn't repeat a failed verb.
        if command.verb.traits.contains(.readOnly), !command.verb.traits.contains(.remote) {
            scene.reading = SessionMemory.Reading(screen: command.screen, verb: verb, values: values)
        }
        // Read after the `await`: the intent may have opened a screen in front of its own, or closed it.
        guard wantsState, !scene.isNested, let front = current, front !== scene.presentation else {
            return scene.presentation
        }
        await front.waitForViews()
        return front
    }

    /// Checks a verb before the person is asked for its secrets: wrong arguments are refused first. Changes nothing.
    ///
    /// - Parameter values: All arguments except the secrets that aren't known yet.
    /// - Throws: The errors of `perform`.
    public func check(_ verb: String, _ values: ArgumentValues, on screen: String? = nil) async throws {
        let command = try catalog.command(verb, on: screen)
        let entry = try catalog.entry(named: command.screen)
        var values = values
        for spec in command.verb.arguments where spec.kind == .secret && spec.settled(by: values).isRequired {
            // `prepare` requires the argument; `Controller.check` doesn't depend on its value.
            values[spec.name] = values[spec.name] ?? .text("")
        }
        let intent = try entry.prepare(verb, values)
        try await intent.check(openScene(of: entry).presentation)
    }

    // MARK: Navigation

    /// Opens a screen in front, with a typed parameter.
    ///
    /// - Parameter onFinish: Receives the screen's outcome. It isn't called if the screen is closed without one.
    public func open<S: Screen>(
        _ screen: S.Type, with parameter: S.Parameter, onFinish: @escaping @MainActor (S.Outcome) -> Void = { _ in }
    ) throws {
        try open(screen, with: parameter, parent: nil, onFinish: onFinish)
    }

    /// Opens the presentation of a screen that another session shares, behind all others. The screen in front stays.
    ///
    /// - Returns: Whether the screen is open in this session now.
    @discardableResult
    public func join(_ screen: String) -> Bool {
        if state(of: screen) != nil { return true }
        guard let common = shared.presentation(of: screen) else { return false }
        do { try insert(Scene(Scene.ID(), common, parent: nil), at: scenes.startIndex) } catch { report(error) }
        return true
    }

    /// Opens a screen behind all others, without an intent, unless it is open.
    ///
    /// - Throws: `Failure` of category `usage` if there is no such screen.
    public func prepare(_ screen: String) throws { _ = try openScene(of: catalog.entry(named: screen)) }

    /// Closes the screen in front unless it is the only one. Its opener, else the previous screen, comes to the front.
    ///
    /// - Returns: Whether a screen was closed.
    @discardableResult
    public func goBack() -> Bool {
        guard scenes.count(where: { !$0.isNested }) > 1, let scene = scenes.last else { return false }
        return close(scene.id)
    }

    /// Ends the session: closes all its screens and unloads the presentations that no other session shares.
    public func end() {
        // A presentation that another session shares lives on; it must not count this session's front any more.
        for scene in front { scene.presentation.disappear() }
        // Emptied first: an observer that is notified below finds no open screen.
        let ended = scenes
        scenes = []
        for scene in ended.reversed() { scene.end() }
        factories = []
    }

    func open<S: Screen>(
        _ screen: S.Type, with parameter: S.Parameter, parent: Scene.ID?,
        onFinish: @escaping @MainActor (S.Outcome) -> Void
    ) throws {
        try insert(makeScene(screen, with: parameter, parent: parent, onFinish: onFinish), at: scenes.endIndex)
    }

    func makeScene<S: Screen>(
        _ screen: S.Type, with parameter: S.Parameter, parent: Scene.ID? = nil, isNested: Bool = false,
        onFinish: @escaping @MainActor (S.Outcome) -> Void = { _ in }
    ) throws -> Scene {
        let id = Scene.ID()
        let opening = Opening<S>(parameter: parameter, scene: id, coordinator: self, deliver: onFinish)
        let controller = try catalog.factory(for: S.self).make(opening)
        return Scene(id, Presentation(controller, report: report), parent: parent, isNested: isNested)
    }

    /// Closes a screen with its children. Returns false if it isn't open.
    func close(_ id: Scene.ID) -> Bool {
        guard let closing = scenes.first(where: { $0.id == id }) else { return false }
        for child in scenes.filter({ $0.parent == id }) { _ = close(child.id) }
        changeFront {
            scenes.removeAll { $0 === closing }
            // A nested screen was shown in its container, whose place doesn't change.
            guard !closing.isNested, let parent = scenes.first(where: { $0.id == closing.parent }) else { return }
            let shown = container(of: parent)
            scenes.removeAll { $0 === shown }
            scenes.append(shown)
        }
        // After the change of the front: observers of `disappear` still find the views attached.
        closing.end()
        return true
    }

    /// Returns the scene of a screen that is nearest to the front, or opens one behind all others. The new scene has
    /// the presentation that another session shares, if there is one.
    private func openScene(of entry: Catalog.Entry) throws -> Scene {
        let name = entry.description.name
        if let open = scenes.last(where: { $0.presentation.screenName == name }) { return open }
        let common = shared.presentation(of: name).map { Scene(Scene.ID(), $0, parent: nil) }
        let scene = try common ?? entry.makeScene(self, nil)
        shared.add(scene.presentation)
        // It is inserted behind all others: the caller decides whether its command navigates.
        try insert(scene, at: scenes.startIndex)
        return scene
    }

    /// Inserts a scene and the scenes of the screens that its screen contains.
    private func insert(_ scene: Scene, at index: Int) throws {
        // The views exist before observers are notified that the screen appears.
        for factory in factories { scene.attach(factory) }
        changeFront { scenes.insert(scene, at: index) }
        for name in try catalog.entry(named: scene.presentation.screenName).description.children {
            let common = shared.presentation(of: name).map {
                Scene(Scene.ID(), $0, parent: scene.id, isNested: true)
            }
            let child = try common ?? catalog.entry(named: name).makeScene(self, scene.id)
            shared.add(child.presentation)
            // Before its container: the last scene is the one in front, and it must be the container.
            try insert(child, at: scenes.firstIndex { $0 === scene } ?? scenes.startIndex)
        }
    }

    /// Returns the presentations that the screen of a presentation contains, in the order of `Screen.children`.
    public func children(of presentation: any AnyPresentation) -> [any AnyPresentation] {
        guard let scene = scenes.last(where: { $0.presentation === presentation }) else { return [] }
        return scenes.filter { $0.isNested && $0.parent == scene.id }.map(\.presentation)
    }

    /// Returns the scene that a scene is shown in: itself, unless it is nested.
    private func container(of scene: Scene) -> Scene {
        guard scene.isNested, let parent = scenes.first(where: { $0.id == scene.parent }) else { return scene }
        return container(of: parent)
    }

    /// The scene in front and those that it contains.
    private var front: [Scene] {
        guard let last = scenes.last else { return [] }
        return scenes.filter { container(of: $0) === last }
    }

    private func move(toFront scene: Scene) {
        changeFront {
            scenes.removeAll { $0 === scene }
            scenes.append(scene)
        }
    }

    private func changeFront(_ change: () -> Void) {
        // Both fronts include nested scenes, which appear and disappear with their container.
        let before = front
        change()
        let now = front
        // Screens disappear before others appear, so that no observer sees two of them in front of one session.
        for scene in before where !now.contains(where: { $0 === scene }) {
            scene.isInFront = false
            scene.presentation.disappear()
        }
        for scene in now where !before.contains(where: { $0 === scene }) {
            scene.isInFront = true
            scene.presentation.appear()
        }
    }

    // MARK: Views

    /// Attaches a medium: creates its views for every open screen of this session and for each one opened later.
    public func attach(_ factory: any ViewFactory) {
        guard !factories.contains(where: { $0 === factory }) else { return }
        factories.append(factory)
        for scene in scenes { scene.attach(factory) }
    }

    /// Detaches a medium from all screens of this session.
    public func detach(_ factory: any ViewFactory) {
        factories.removeAll { $0 === factory }
        for scene in scenes { scene.detach(factory) }
    }
}

/// The presentations that sessions share. They are held weakly: a presentation lives as long as one session holds it.
@MainActor
private final class PresentationPool {
    private struct Weak {
        weak var presentation: (any AnyPresentation)?
    }

    private var held: [String: Weak] = [:]

    /// Returns the presentation of a screen that a session has open.
    func presentation(of screen: String) -> (any AnyPresentation)? {
        // A running intent may retain a presentation that has ended; a session must not open it again.
        guard let presentation = held[screen]?.presentation, !presentation.isUnloaded else { return nil }
        return presentation
    }

    func add(_ presentation: any AnyPresentation) { held[presentation.screenName] = Weak(presentation: presentation) }
}
