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
    /// All verbs with their screens, in the order of the screens.
    public let commands: [ScreenVerb]
    /// How screens are shown better than plainly, in the order in which they were added.
    public private(set) var renderers: [any ScreenRenderer] = []

    /// A catalogue of these screens. Their names must be unique, and so must the names of the verbs of one screen. A verb that
    /// two screens have is said with its screen.
    public init(_ entries: [Entry]) throws(CatalogError) {
        screens = entries.map(\.description)
        self.entries = try Self.index(entries.map { ($0.description.name, $0) })
        for screen in screens { _ = try Self.index(screen.verbs.map { ($0.name, $0) }) }
        for screen in screens { try Self.checkChildren(of: screen, in: self.entries, within: []) }
        let counts = Dictionary(screens.flatMap(\.verbs).map { ($0.name, 1) }, uniquingKeysWith: +)
        commands = screens.flatMap { screen in
            screen.verbs.map { ScreenVerb(screen: screen.name, verb: $0, isUnique: counts[$0.name] == 1) }
        }
    }

    /// Which screen a session begins with, by the program's state; nil: none in particular.
    public private(set) var first: @MainActor @Sendable () async -> FirstScreen? = { nil }

    /// The catalogue, with a rule for the screen that sessions begin with: conflicts that wait, for instance.
    public func beginning(_ first: @escaping @MainActor @Sendable () async -> FirstScreen?) -> Catalog {
        var catalog = self
        catalog.first = first
        return catalog
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

    /// The verb of this name.
    ///
    /// - Parameter screen: The screen that has it; nil: the only one that does.
    /// - Throws: `Failure` of category `usage` if there is none, or if several screens have it.
    public func command(_ verb: String, on screen: String? = nil) throws(Failure) -> ScreenVerb {
        let found = commands.filter { $0.verb.name == verb }
        if let one = found.first(where: { screen == nil ? found.count == 1 : $0.screen == screen }) { return one }
        guard let first = found.first else { throw Failure(.usage, "Unknown command “\(verb)”.") }
        guard found.count == 1 else {
            let names = found.map { "“\($0.spelling)”" }.joined(separator: " or ")
            throw Failure(.usage, "Several screens have the command “\(verb)”. Use \(names).")
        }
        throw Failure(.usage, "“\(verb)” belongs to the screen “\(first.screen)”.")
    }

    /// The JSON Schema of what a screen of this name shows; nil when there is none. It says nothing but “an object” where
    /// the state's decoding can't be followed.
    public func stateSchema(of screen: String) -> StateSchema? { entries[screen]?.stateSchema() }

    func entry(named screen: String) throws(Failure) -> Entry {
        guard let entry = entries[screen] else { throw Failure(.usage, "Unknown screen “\(screen)”.") }
        return entry
    }

    /// Refuses a child that isn't in the catalogue, and a screen that contains itself.
    private static func checkChildren(
        of screen: ScreenDescription, in entries: [String: Entry], within parents: [String]
    ) throws(CatalogError) {
        for name in screen.children {
            guard let child = entries[name], name != screen.name, !parents.contains(name) else {
                throw .childUnusable(name)
            }
            try checkChildren(of: child.description, in: entries, within: parents + [screen.name])
        }
    }

    private static func index<Value>(_ pairs: [(String, Value)]) throws(CatalogError) -> [String: Value] {
        var index: [String: Value] = [:]
        for (name, value) in pairs {
            guard index.updateValue(value, forKey: name) == nil else { throw CatalogError.nameTaken(name) }
        }
        return index
    }
}

/// A mistake in a catalogue, noticed when the program starts. New cases may be added.
public enum CatalogError: Error, Equatable {
    /// Two screens, or two verbs of one screen, have this name.
    case nameTaken(String)
    /// A screen contains this one, which isn't in the catalogue, or contains the first one itself.
    case childUnusable(String)
    /// A verb has the name of a command of a front end, so that it couldn't be said there.
    case nameReserved(String)
}

