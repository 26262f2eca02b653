public import ControllerKit

/// Renders the state of one screen as HTML, and describes its page. A screen without a renderer is shown by its
/// outline.
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
    let shownOnce: @Sendable (Screen.State, PageFrame) -> String?
    let content: @Sendable (Screen.State, PageFrame) -> String?

    /// Creates the renderer of a screen.
    ///
    /// - Parameters:
    ///   - title: The title of the screen.
    ///   - place: The place of the link to the screen.
    ///   - key: The key that opens the screen from every page.
    ///   - keys: Further keys on the screen's own page.
    ///   - placed: The verbs whose forms the content contains.
    ///   - reading: Returns the verb that an address with these parameters performs; nil: none, the state is shown.
    ///   - isBlank: Whether nothing was read yet in a state, as when a prompt has opened the screen with `add`.
    ///   - bases: Returns the present contents of a form's fields if the form is about the content of the state.
    ///   - subject: Returns the subject of the state for the heading and the window's title; nil: the screen's title.
    ///   - asks: Returns the question of a state if a verb failed because something is missing; nil: none.
    ///   - document: Returns a text of the state for a download.
    ///   - shownOnce: Returns HTML that is shown only by the page after a form, below the verb's notice; nil: none. Use it
    ///     for what a reload must not show again, such as a new secret.
    ///   - content: Returns the state as HTML; nil: its outline is shown.
    public init(
        _ screen: Screen.Type, title: String, place: WebPlace = .top, key: Character? = nil, keys: [PageKey] = [],
        placed: Set<String> = [],
        reading: @escaping @Sendable (Parameters) -> PageReading? = { _ in nil },
        isBlank: @escaping @Sendable (Screen.State) -> Bool = { _ in false },
        bases: @escaping @Sendable (Screen.State, Parameters) -> [String: String] = { _, _ in [:] },
        subject: @escaping @Sendable (Screen.State) -> String? = { _ in nil },
        asks: @escaping @Sendable (Screen.State) -> WebQuestion? = { _ in nil },
        document: @escaping @Sendable (Screen.State) -> WebDocument? = { _ in nil },
        shownOnce: @escaping @Sendable (Screen.State, PageFrame) -> String? = { _, _ in nil },
        content: @escaping @Sendable (Screen.State, PageFrame) -> String?
    ) {
        (self.title, self.place, self.key, self.keys) = (title, place, key, keys)
        (self.placed, self.reading) = (placed, reading)
        (self.isBlank, self.bases, self.subject, self.asks) = (isBlank, bases, subject, asks)
        (self.document, self.shownOnce, self.content) = (document, shownOnce, content)
    }
}

/// The place of the link to a screen. New cases may be added.
public enum WebPlace: Sendable {
    /// In the head, before the links to screens that are used rarely.
    case top
    /// In the head, after those of `top`.
    case further
    /// Only in the contents of other screens.
    case elsewhere
}

/// A keyboard shortcut on the page of a screen. The script itself knows only `?`, which shows the list of keys.
public struct PageKey: Sendable {
    let key: Character
    let meaning: String
    let action: Action

    /// The action of a key. Elements are named by CSS selectors. New cases may be added.
    public enum Action: Sendable {
        /// Opens an address.
        case open(String)
        /// Focuses an element.
        case focus(String)
        /// Focuses the element of the next row, or the first one.
        case next(String, row: String)
        /// Focuses the element of the previous row.
        case previous(String, row: String)
        /// Clicks an element of the row with the focus.
        case click(String, row: String)
    }

    /// Creates a shortcut.
    ///
    /// - Parameter meaning: The text in the list of keys.
    public init(_ key: Character, _ meaning: String, _ action: Action) {
        (self.key, self.meaning, self.action) = (key, meaning, action)
    }
}

/// A question to the user, in a sentence.
public struct WebQuestion: Equatable, Sendable {
    let text: String
    /// Whether it is asked because the input was rejected.
    let isRefusal: Bool

    /// Creates a question.
    public init(_ text: String, isRefusal: Bool = false) { (self.text, self.isRefusal) = (text, isRefusal) }
}

/// A text for a download.
public struct WebDocument: Equatable, Sendable {
    let name: String
    let text: String

    /// Creates a document.
    ///
    /// - Parameter name: The end of the file name, `export.txt` for `shelf-export.txt`.
    public init(name: String, text: String) { (self.name, self.text) = (name, text) }
}

/// A verb that changes nothing, with its arguments, so that an address can name it.
public struct PageReading: Sendable {
    let verb: String
    let values: ArgumentValues

    /// Creates a reading.
    public init(verb: String, values: ArgumentValues) { (self.verb, self.values) = (verb, values) }
}

/// The parts of a screen's renderer that don't depend on its state.
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

/// The page renderers of a catalogue.
@MainActor
struct WebRenderers: Sendable {
    private let catalog: Catalog
    nonisolated private let looks: [String: any WebLook]

    init(_ catalog: Catalog) {
        self.catalog = catalog
        looks = Dictionary(catalog.renderers.compactMap { $0 as? any WebLook }.map { ($0.screenName, $0) }) { $1 }
    }

    /// Returns the parts of a renderer that don't depend on the state; nil if the screen has no renderer.
    nonisolated subscript(screen: String) -> (any WebLook)? { looks[screen] }

    /// Returns the renderer of a screen; nil if it has none.
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
