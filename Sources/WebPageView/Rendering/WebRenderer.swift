public import ControllerKit

/// How one screen is shown on a page, besides its verbs and its state; a screen without one is shown plainly.
///
///     static let renderer = WebRenderer(UndoScreen.self, title: "Undo", placed: ["undo", "redo"]) { state, frame in
///         frame.templates.html("undo", UndoModel(state, frame))
///     }
public struct WebRenderer<Screen: ControllerKit.Screen>: ScreenRenderer {
    let title: String
    let place: WebPlace
    let key: Character?
    let keys: [PageKey]
    let placed: Set<String>
    let reading: @Sendable (Parameters) -> PageReading?
    let isBlank: @Sendable (Screen.State) -> Bool
    let bases: @Sendable (Screen.State, Parameters) -> [String: String]
    let subject: @Sendable (Screen.State) -> String?
    let asks: @Sendable (Screen.State) -> WebQuestion?
    let document: @Sendable (Screen.State) -> WebDocument?
    let content: @Sendable (Screen.State, PageFrame) -> String?

    /// The renderer of a screen.
    ///
    /// - Parameters:
    ///   - title: What the page calls the screen.
    ///   - place: Where the link to the screen is.
    ///   - key: The key that leads to the screen from every page.
    ///   - keys: Further keys on the screen's own page.
    ///   - placed: The verbs that the content has forms for.
    ///   - reading: What is asked for when a browser goes to the screen by an address; nil: nothing, its state is shown.
    ///   - isBlank: Whether a state is one in which nothing was read yet, as of a screen that a session opened by adding
    ///     something.
    ///   - bases: What the fields of a form begin with by now, if the form is about what the state shows.
    ///   - subject: What the state is about, for the heading and the window's title; nil: the screen alone.
    ///   - asks: What the state asks the person for, when a verb failed because that is missing; nil: nothing.
    ///   - document: A text of the state that can be kept as a file.
    ///   - content: The state as HTML; nil: plainly.
    public init(
        _ screen: Screen.Type, title: String, place: WebPlace = .top, key: Character? = nil, keys: [PageKey] = [],
        placed: Set<String> = [],
        reading: @escaping @Sendable (Parameters) -> PageReading? = { _ in nil },
        isBlank: @escaping @Sendable (Screen.State) -> Bool = { _ in false },
        bases: @escaping @Sendable (Screen.State, Parameters) -> [String: String] = { _, _ in [:] },
        subject: @escaping @Sendable (Screen.State) -> String? = { _ in nil },
        asks: @escaping @Sendable (Screen.State) -> WebQuestion? = { _ in nil },
        document: @escaping @Sendable (Screen.State) -> WebDocument? = { _ in nil },
        content: @escaping @Sendable (Screen.State, PageFrame) -> String?
    ) {
        (self.title, self.place, self.key, self.keys) = (title, place, key, keys)
        (self.placed, self.reading) = (placed, reading)
        (self.isBlank, self.bases, self.subject, self.asks) = (isBlank, bases, subject, asks)
        (self.document, self.content) = (document, content)
    }
}

/// Where the link to a screen is. New cases may be added.
public enum WebPlace: Sendable {
    /// Among the links at the top, before those to screens of rarer use.
    case top
    /// Behind them.
    case further
    /// In the contents of other screens.
    case elsewhere
}

/// A key that is a shortcut on the page of a screen. The page's script knows no key but `?`, which shows them all.
public struct PageKey: Sendable {
    let key: Character
    let meaning: String
    let action: Action

    /// What a key does. Elements are named by CSS selectors.
    public enum Action: Sendable {
        /// Goes to an address.
        case open(String)
        /// Gives an element the focus.
        case focus(String)
        /// Gives the focus to the element of the next row, or the first one.
        case next(String, row: String)
        /// Gives the focus to the element of the row before.
        case previous(String, row: String)
        /// Clicks an element of the row that has the focus.
        case click(String, row: String)
    }

    /// A key.
    ///
    /// - Parameter meaning: What it does, for the list of keys.
    public init(_ key: Character, _ meaning: String, _ action: Action) {
        (self.key, self.meaning, self.action) = (key, meaning, action)
    }
}

/// What is asked of a person, in a sentence.
public struct WebQuestion: Equatable, Sendable {
    let text: String
    /// Whether it is asked because what was given is wrong.
    let isRefusal: Bool

    /// A question.
    public init(_ text: String, isRefusal: Bool = false) { (self.text, self.isRefusal) = (text, isRefusal) }
}

/// A text with the name of its file.
public struct WebDocument: Equatable, Sendable {
    let name: String
    let text: String

    /// A document.
    public init(name: String, text: String) { (self.name, self.text) = (name, text) }
}

/// A verb that shows something and changes nothing, so that an address may name it.
public struct PageReading: Sendable {
    let verb: String
    let values: ArgumentValues

    /// A verb with its arguments.
    public init(verb: String, values: ArgumentValues) { (self.verb, self.values) = (verb, values) }
}

/// The parts of a screen's page that don't depend on its state, by the screen's name.
protocol WebLook: Sendable {
    var screenName: String { get }
    var title: String { get }
    var place: WebPlace { get }
    var key: Character? { get }
    var keys: [PageKey] { get }
    var placed: Set<String> { get }
    var reading: @Sendable (Parameters) -> PageReading? { get }
}

extension WebRenderer: WebLook {
    var screenName: String { Screen.name }
}

/// The renderers of a catalogue for pages, and what they say of the state of a presentation.
@MainActor
struct WebRenderers: Sendable {
    private let catalog: Catalog
    nonisolated private let looks: [String: any WebLook]

    init(_ catalog: Catalog) {
        self.catalog = catalog
        looks = Dictionary(catalog.renderers.compactMap { $0 as? any WebLook }.map { ($0.screenName, $0) }) { $1 }
    }

    /// What doesn't depend on the state of a screen; nil: it has no renderer.
    nonisolated subscript(screen: String) -> (any WebLook)? { looks[screen] }

    /// The renderer of a screen; nil: it is shown plainly.
    func renderer<S: Screen>(of screen: S.Type) -> WebRenderer<S>? { catalog.renderer() }

    func isBlank<P: AnyPresentation>(_ presentation: P) -> Bool {
        renderer(of: P.PresentedScreen.self)?.isBlank(presentation.state) ?? false
    }

    func document<P: AnyPresentation>(of presentation: P) -> WebDocument? {
        renderer(of: P.PresentedScreen.self)?.document(presentation.state)
    }

    func bases<P: AnyPresentation>(of presentation: P, _ parameters: Parameters) -> [String: String] {
        renderer(of: P.PresentedScreen.self)?.bases(presentation.state, parameters) ?? [:]
    }

    func question<P: AnyPresentation>(of presentation: P) -> WebQuestion? {
        renderer(of: P.PresentedScreen.self)?.asks(presentation.state)
    }
}
