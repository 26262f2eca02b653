public import ControllerKit
public import Terminal

/// A renderer of one screen as lines. A screen without one is shown as its outline.
///
///     static let renderer = LineRenderer(ListScreen.self) { state, page in Table(…).lines(on: page) }
public struct LineRenderer<Screen: ControllerKit.Screen>: ScreenRenderer {
    /// Returns the lines of a state.
    let lines: @Sendable (Screen.State, LinePage) -> [String]
    /// Returns the text that a state requests to be edited; nil: it requests none.
    let draft: @Sendable (Screen.State) -> LineDraft?
    /// Returns a state for programs; nil: the rows of its outline are written.
    let plain: @Sendable (Screen.State) -> PlainAnswer?
    /// Returns a state with its named columns; nil: it has none.
    let table: @Sendable (Screen.State) -> PlainTable?
    /// Returns the lines that show a person who has seen the first state the news of the second one.
    let news: @Sendable (_ seen: Screen.State, _ now: Screen.State, LinePage) -> [String]

    /// Creates the renderer of a screen.
    ///
    /// - Parameters:
    ///   - draft: Returns the text that the person must edit, after a command was refused because it is missing.
    ///   - plain: Returns a state for programs; nil: a row with the path and the value for each value.
    ///   - table: Returns a state with its named columns, of which programs choose some; nil: it has none.
    ///   - news: Returns the lines that are shown when another device or program has changed the first state, which the
    ///     person has seen, to the second one; nil: the lines that are new. The progress of the person's own edits,
    ///     such as their being sent, isn't news.
    ///   - lines: Returns the lines of a state. Texts from outside must be sanitized, by `Table` or
    ///     `String.sanitizedLine`. The state's notice is shown elsewhere.
    public init(
        _ screen: Screen.Type, draft: @escaping @Sendable (Screen.State) -> LineDraft? = { _ in nil },
        plain: @escaping @Sendable (Screen.State) -> PlainAnswer? = { _ in nil },
        table: @escaping @Sendable (Screen.State) -> PlainTable? = { _ in nil },
        news: (@Sendable (_ seen: Screen.State, _ now: Screen.State, LinePage) -> [String])? = nil,
        lines: @escaping @Sendable (Screen.State, LinePage) -> [String]
    ) {
        (self.lines, self.draft, self.plain, self.table) = (lines, draft, plain, table)
        self.news = news ?? { lines($1, $2).new(since: lines($0, $2)) }
    }
}

/// The lines of states without a renderer.
enum PlainLines {
    /// Returns a state for programs: a row with the path and the value for each value except the notice.
    static func answer<State: ScreenState>(of state: State) throws -> PlainAnswer {
        PlainAnswer(rows: try Outline(state).plainRows().filter { $0.first != State.noticeMember })
    }

    /// Returns the outline of a state without its notice, which is written as a message.
    static func lines<State: ScreenState>(of state: State, on page: LinePage) throws -> [String] {
        guard case .members(let members) = try Outline(state) else { return try Outline(state).lines(on: page) }
        return Outline.members(members.filter { $0.name != State.noticeMember }).lines(on: page)
    }
}

extension [String] {
    /// Returns the lines that aren't in `seen`.
    public func new(since seen: [String]) -> [String] { filter { !seen.contains($0) } }
}

/// A text to be edited in a person's editor.
public struct LineDraft: Sendable, Equatable {
    /// The argument for the edited text. The command is performed again with it.
    let argument: String
    /// The text before it is edited.
    let text: String
    /// The extension of the file's name, by which editors choose a mode: `md`.
    let ending: String
    /// Other arguments of the repeated command, by name. They replace those of the first command, for example to name
    /// the same record.
    let others: [String: String]

    /// Creates a draft for an argument.
    public init(argument: String, text: String, ending: String, others: [String: String] = [:]) {
        (self.argument, self.text, self.ending, self.others) = (argument, text, ending, others)
    }

    /// Returns the arguments of the repeated command, with the edited text.
    func values(_ values: ArgumentValues, with edited: String) -> ArgumentValues {
        values.merging(others.mapValues { .text($0) }) { $1 }.merging([argument: .text(edited)]) { $1 }
    }
}

/// An answer for programs that split lines at tabs.
public struct PlainAnswer: Sendable, Equatable {
    /// The rows without line ends. Rows of fields contain no control characters except the tabs between fields.
    let lines: [String]
    /// A message for the user in addition to the data, for example that there are more rows; nil: none.
    let note: String?

    /// Creates an answer from rows of fields, which are sanitized.
    public init(rows: [[String]], note: String? = nil) {
        lines = rows.map { row in row.map { $0.sanitizedLine }.joined(separator: "\t") }
        self.note = note
    }

    /// Creates an answer from a text that is already in a format for programs. It may contain any characters.
    public init(text: String) { (lines, note) = ([text], nil) }
}
