public import ControllerKit

/// How one screen is shown in lines, where it should be shown better than plainly. One file per screen.
///
///     static let list = LinePolish(ListScreen.self) { state, page in Table(…).lines(on: page) }
public struct LinePolish: Sendable {
    /// The screen's name.
    let screen: String
    private let layout: @Sendable (any ScreenState, LinePage) -> [String]?
    private let draft: @Sendable (any ScreenState) -> LineDraft?
    private let plain: @Sendable (any ScreenState) -> PlainAnswer?
    private let news: @Sendable (any ScreenState, any ScreenState, LinePage) -> [String]?

    /// The polish of a screen.
    ///
    /// - Parameters:
    ///   - draft: The text that a state asks the person to edit, after a command was refused for want of it.
    ///   - plain: A state for programs; nil: a row for each value, after its path.
    ///   - news: What a person who has seen the first state is told of when it has become the second one by somebody else's
    ///     doing; nil: the lines that are new. What only the person's own edits went through (being sent, for instance)
    ///     is no news.
    ///   - layout: The lines of a state. Texts from outside must be neutralised, by `Table` or
    ///     `String.neutralised`. The state's notice is shown elsewhere.
    public init<S: Screen>(
        _ screen: S.Type, draft: @escaping @Sendable (S.State) -> LineDraft? = { _ in nil },
        plain: @escaping @Sendable (S.State) -> PlainAnswer? = { _ in nil },
        news: (@Sendable (_ seen: S.State, _ now: S.State, LinePage) -> [String])? = nil,
        layout: @escaping @Sendable (S.State, LinePage) -> [String]
    ) {
        self.screen = S.name
        self.layout = { state, page in (state as? S.State).map { layout($0, page) } }
        self.draft = { state in (state as? S.State).flatMap { draft($0) } }
        self.plain = { state in (state as? S.State).flatMap { plain($0) } }
        let news = news ?? { layout($1, $2).new(since: layout($0, $2)) }
        self.news = { seen, now, page in
            guard let seen = seen as? S.State, let now = now as? S.State else { return nil }
            return news(seen, now, page)
        }
    }

    /// The text that a state asks the person to edit; nil where it asks for none, or is another screen's.
    func draft(of state: any ScreenState) -> LineDraft? { draft(state) }

    /// The lines of a state; nil when it is another screen's.
    func lines(of state: any ScreenState, on page: LinePage) -> [String]? { layout(state, page) }

    /// A state for programs; nil where the screen has no form of its own for them.
    func plain(of state: any ScreenState) -> PlainAnswer? { plain(state) }

    /// The lines that tell what of a state is new to a person who has seen another; nil when they are another screen's.
    func news(since seen: any ScreenState, in now: any ScreenState, on page: LinePage) -> [String]? {
        news(seen, now, page)
    }

    /// Any state for programs: a row for each value but the notice, after its path.
    static func plainAnswer(of state: any ScreenState) throws -> PlainAnswer {
        PlainAnswer(rows: try Outline(state).plainRows().filter { $0.first != "notice" })
    }

    /// The lines of any state, plainly: every member but the notice.
    static func plainLines(of state: any ScreenState, on page: LinePage) throws -> [String] {
        guard case .members(let members) = try Outline(state) else { return try Outline(state).lines(on: page) }
        return Outline.members(members.filter { $0.name != "notice" }).lines(on: page)
    }
}

extension [String] {
    /// The lines that aren't among those seen before.
    func new(since seen: [String]) -> [String] { filter { !seen.contains($0) } }
}

/// A text for a person's editor.
public struct LineDraft: Sendable, Equatable {
    /// The argument that takes what it has become; the command is said again with it.
    let argument: String
    /// The text as it is offered.
    let text: String
    /// The file's ending.
    let ending: String
    /// Other arguments that the command then has, by name: what it is about, whatever was said at first.
    let others: [String: String]

    /// A text for the argument of this name.
    public init(argument: String, text: String, ending: String, others: [String: String] = [:]) {
        (self.argument, self.text, self.ending, self.others) = (argument, text, ending, others)
    }

    /// The arguments of the command with what the text has become.
    func values(_ values: ArgumentValues, with edited: String) -> ArgumentValues {
        values.merging(others.mapValues { .text($0) }) { $1 }.merging([argument: .text(edited)]) { $1 }
    }
}
