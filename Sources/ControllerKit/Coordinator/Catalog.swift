/// All screens of a program, each with a factory for its controller.
///
/// The composition root creates one catalogue; each view session has its own `Coordinator` for it.
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
    /// The renderers of the screens, in the order in which they were added.
    private var rendererGroups: [ScreenRendererGroup] = []

    /// Creates a catalogue. The names of the screens must be unique, and so must the names of the verbs of one screen.
    /// A line names the screen of a verb that several screens have.
    ///
    /// - Throws: `CatalogError` if a name is used twice or a child can't be used.
    public init(_ entries: [Entry]) throws(CatalogError) {
        screens = entries.map(\.description)
        self.entries = try Self.index(entries.map { ($0.description.name, $0) })
        // The index isn't used: creating it checks that the names are unique.
        for screen in screens { _ = try Self.index(screen.verbs.map { ($0.name, $0) }) }
        for screen in screens { try Self.checkChildren(of: screen, in: self.entries, within: []) }
        let counts = Dictionary(screens.flatMap(\.verbs).map { ($0.name, 1) }, uniquingKeysWith: +)
        commands = screens.flatMap { screen in
            screen.verbs.map { ScreenVerb(screen: screen.name, verb: $0, isUnique: counts[$0.name] == 1) }
        }
    }

    /// Determines the screen that a session begins with from the program's state; nil: no particular one.
    public private(set) var first: @MainActor @Sendable () async -> FirstScreen? = { nil }

    /// Returns the catalogue with a rule for the screen that sessions begin with, for example unresolved conflicts.
    public func beginning(_ first: @escaping @MainActor @Sendable () async -> FirstScreen?) -> Catalog {
        var catalog = self
        catalog.first = first
        return catalog
    }

    /// Returns the catalogue with more renderers. A later one replaces an earlier one for the same screen and medium.
    public func shown(by renderers: [ScreenRendererGroup]) -> Catalog {
        var catalog = self
        catalog.rendererGroups += renderers
        return catalog
    }

    /// All renderers, in the order in which they were added. They are created at each call.
    public var renderers: [any ScreenRenderer] { rendererGroups.flatMap { $0.make() } }

    /// Returns the renderer of a type, which determines screen and medium; nil: the medium shows the screen's outline.
    public func renderer<Renderer: ScreenRenderer>(_ type: Renderer.Type = Renderer.self) -> Renderer? {
        rendererGroups.lazy.reversed().filter { $0.screen == Renderer.Screen.name }
            .flatMap { $0.make().reversed() }.compactMap { $0 as? Renderer }.first
    }

    /// Returns the verb with a name.
    ///
    /// - Parameter screen: The screen that has it; nil: the only screen that has such a verb.
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

    /// Returns the JSON Schema of a screen's state; nil: there is no such screen. The schema is `anyObject` if the
    /// state's decoding can't be followed.
    public func stateSchema(of screen: String) -> StateSchema? { entries[screen]?.stateSchema() }

    func entry(named screen: String) throws(Failure) -> Entry {
        guard let entry = entries[screen] else { throw Failure(.usage, "Unknown screen “\(screen)”.") }
        return entry
    }

    /// Throws for a child that isn't in the catalogue and for a screen that contains itself: opening it would not end.
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

/// A mistake in a catalogue, detected when the program starts. New cases may be added.
public enum CatalogError: Error, Equatable {
    /// Two screens, or two verbs of one screen, have this name.
    case nameTaken(String)
    /// A screen contains the screen with this name, which isn't in the catalogue or contains the first one.
    case childUnusable(String)
    /// A verb has the name of a command of a front end, which could not perform the verb.
    case nameReserved(String)
}

/// A verb of one screen of a catalogue.
public struct ScreenVerb: Sendable, Equatable {
    /// The screen's name.
    public let screen: String
    /// The verb.
    public let verb: VerbSignature
    /// How it is written in a line: `close`, or `shelf close` if another screen has a verb with the same name.
    public let spelling: String

    init(screen: String, verb: VerbSignature, isUnique: Bool) {
        (self.screen, self.verb) = (screen, verb)
        spelling = isUnique ? verb.name : "\(screen) \(verb.name)"
    }

