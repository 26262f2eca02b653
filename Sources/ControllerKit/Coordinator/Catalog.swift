/// All screens of a program, each with the way to make its controller: the composition root's list.
///
/// A catalogue is made once; every view session has a `Coordinator` of its own over it.
///
///     let catalog = try Catalog([
///         .screen(ListScreen.self) { _ in ListController(cache) },
///         .screen(DetailScreen.self, opensWith: nil) { DetailController($0.parameter, cache) },
///     ])
@MainActor
public struct Catalog {
    /// The screens, in the order of registration.
    public let screens: [ScreenDescription]
    private let entries: [String: Entry]
    private let screenNamesByVerb: [String: String]
    /// How screens are shown better than plainly, in the order in which they were added.
    public private(set) var renderers: [any ScreenRenderer] = []

    /// Takes the screens in; names of screens and of verbs must be unique, so that a verb says which screen is meant.
    public init(_ entries: [Entry]) throws(CatalogError) {
        screens = entries.map(\.description)
        self.entries = try Self.index(entries.map { ($0.description.name, $0) })
        screenNamesByVerb = try Self.index(
            screens.flatMap { screen in screen.verbs.map { ($0.name, screen.name) } })
    }

    /// The catalogue with renderers; one that is added later replaces an earlier one for the same screen and medium.
    public func shown(by renderers: [any ScreenRenderer]) -> Catalog {
        var catalog = self
        catalog.renderers += renderers
        return catalog
    }

    /// The renderer of this type, which names the screen and the medium; nil: the screen is shown plainly there.
    public func renderer<Renderer: ScreenRenderer>(_ type: Renderer.Type = Renderer.self) -> Renderer? {
        renderers.lazy.reversed().compactMap { $0 as? Renderer }.first
    }

    /// All verbs, in the order of the screens.
    public var verbs: [VerbSignature] { screens.flatMap(\.verbs) }

    /// The verb of this name.
    public func verb(named name: String) -> VerbSignature? { verbs.first { $0.name == name } }

    /// The JSON Schema of what a screen of this name shows; nil when there is none. It says nothing but “an object” where
    /// the state's decoding can't be followed.
    public func stateSchema(of screen: String) -> StateSchema? { entries[screen]?.stateSchema() }

    func entry(ofVerb verb: String) throws(Failure) -> Entry {
        guard let screen = screenNamesByVerb[verb] else { throw Failure(.usage, "There is no command “\(verb)”.") }
        return try entry(named: screen)
    }

    func entry(named screen: String) throws(Failure) -> Entry {
        guard let entry = entries[screen] else { throw Failure(.usage, "There is no screen “\(screen)”.") }
        return entry
    }

    private static func index<Value>(_ pairs: [(String, Value)]) throws(CatalogError) -> [String: Value] {
        var index: [String: Value] = [:]
        for (name, value) in pairs {
            guard index.updateValue(value, forKey: name) == nil else { throw CatalogError.nameTaken(name) }
        }
        return index
    }
}

/// A mistake in a catalogue, noticed when the program starts.
public enum CatalogError: Error, Equatable {
    /// Two screens, or two verbs of any screens, have this name.
    case nameTaken(String)
}

/// What adapters know about a screen without its types.
public struct ScreenDescription: Sendable, Equatable {
    /// `Screen.name`.
    public let name: String
    /// `Screen.summary`.
    public let summary: String
    /// What can be said on it.
    public let verbs: [VerbSignature]
}

extension Catalog {
    /// A screen, and how its controller is made.
    @MainActor
    public struct Entry {
        let description: ScreenDescription
        /// Throws what is wrong with a verb's arguments, before anything is opened for them.
        let check: @MainActor (_ verb: String, ArgumentValues) throws(Failure) -> Void
        /// The schema of the screen's state.
        let stateSchema: @MainActor () -> StateSchema
        /// Makes the screen's scene in a session, with the parameter it has when nobody prepares one.
        let makeScene: @MainActor (Coordinator) throws -> Scene
        /// How the controller is made: a `Factory` of the screen's type; only `makeScene` asks for it.
        let factory: any Sendable

        /// A screen with its controller.
        ///
        /// - Parameters:
        ///   - opensWith: The parameter when a verb opens the screen and nobody prepared one.
        ///   - make: Makes the controller, from the services it captures and from what the opener prepared.
        public static func screen<S: Screen>(
            _ screen: S.Type, opensWith parameter: S.Parameter,
            make: @escaping @MainActor (Opening<S>) -> any Controller<S>
        ) -> Entry {
            Entry(
                description: ScreenDescription(
                    name: S.name, summary: S.summary, verbs: S.verbs.map(\.signature)),
                check: { verb, values throws(Failure) in _ = try S.intent(verb, values) },
                stateSchema: { (try? StateSchema(of: S.State.self)) ?? .anyObject },
                makeScene: { try $0.makeScene(S.self, with: parameter) },
                factory: Factory(make: make))
        }

        /// A screen that needs no parameter.
        public static func screen<S: Screen>(
            _ screen: S.Type, make: @escaping @MainActor (Opening<S>) -> any Controller<S>
        ) -> Entry where S.Parameter == Void {
            .screen(screen, opensWith: (), make: make)
        }
    }

    struct Factory<S: Screen>: Sendable {
        let make: @MainActor (Opening<S>) -> any Controller<S>
    }

    func factory<S: Screen>(for screen: S.Type) throws(Failure) -> Factory<S> {
        guard let factory = try entry(named: S.name).factory as? Factory<S> else {
            throw Failure(.failed, "“\(S.name)” is the name of another screen.")
        }
        return factory
    }
}
