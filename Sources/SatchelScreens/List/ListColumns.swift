import Controllers
import LineView
import Records
import Terminal

/// The columns of a list.
enum ListColumns {
    typealias Row = ListScreen.State.Row

    /// A column, and what a row shows in it.
    struct Facet: Sendable {
        let column: Table.Column
        let cell: @Sendable (Row) -> Table.Cell

        init(_ column: Table.Column, cell: @escaping @Sendable (Row) -> Table.Cell) {
            (self.column, self.cell) = (column, cell)
        }
    }

    static let facets: [Facet] = [
        Facet(.init("#", isTrailing: true)) { .init(String($0.number)) },
        Facet(.init("id")) { .init($0.prefix, .faint) },
        Facet(.init("")) { .init([$0.markPiece]) },
        Facet(.init("due")) { .init($0.duePieces) },
        Facet(.init("pri")) { .init([$0.priorityPiece]) },
        Facet(.init("project", canShrink: true, narrowest: 9)) { .init($0.project ?? "", .faint) },
        Facet(.init("title", canShrink: true, isMain: true)) { .init($0.titlePieces) },
        Facet(.init("tags", canShrink: true, narrowest: 9)) { .init($0.tagWords, .faint) },
        Facet(.init("")) { .init($0.isUnsent ? "*" : "", .warning) },
    ]

    /// A row a record; SatchelScreens.docc/Scripting.md documents the columns; new ones are added at the end.
    static func plain(_ state: ListScreen.State) -> PlainAnswer {
        let rows = state.rows.map { row in
            [
                String(row.number), row.id, row.collection, row.status ?? "", row.priority ?? "", row.due ?? "",
                row.project ?? "", row.tags.joined(separator: ","), row.title, row.repeat ?? "",
            ]
        }
        return PlainAnswer(rows: rows, remark: rows.count < state.total ? windowRemark(state) : nil)
    }

    /// Says that there is more than the window.
    static func windowRemark(_ state: ListScreen.State) -> String {
        "\(state.rows.count) of \(state.total) records; use --limit and --offset for more."
    }
}

extension ListScreen.State.Row {
    typealias Piece = Table.Cell.Piece

    private var isDone: Bool { group == .done || status == "completed" }

    /// Readable without colour: what is done, what is late, what is a note.
    var mark: String {
        switch status {
        case nil: "note"
        case "completed": "done"
        case "pending": isOverdue ? "late" : ""
        case let other?: other
        }
    }

    var markPiece: Piece { Piece(mark, isDone ? .good : isOverdue ? .bad : .none) }

    /// When it is due, and how often again.
    var duePieces: [Piece] {
        let isSoon = group == .today || group == .tomorrow
        let due = Piece(dueWords ?? due ?? "", isOverdue ? .bad : isDone ? .faint : isSoon ? .warning : .none)
        return [due, Piece(`repeat`.map { (due.isEmpty ? "" : " ") + "↻ " + $0 } ?? "", .faint)]
    }

    var priorityPiece: Piece {
        switch priority {
        case "H": Piece("H", isDone ? .faint : .bad)
        case "M": Piece("M", isDone ? .faint : .warning)
        case let other: Piece(other ?? "", .faint)
        }
    }

    var tagWords: String { tags.map { "+" + $0 }.joined(separator: " ") }

    /// The title, with what a search has found in it.
    var titlePieces: [Piece] {
        let emphasis: Emphasis = isDone ? .faint : priority == "H" ? .strong : .none
        let pieces = match?.title.map { Piece($0.text, $0.isHit ? .found : emphasis) } ?? [Piece(title, emphasis)]
        return pieces + (hasMore ? [Piece(" …", emphasis)] : [])
    }
}