    /// The verb with its spelling as its name, for usage, help and messages.
    public var spelled: VerbSignature { verb.named(spelling) }
}

/// A description of a screen without its types, for adapters.
public struct ScreenDescription: Sendable, Equatable {
    /// `Screen.name`.
    public let name: String
    /// `Screen.summary`.
    public let summary: String
    /// The signatures of its verbs.
    public let verbs: [VerbSignature]
    /// The names of the screens that it contains.
    public let children: [String]
}

extension Catalog {
    /// A screen with the factory of its controller.
    @MainActor
    public struct Entry {
        let description: ScreenDescription
        /// Creates the intent of a verb. Throws for wrong arguments, before a screen is opened.
        let prepare: @MainActor (_ verb: String, ArgumentValues) throws(Failure) -> PreparedIntent
        /// Creates the schema of the screen's state.
        let stateSchema: @MainActor () -> StateSchema
        /// Creates the screen's scene in a session, with the default parameter.
        let makeScene: @MainActor (Coordinator, _ parent: Scene.ID?) throws -> Scene
        /// The `Factory<S>` of the screen `S`, without its type: an entry isn't generic.
        let factory: any Sendable

        /// Creates the entry of a screen.
        ///
        /// - Parameters:
        ///   - opensWith: The parameter if a verb opens the screen.
        ///   - verbs: The verbs in this program; nil: those of the screen. A screen whose verbs depend on the program
        ///     declares a function for them.
        ///   - schemaInfo: Returns the `userInfo` of the decoder that determines the state's schema; called when the schema
        ///     is created.
        ///   - make: Creates the controller from the services that it captures and the opener's parameter.
        public static func screen<S: Screen>(
            _ screen: S.Type, opensWith parameter: S.Parameter, verbs: [Verb<S.Intent>]? = nil,
            schemaInfo: @escaping @MainActor () -> [CodingUserInfoKey: any Sendable] = { [:] },
            make: @escaping @MainActor (Opening<S>) -> any Controller<S>
        ) -> Entry {
            let verbs = verbs ?? S.verbs
            return Entry(
                description: ScreenDescription(
                    // A closure and not `\.signature`: generic code creates the key path at each call, which is slow.
                    name: S.name, summary: S.summary, verbs: verbs.map { $0.signature },
                    children: S.children.map { $0.name }),
                prepare: { verb, values throws(Failure) in
                    PreparedIntent(try S.intent(verb, values, of: verbs), of: screen)
                },
                // The error is ignored: schemas only describe, and `anyObject` describes every state.
                stateSchema: { (try? StateSchema(of: S.State.self, userInfo: schemaInfo())) ?? .anyObject },
                makeScene: { try $0.makeScene(S.self, with: parameter, parent: $1, isNested: $1 != nil) },
                factory: Factory(make: make))
        }

        /// Creates the entry of a screen without a parameter.
        public static func screen<S: Screen>(
            _ screen: S.Type, verbs: [Verb<S.Intent>]? = nil,
            schemaInfo: @escaping @MainActor () -> [CodingUserInfoKey: any Sendable] = { [:] },
            make: @escaping @MainActor (Opening<S>) -> any Controller<S>
        ) -> Entry where S.Parameter == Void {
            .screen(screen, opensWith: (), verbs: verbs, schemaInfo: schemaInfo, make: make)
        }
    }

    struct Factory<S: Screen>: Sendable {
        let make: @MainActor (Opening<S>) -> any Controller<S>
    }

    func factory<S: Screen>(for screen: S.Type) throws(Failure) -> Factory<S> {
        // Another screen type with the same name is in the catalogue in place of `S`.
        guard let factory = try entry(named: S.name).factory as? Factory<S> else {
            throw Failure(.failed, "“\(S.name)” is the name of another screen.")
        }
        return factory
    }
}

/// An intent without the type of its screen, to be sent to a presentation of it.
@MainActor
struct PreparedIntent {
    /// Performs the intent, see `Presentation.send`.
    let send: @MainActor (any AnyPresentation) async throws -> Void
    /// Checks the intent, see `Presentation.check`.
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
