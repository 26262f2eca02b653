/// The navigation of one view session: a REPL, a browser tab, a JSON-lines peer.
///
/// It opens screens with their parameters, knows which one is in front, and attaches the session's views to all of
/// them. Sessions don't move one another; those that are made with `sharingWith` have presentations in common: a screen
/// that one of them opens by a verb is the same presentation, with one controller, in all of them.
@MainActor
public final class Coordinator {
    /// The screens that can be opened.
    public let catalog: Catalog
    /// The open screens, the one in front last.
    private var scenes: [Scene] = []
    private var factories: [any ViewFactory] = []
    private let shared: PresentationPool
    private let report: @MainActor (any Error) -> Void

    /// A session in which nothing is open.
    ///
    /// - Parameters:
    ///   - other: A session over the same catalogue with which this one shares its presentations; nil: none. It isn't kept
    ///     alive.
    ///   - report: Receives errors of background work, see `Presentation`.
    public init(
        _ catalog: Catalog, sharingWith other: Coordinator? = nil, report: @escaping @MainActor (any Error) -> Void
    ) {
        self.catalog = catalog
        shared = other?.shared ?? PresentationPool()
        self.report = report
    }

    /// The screen in front.
    public var current: (any AnyPresentation)? { scenes.last?.presentation }

    /// The names of the open screens, the one in front last; those that others contain are left out.
    public var path: [String] { scenes.filter { !$0.isNested }.map(\.presentation.screenName) }

    /// The open presentation of a screen that is nearest to the front.
    public func presentation<S: Screen>(of screen: S.Type) -> Presentation<S>? {
        scenes.lazy.reversed().compactMap { $0.presentation as? Presentation<S> }.first
    }

    /// The open presentation of the screen of this name that is nearest to the front; nil when none is open.
    public func presentation(of screen: String) -> (any AnyPresentation)? {
        scenes.last { $0.presentation.screenName == screen }?.presentation
    }

    /// What the open screen of this name that is nearest to the front shows; nil when none is open.
    public func state(of screen: String) -> (any ScreenState)? { presentation(of: screen)?.anyState }

    /// What this session has open, to be restored later.
    public var memory: SessionMemory {
        var memory = SessionMemory()
        memory.screens = scenes.compactMap(\.reading)
        return memory
    }

    /// What all open screens show now.
    public var states: ScreenStates { ScreenStates(scenes.map(\.presentation)) }

    // MARK: Commands

    /// Says a verb of any screen, opening the screen if need be. One whose answer is the state comes to the front; one
    /// that answers with a notice leaves the session where it is.
    ///
    /// - Parameter screen: The screen whose verb it is; nil: the only one that has such a verb.
    /// - Returns: The presentation that has the answer, its state shown to all views: the one that carried it out, or
    ///   for a verb that answers with a state, the one that is in front now, which the intent may have opened.
    /// - Throws: What the controller throws; `Failure` of category `usage` for a verb or arguments that don't exist.
    @discardableResult
    public func perform(
        _ verb: String, _ values: ArgumentValues = [:], on screen: String? = nil
    ) async throws -> any AnyPresentation {
        let command = try catalog.command(verb, on: screen)
        let entry = try catalog.entry(named: command.screen)
        let intent = try entry.prepare(verb, values)
        let scene = try openScene(of: entry)
        let wantsState = command.verb.answer == .state
        if wantsState { move(toFront: container(of: scene)) }
        try await intent.send(scene.presentation)
        if command.verb.traits.contains(.readOnly), !command.verb.traits.contains(.remote) {
            scene.reading = SessionMemory.Reading(screen: command.screen, verb: verb, values: values)
        }
        guard wantsState, !scene.isNested, let front = current, front !== scene.presentation else {
            return scene.presentation
        }
        await front.settle()
        return front
    }

    /// Checks a verb before the person is asked for its secrets, so that a wrong argument is refused first. Changes
    /// nothing.
    ///
    /// - Parameter values: All arguments but the secrets that are still to be asked for.
    /// - Throws: As `perform`.
    public func check(_ verb: String, _ values: ArgumentValues, on screen: String? = nil) async throws {
        let command = try catalog.command(verb, on: screen)
        let entry = try catalog.entry(named: command.screen)
        var values = values
        for spec in command.verb.arguments where spec.kind == .secret && spec.isRequired {
            values[spec.name] = values[spec.name] ?? .text("")
        }
        let intent = try entry.prepare(verb, values)
        try await intent.check(openScene(of: entry).presentation)
    }

    // MARK: Navigation

