public import ControllerKit

/// How one screen is shown in lines, where it should be shown better than plainly. One file per screen.
///
///     static let list = LinePolish(ListScreen.self) { state, page in Table(…).lines(on: page) }
public struct LinePolish: Sendable {
    /// The screen's name.
    let screen: String
    private let layout: @Sendable (any ScreenState, LinePage) -> [String]?

    /// The polish of a screen.
    ///
    /// - Parameter layout: The lines of a state. Texts from outside must be made harmless, by `Table` or
    ///   `String.neutralised`. The state's notice is shown elsewhere.
    public init<S: Screen>(_ screen: S.Type, layout: @escaping @Sendable (S.State, LinePage) -> [String]) {
        self.screen = S.name
        self.layout = { state, page in (state as? S.State).map { layout($0, page) } }
    }

    /// The lines of a state; nil when it is another screen's.
    func lines(of state: any ScreenState, on page: LinePage) -> [String]? { layout(state, page) }

    /// The lines of any state, plainly: every member but the notice.
    static func plainLines(of state: any ScreenState, on page: LinePage) throws -> [String] {
        guard case .members(let members) = try Outline(state) else { return try Outline(state).lines(on: page) }
        return Outline.members(members.filter { $0.name != "notice" }).lines(on: page)
    }
}
