/// The contract between a controller and its views: what is shown, what can be done, and in which words.
///
/// A screen is a type without instances, usually an enum. Views and controllers know the screen and never each other.
public protocol Screen: SendableMetatype {
    /// What a view shows: an immutable value, the data source of all views.
    associatedtype State: ScreenState
    /// What the person did, in the person's words; usually an enum.
    associatedtype Intent: Sendable
    /// What the one who opens the screen prepares for it; nothing unless stated.
    associatedtype Parameter: Sendable = Void
    /// What the screen hands to the one who opened it when it is finished; nothing unless stated.
    associatedtype Outcome: Sendable = Never

    /// The screen's name for programs, unique in a catalogue: `list`.
    static var name: String { get }
    /// What the screen is for, in one sentence.
    static var summary: String { get }
    /// The screens that it contains: each is open as long as this one, shown within it, and driven by its own verbs. None
    /// unless stated.
    static var children: [any Screen.Type] { get }
    /// How each intent is said. Grammars, help, completion, schemas and forms derive from these.
    static var verbs: [Verb<Intent>] { get }
}

extension Screen {
    public static var children: [any Screen.Type] { [] }

    /// The intent that a verb of this screen makes of these values.
    ///
    /// - Throws: `Failure` of category `usage`.
    static func intent(_ verb: String, _ values: ArgumentValues) throws(Failure) -> Intent {
        guard let verb = verbs.first(where: { $0.signature.name == verb }) else {
            throw Failure(.usage, "“\(name)” has no command “\(verb)”.")
        }
        return try verb.intent(from: values)
    }
}

/// What a view shows, all of it: derived facts (`isValid`) are stored in it, secrets never are.
///
/// A list's state is a window of rows and a total, never all rows.
public protocol ScreenState: Codable, Equatable, Sendable {
    /// What just happened, in plain words; nil when there is nothing to say. A controller clears it with the next intent.
    var notice: String? { get }
    /// What a script must know when the intent was done and shows that something is wrong: the status of a one-shot command.
    /// Nil unless stated: nothing is wrong.
    var shortcoming: Failure.Category? { get }
    /// How far the work is that the last intent asked for; nil: none is under way, or it is short. Nil unless stated.
    var progress: WorkProgress? { get }
}

extension ScreenState {
    public var notice: String? { nil }
    /// The name of `notice` among the members of a state.
    public static var noticeMember: String { "notice" }
    public var shortcoming: Failure.Category? { nil }
    public var progress: WorkProgress? { nil }
}

/// How one screen is shown in one medium. A medium's module declares the type of its renderers (`LineRenderer`,
/// `WebRenderer`); the catalogue keeps them, so that a view finds the one of its screen with the right type of state.
public protocol ScreenRenderer<Screen>: Sendable {
    /// The screen that it shows.
    associatedtype Screen: ControllerKit.Screen
}

/// How far a long work is, so that every view can show it. (Foundation has a `Progress` of its own.)
public struct WorkProgress: Codable, Equatable, Sendable {
    /// What is being done, as a heading: `Importing`.
    public var what: String
    /// How much of it is done, in records; it never falls while `what` stays.
    public var done: Int
    /// The total amount; nil: it isn't known yet.
    public var total: Int?

    /// A work that is so far.
    public init(_ what: String, _ done: Int = 0, of total: Int? = nil) {
        (self.what, self.done, self.total) = (what, done, total)
    }
}
