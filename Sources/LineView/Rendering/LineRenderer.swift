public import ControllerKit
public import Terminal

/// How one screen is shown in lines, where it should be shown better than plainly. One file per screen.
///
///     static let renderer = LineRenderer(ListScreen.self) { state, page in Table(…).lines(on: page) }
public struct LineRenderer<Screen: ControllerKit.Screen>: ScreenRenderer {
    /// The lines of a state.
    let lines: @Sendable (Screen.State, LinePage) -> [String]
    /// The text that a state asks the person to edit; nil where it asks for none.
    let draft: @Sendable (Screen.State) -> LineDraft?
    /// A state for programs; nil where the screen has no form of its own for them.
    let plain: @Sendable (Screen.State) -> PlainAnswer?
    /// The lines that show a person who has seen the first state what is new in the second.
    let news: @Sendable (_ seen: Screen.State, _ now: Screen.State, LinePage) -> [String]

    /// The renderer of a screen.
    ///
    /// - Parameters:
    ///   - draft: The text that a state asks the person to edit, after a command was refused because it is missing.
    ///   - plain: A state for programs; nil: a row for each value, after its path.
    ///   - news: What is shown to a person who has seen the first state when another device or program has changed it
    ///     to the second one; nil: the lines that are new. The progress of the person's own edits (being sent, for
    ///     instance) is not news.
    ///   - lines: The lines of a state. Texts from outside must be neutralised, by `Table` or
    ///     `String.neutralised`. The state's notice is shown elsewhere.
    public init(
        _ screen: Screen.Type, draft: @escaping @Sendable (Screen.State) -> LineDraft? = { _ in nil },
        plain: @escaping @Sendable (Screen.State) -> PlainAnswer? = { _ in nil },
        news: (@Sendable (_ seen: Screen.State, _ now: Screen.State, LinePage) -> [String])? = nil,
        lines: @escaping @Sendable (Screen.State, LinePage) -> [String]
    ) {
        (self.lines, self.draft, self.plain) = (lines, draft, plain)
        self.news = news ?? { lines($1, $2).new(since: lines($0, $2)) }
    }
}

/// Any state, shown plainly.
enum PlainLines {
    /// A state for programs: a row for each value but the notice, after its path.
    static func answer<State: ScreenState>(of state: State) throws -> PlainAnswer {
        PlainAnswer(rows: try Outline(state).plainRows().filter { $0.first != State.noticeMember })
    }

    /// Every member but the notice.
    static func lines<State: ScreenState>(of state: State, on page: LinePage) throws -> [String] {
        guard case .members(let members) = try Outline(state) else { return try Outline(state).lines(on: page) }
        return Outline.members(members.filter { $0.name != State.noticeMember }).lines(on: page)
    }
}

extension [String] {
    /// The lines that aren't among those seen before.
    public func new(since seen: [String]) -> [String] { filter { !seen.contains($0) } }
}

/// A text for a person's editor.
public struct LineDraft: Sendable, Equatable {
    /// The argument for the edited text; the command is performed again with it.
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

/// An answer for programs that cut lines at their tabs.
public struct PlainAnswer: Sendable, Equatable {
    /// The rows, without ends; where they are fields, they hold no tab and no control character but the tabs between them.
    let lines: [String]
    /// A message for the user in addition to the data: that there is more than these rows.
    let remark: String?

    /// Rows of fields, each neutralised.
    public init(rows: [[String]], remark: String? = nil) {
        lines = rows.map { row in row.map { $0.neutralised() }.joined(separator: "\t") }
        self.remark = remark
    }

    /// A text that is already in a format for programs, and may contain any characters.
    public init(text: String) { (lines, remark) = ([text], nil) }
}
