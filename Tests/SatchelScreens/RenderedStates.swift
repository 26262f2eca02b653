import Records
import Terminal
import Testing

@testable import ControllerKit
@testable import Controllers
@testable import LineView
@testable import SatchelScreens

/// How Satchel shows a screen in lines.
func renderer<S: Screen>(of screen: S.Type) throws -> LineRenderer<S> {
    try #require(satchelRenderers(.standard).lazy.flatMap { $0.make() }.compactMap { $0 as? LineRenderer<S> }.first)
}

/// The lines of a state.
func rendered<S: Screen>(_ screen: S.Type, _ state: S.State, on page: LinePage = LinePage()) throws -> [String] {
    try renderer(of: screen).lines(state, page)
}

extension ListScreen.State {
    /// A list of these rows, which are all.
    init(_ rows: [Row]) {
        self.init(types: .standard)
        self.rows = rows
        total = rows.count
    }
}

extension ListScreen.State.Row {
    /// A pending task, with a test's changes.
    static func task(_ number: Int, _ title: String, _ change: (inout Self) -> Void = { _ in }) -> Self {
        var row = Self(
            number: number, id: "id-\(number)", prefix: "ab1\(number)", collection: "tasks", title: title,
            values: ["tags": .texts([]), "status": .text("pending")], isOverdue: false, isDone: false, hasMore: false,
            isUnsent: false)
        change(&row)
        return row
    }

    var project: String? {
        get { text("project") }
        set { values["project"] = newValue.map { .text($0) } }
    }

    var priority: String? {
        get { text("priority") }
        set { values["priority"] = newValue.map { .text($0) } }
    }

    var `repeat`: String? {
        get { text("repeat") }
        set { values["repeat"] = newValue.map { .text($0) } }
    }

    var tags: [String] {
        get { if case .texts(let tags)? = values["tags"] { tags } else { [] } }
        set { values["tags"] = .texts(newValue) }
    }

    var due: String? {
        get { if case .date(let due, _)? = values["due"] { due.description } else { nil } }
        set {
            values["due"] = newValue.flatMap { DateValue($0) }.map { .date($0, words: dueWords ?? $0.description) }
        }
    }

    var dueWords: String? {
        get { if case .date(_, let words)? = values["due"] { words } else { nil } }
        set { values["due"] = due.flatMap { DateValue($0) }.map { .date($0, words: newValue ?? "") } }
    }

    /// Nil: a note, which has none.
    var status: String? {
        get { text("status") }
        set {
            let closing = TaskRecord.type.closing
            values["status"] = newValue.map { .text($0) }
            isDone = newValue.map { TaskRecord.type.isClosed(["status": .string($0)]) }
            mark = newValue.map { closing?.mark(of: $0) } ?? "note"
        }
    }

    private func text(_ field: String) -> String? {
        if case .text(let text)? = values[field] { text } else { nil }
    }
}

extension ListScreen.State.Group {
    /// The group of notes: that of a type without a deadline has the name of its collection.
    static let notes = Self(rawValue: "notes")
}
