import ControllerKit
import Terminal
import Testing

@testable import Controllers
@testable import LineView
@testable import SatchelScreens

/// How Satchel shows a screen in lines.
func renderer<S: Screen>(of screen: S.Type) throws -> LineRenderer<S> {
    try #require(satchelRenderers.lazy.compactMap { $0 as? LineRenderer<S> }.first)
}

/// The lines of a state.
func rendered<S: Screen>(_ screen: S.Type, _ state: S.State, on page: LinePage = LinePage()) throws -> [String] {
    try renderer(of: screen).lines(state, page)
}

extension ListScreen.State {
    /// A list of these rows, all there are.
    init(_ rows: [Row]) {
        self.init()
        self.rows = rows
        total = rows.count
    }
}

extension ListScreen.State.Row {
    /// A pending task, with what a test changes.
    static func task(_ number: Int, _ title: String, _ change: (inout Self) -> Void = { _ in }) -> Self {
        var row = Self(
            number: number, id: "id-\(number)", prefix: "ab1\(number)", collection: "tasks", title: title, project: nil,
            tags: [], due: nil, isOverdue: false, priority: nil, status: "pending", repeat: nil, hasMore: false,
            isUnsent: false)
        change(&row)
        return row
    }
}
