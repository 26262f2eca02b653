import ControllerKit
@testable import Controllers
import Testing

@testable import LineView

/// What Satchel's polish makes of a state.
func polished<S: Screen>(_ screen: S.Type, _ state: S.State, on page: LinePage = LinePage()) throws -> [String] {
    let polish = try #require(LinePolish.standard.first { $0.screen == S.name })
    return try #require(polish.lines(of: state, on: page))
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
