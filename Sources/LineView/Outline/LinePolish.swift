public import ControllerKit

/// How one screen is shown in lines, where it should be shown better than plainly. One file per screen.
///
///     static let list = LinePolish(ListScreen.self) { state, page in Table(…).lines(on: page) }
public struct LinePolish: Sendable {
    /// The screen's name.
    let screen: String
    private let layout: @Sendable (any ScreenState, LinePage) -> [String]?
    private let draft: @Sendable (any ScreenState) -> LineDraft?

    /// The polish of a screen.
    ///
    /// - Parameters:
    ///   - draft: The text that a state asks the person to edit, after a command was refused for want of it.
    ///   - layout: The lines of a state. Texts from outside must be made harmless, by `Table` or
    ///     `String.neutralised`. The state's notice is shown elsewhere.
    public init<S: Screen>(
        _ screen: S.Type, draft: @escaping @Sendable (S.State) -> LineDraft? = { _ in nil },
        layout: @escaping @Sendable (S.State, LinePage) -> [String]
    ) {
        self.screen = S.name
        self.layout = { state, page in (state as? S.State).map { layout($0, page) } }
        self.draft = { state in (state as? S.State).flatMap { draft($0) } }
    }

    /// The text that a state asks the person to edit; nil where it asks for none, or is another screen's.
    func draft(of state: any ScreenState) -> LineDraft? { draft(state) }

    /// The lines of a state; nil when it is another screen's.
    func lines(of state: any ScreenState, on page: LinePage) -> [String]? { layout(state, page) }

    /// The lines of any state, plainly: every member but the notice.
    static func plainLines(of state: any ScreenState, on page: LinePage) throws -> [String] {
        guard case .members(let members) = try Outline(state) else { return try Outline(state).lines(on: page) }
        return Outline.members(members.filter { $0.name != "notice" }).lines(on: page)
    }
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