    /// Opens a screen in front, with a typed parameter.
    ///
    /// - Parameter onFinish: Receives the screen's outcome, if it has one.
    public func open<S: Screen>(
        _ screen: S.Type, with parameter: S.Parameter, onFinish: @escaping @MainActor (S.Outcome) -> Void = { _ in }
    ) throws {
        try open(screen, with: parameter, parent: nil, onFinish: onFinish)
    }

    /// Shares the presentation of a screen with another session, behind all others, so that the front screen stays.
    ///
    /// - Returns: Whether the screen is open in this session now.
    @discardableResult
    public func join(_ screen: String) -> Bool {
        if state(of: screen) != nil { return true }
        guard let common = shared.presentation(of: screen) else { return false }
        do { try insert(Scene(Scene.ID(), common, parent: nil), at: scenes.startIndex) } catch { report(error) }
        return true
    }

    /// Opens a screen behind all others, as its controller begins, unless it is open.
    ///
    /// - Throws: `Failure` of category `usage` when there is no such screen.
    public func prepare(_ screen: String) throws { _ = try openScene(of: catalog.entry(named: screen)) }

    /// Closes the screen in front, if another one is left to be in front: its opener, else the one seen before.
    @discardableResult
    public func goBack() -> Bool {
        guard scenes.count(where: { !$0.isNested }) > 1, let scene = scenes.last else { return false }
        return close(scene.id)
    }

    /// Ends the session: all its screens are closed, their presentations unloaded unless another session shares them.
    public func end() {
        for scene in front { scene.presentation.disappear() }
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

    /// Closes a screen with its children. False when it isn't open.
    func close(_ id: Scene.ID) -> Bool {
        guard let closing = scenes.first(where: { $0.id == id }) else { return false }
        for child in scenes.filter({ $0.parent == id }) { _ = close(child.id) }
        changeFront {
            scenes.removeAll { $0 === closing }
            if let parent = scenes.firstIndex(where: { $0.id == closing.parent }) {
                scenes.append(scenes.remove(at: parent))
            }
        }
        closing.end()
        return true
    }

    /// The scene of a screen that is nearest to the front, else a new one behind all others: of the presentation that
    /// another session shares, if one does.
    private func openScene(of entry: Catalog.Entry) throws -> Scene {
        let name = entry.description.name
        if let open = scenes.last(where: { $0.presentation.screenName == name }) { return open }
        let common = shared.presentation(of: name).map { Scene(Scene.ID(), $0, parent: nil) }
        let scene = try common ?? entry.makeScene(self, nil)
        shared.add(scene.presentation)
        try insert(scene, at: scenes.startIndex)
        return scene
    }

    /// Adds a scene, and those of the screens that its screen contains.
    private func insert(_ scene: Scene, at index: Int) throws {
        for factory in factories { scene.attach(factory) }
        changeFront { scenes.insert(scene, at: index) }
        for name in try catalog.entry(named: scene.presentation.screenName).description.children {
            let common = shared.presentation(of: name).map {
                Scene(Scene.ID(), $0, parent: scene.id, isNested: true)
            }
            let child = try common ?? catalog.entry(named: name).makeScene(self, scene.id)
            shared.add(child.presentation)
            try insert(child, at: scenes.firstIndex { $0 === scene } ?? scenes.startIndex)
        }
    }

    /// The presentations that the screen of a presentation contains, in the order of `Screen.children`.
    public func children(of presentation: any AnyPresentation) -> [any AnyPresentation] {
        guard let scene = scenes.last(where: { $0.presentation === presentation }) else { return [] }
        return scenes.filter { $0.isNested && $0.parent == scene.id }.map(\.presentation)
    }

    /// The scene that a scene is shown in: itself, unless it is nested.
    private func container(of scene: Scene) -> Scene {
        guard scene.isNested, let parent = scenes.first(where: { $0.id == scene.parent }) else { return scene }
        return container(of: parent)
    }

    /// The scene in front with those that it contains.
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
        let before = front
        change()
        let now = front
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

    /// Attaches a medium: its views are made for every screen that is open in this session, and for those to come.
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

/// What sessions that share presentations have in common. It keeps nothing alive: a presentation lives for as long as one
/// session holds it.
@MainActor
private final class PresentationPool {
    private struct Weak {
        weak var presentation: (any AnyPresentation)?
    }

    private var held: [String: Weak] = [:]

    /// The presentation of a screen that some session has open.
    func presentation(of screen: String) -> (any AnyPresentation)? {
        guard let presentation = held[screen]?.presentation, !presentation.isUnloaded else { return nil }
        return presentation
    }

    func add(_ presentation: any AnyPresentation) { held[presentation.screenName] = Weak(presentation: presentation) }
}
