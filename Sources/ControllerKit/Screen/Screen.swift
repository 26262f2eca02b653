/// The contract between a controller and its views: the state, the intents and the verbs.
///
/// A screen is a type without instances, usually an enum. Views and controllers depend on it, never on each other.
public protocol Screen: SendableMetatype {
    /// The immutable value that views show.
    associatedtype State: ScreenState
    /// What a user asks the screen to do, in terms of the domain; usually an enum.
    associatedtype Intent: Sendable
    /// The value that the opener prepares for the screen; by default none.
    associatedtype Parameter: Sendable = Void
    /// The value that a finished screen passes to its opener; by default none.
    associatedtype Outcome: Sendable = Never

    /// The screen's name for programs, unique in a catalogue: `list`.
    static var name: String { get }
    /// The purpose of the screen, in one sentence.
    static var summary: String { get }
    /// The screens that it contains, by default none. Each is open as long as this one, shown within it, and has its
    /// own verbs.
    static var children: [any Screen.Type] { get }
    /// The verbs of the intents. Grammars, help, completion, schemas and forms are derived from them.
    static var verbs: [Verb<Intent>] { get }
}

extension Screen {
    public static var children: [any Screen.Type] { [] }

    /// Creates the intent of one of these verbs from values.
    ///
    /// - Throws: `Failure` of category `usage` for an unknown verb or wrong values.
    static func intent(
        _ verb: String, _ values: ArgumentValues, of verbs: [Verb<Intent>]
    ) throws(Failure) -> Intent {
        guard let verb = verbs.first(where: { $0.signature.name == verb }) else {
            throw Failure(.usage, "“\(name)” has no command “\(verb)”.")
        }
        return try verb.intent(from: values)
    }
}

/// Everything that a view shows. It contains derived facts (`isValid`) and never secrets.
///
/// A list's state is a window of rows and a total, never all rows.
public protocol ScreenState: Codable, Equatable, Sendable {
    /// A message about what happened; nil: none. A controller clears it with the next intent.
    var notice: String? { get }
    /// The category of a failure that the performed intent found, such as a failed check; nil: none, the default. It
    /// sets the exit status of a single command, so that scripts detect it.
    var failureCategory: Failure.Category? { get }
    /// Whether the performed intent has found nothing, if it searches. False by default.
    var hasNoMatches: Bool { get }
    /// The progress of the work of the last intent; nil: there is none or it is short. Nil by default.
    var progress: WorkProgress? { get }
}

extension ScreenState {
    public var notice: String? { nil }
    /// The name of `notice` in the encoded state.
    public static var noticeMember: String { "notice" }
    public var failureCategory: Failure.Category? { nil }
    public var hasNoMatches: Bool { false }
    public var progress: WorkProgress? { nil }
}

/// The renderer of one screen for one medium. A medium's module declares the type of its renderers (`LineRenderer`,
/// `WebRenderer`); the catalogue holds them, and a view finds that of its screen, with the type of its state.
public protocol ScreenRenderer<Screen>: Sendable {
    /// The screen whose state it renders.
    associatedtype Screen: ControllerKit.Screen
}

/// The renderers of one screen. They are created when they are needed: most processes show few screens.
///
///     catalog.shown(by: [ScreenRendererGroup(ShelfScreen.self) { [ShelfLines.renderer, ShelfPage.renderer] }])
public struct ScreenRendererGroup: Sendable {
    let screen: String
    let make: @Sendable () -> [any ScreenRenderer]

    /// Creates the list of a screen's renderers, one for each medium.
    ///
    /// - Parameter make: Creates the renderers. It is called at every lookup, so it must be cheap.
    public init<S: Screen>(_ screen: S.Type, _ make: @escaping @Sendable () -> [any ScreenRenderer<S>]) {
        self.screen = S.name
        self.make = { make() }
    }
}

/// The progress of long work, for all views. (Foundation has a type `Progress`.)
public struct WorkProgress: Codable, Equatable, Sendable {
    /// The work, as a heading: `Importing`.
    public var what: String
    /// The amount done, in records. It never decreases while `what` is the same.
    public var done: Int
    /// The total amount, in records; nil: it isn't known yet.
    public var total: Int?

    /// Creates a progress value.
    public init(_ what: String, _ done: Int = 0, of total: Int? = nil) {
        (self.what, self.done, self.total) = (what, done, total)
    }
}