/// A verb of one screen of a catalogue.
public struct ScreenVerb: Sendable, Equatable {
    /// The screen's name.
    public let screen: String
    /// The verb.
    public let verb: VerbSignature
    /// How it is said in a line: `close`, or `shelf close` where another screen has a verb of the same name.
    public let spelling: String

    init(screen: String, verb: VerbSignature, isUnique: Bool) {
        (self.screen, self.verb) = (screen, verb)
        spelling = isUnique ? verb.name : "\(screen) \(verb.name)"
    }

    /// The verb under the name that is said in a line, for usage, help and messages.
    public var spelled: VerbSignature { verb.named(spelling) }
}

/// What adapters know about a screen without its types.
public struct ScreenDescription: Sendable, Equatable {
    /// `Screen.name`.
    public let name: String
    /// `Screen.summary`.
    public let summary: String
    /// What can be said on it.
    public let verbs: [VerbSignature]
    /// The names of the screens that it contains.
    public let children: [String]
}

extension Catalog {
    /// A screen, and how its controller is made.
    @MainActor
    public struct Entry {
        let description: ScreenDescription
        /// Makes the intent of a verb; throws what is wrong with its arguments, before anything is opened for them.
        let prepare: @MainActor (_ verb: String, ArgumentValues) throws(Failure) -> PreparedIntent
        /// The schema of the screen's state.
        let stateSchema: @MainActor () -> StateSchema
        /// Makes the screen's scene in a session, with the default parameter unless an opener prepared one.
        let makeScene: @MainActor (Coordinator, _ parent: Scene.ID?) throws -> Scene
        /// How the controller is made: a `Factory` of the screen's type; only `makeScene` asks for it.
        let factory: any Sendable

        /// A screen with its controller.
        ///
        /// - Parameters:
        ///   - opensWith: The parameter when a verb opens the screen and no opener prepared one.
        ///   - schemaInfo: What the decoding of the state may ask its decoder for when the schema is made.
        ///   - make: Makes the controller, from the services it captures and from what the opener prepared.
        public static func screen<S: Screen>(
            _ screen: S.Type, opensWith parameter: S.Parameter,
            schemaInfo: [CodingUserInfoKey: any Sendable] = [:],
            make: @escaping @MainActor (Opening<S>) -> any Controller<S>
        ) -> Entry {
            Entry(
                description: ScreenDescription(
                    name: S.name, summary: S.summary, verbs: S.verbs.map(\.signature),
                    children: S.children.map { $0.name }),
                prepare: { verb, values throws(Failure) in PreparedIntent(try S.intent(verb, values), of: screen) },
                stateSchema: { (try? StateSchema(of: S.State.self, userInfo: schemaInfo)) ?? .anyObject },
                makeScene: { try $0.makeScene(S.self, with: parameter, parent: $1, isNested: $1 != nil) },
                factory: Factory(make: make))
        }

        /// A screen that needs no parameter.
        public static func screen<S: Screen>(
            _ screen: S.Type, schemaInfo: [CodingUserInfoKey: any Sendable] = [:],
            make: @escaping @MainActor (Opening<S>) -> any Controller<S>
        ) -> Entry where S.Parameter == Void {
            .screen(screen, opensWith: (), schemaInfo: schemaInfo, make: make)
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

/// An intent of some screen that waits for its presentation.
@MainActor
struct PreparedIntent {
    /// Has a presentation of the screen carry it out, see `Presentation.send`.
    let send: @MainActor (any AnyPresentation) async throws -> Void
    /// Has a presentation of the screen check it, see `Presentation.check`.
    let check: @MainActor (any AnyPresentation) async throws -> Void

    init<S: Screen>(_ intent: S.Intent, of screen: S.Type) {
        send = { try await Self.presentation($0, of: screen).send(intent) }
        check = { try await Self.presentation($0, of: screen).check(intent) }
    }

    private static func presentation<S: Screen>(
        _ presentation: any AnyPresentation, of screen: S.Type
    ) throws(Failure) -> Presentation<S> {
        guard let presentation = presentation as? Presentation<S> else {
            throw Failure(.failed, "“\(S.name)” is the name of another screen.")
        }
        return presentation
    }
}
