internal import ControllerKit

/// What the page knows of a screen besides its verbs and its state; a screen without works plainly.
struct WebPolish: Sendable {
    /// The screen's name.
    let screen: String
    /// What the page calls it.
    let title: String
    /// Where the way to the screen stands.
    let place: Place
    /// The verbs that the content has forms for already.
    let placed: Set<String>
    /// What is asked for when somebody goes to the screen by an address; nil: nothing, its state is shown as it is.
    let reading: @Sendable (Parameters) -> PageReading?
    /// Whether a state is one in which nothing was read yet, as of a screen that a session opened by adding something.
    let isBlank: @Sendable (any ScreenState) -> Bool
    /// What the fields of a form begin with by now, if it is about what the state shows.
    let bases: @Sendable (any ScreenState, Parameters) -> [String: String]
    /// What the state is about, for the heading and the window's title; nil: the screen alone.
    let subject: @Sendable (any ScreenState) -> String?
    /// What the state asks the person for, when a verb failed because that is missing; nil: it asks nothing.
    let asks: @Sendable (any ScreenState) -> Question?
    /// The state as HTML; nil: plainly.
    let content: @Sendable (any ScreenState, PageFrame) -> String?
    /// A text of the state that can be kept as a file.
    let document: @Sendable (any ScreenState) -> Document?

    /// Where the way to a screen stands.
    enum Place {
        /// Among the ways at the top, before those to screens of rarer use.
        case top
        /// Behind them.
        case further
        /// In other screens' contents.
        case elsewhere
    }

    /// What is asked of a person, in a sentence.
    struct Question: Equatable {
        let text: String
        /// Whether it is asked because what was given is wrong.
        var isReproach = false
    }

    /// A text with its file's name.
    struct Document: Equatable {
        let name: String
        let text: String
    }

    /// The polish of a screen.
    init<S: Screen>(
        _ screen: S.Type, title: String, place: Place = .top, placed: Set<String> = [],
        reading: @escaping @Sendable (Parameters) -> PageReading? = { _ in nil },
        isBlank: @escaping @Sendable (S.State) -> Bool = { _ in false },
        bases: @escaping @Sendable (S.State, Parameters) -> [String: String] = { _, _ in [:] },
        subject: @escaping @Sendable (S.State) -> String? = { _ in nil },
        asks: @escaping @Sendable (S.State) -> Question? = { _ in nil },
        document: @escaping @Sendable (S.State) -> Document? = { _ in nil },
        content: @escaping @Sendable (S.State, PageFrame) -> String?
    ) {
        self.screen = S.name
        self.title = title
        self.place = place
        self.placed = placed
        self.reading = reading
        self.isBlank = { ($0 as? S.State).map(isBlank) ?? false }
        self.bases = { state, parameters in (state as? S.State).map { bases($0, parameters) } ?? [:] }
        self.subject = { ($0 as? S.State).flatMap(subject) }
        self.asks = { ($0 as? S.State).flatMap(asks) }
        self.document = { ($0 as? S.State).flatMap(document) }
        self.content = { state, frame in (state as? S.State).flatMap { content($0, frame) } }
    }
}

/// A verb that shows something and changes nothing, so that an address may say it.
struct PageReading: Sendable {
    let verb: String
    let values: ArgumentValues
}
