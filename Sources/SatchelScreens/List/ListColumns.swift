import Controllers
import LineView
import Records
import Terminal

/// The columns of a list: number, id and state, then the columns that the fields declare.
struct ListColumns {
    typealias Row = ListScreen.State.Row
    typealias Piece = Table.Cell.Piece

    /// A column and the function that returns its cell in a row.
    struct Facet {
        let column: Table.Column
        let cell: (Row) -> Table.Cell

        init(_ column: Table.Column, cell: @escaping (Row) -> Table.Cell) {
            (self.column, self.cell) = (column, cell)
        }
    }

    /// A declared column with its fields: its own first, then those that are joined to it.
    struct Group {
        var fields: [Field]

        /// Returns the pieces of its cell in a row.
        func pieces(of row: Row) -> [Piece] {
            var pieces: [Piece] = []
            for field in fields {
                if let piece = row.piece(of: field, after: pieces.isEmpty ? "" : " "), !piece.isEmpty {
                    pieces.append(piece)
                }
            }
            return pieces
        }

        /// Returns the pieces of its cell in a row, with the texts of a set as separate facts.
        func facts(of row: Row) -> [[Piece]] {
            guard let field = fields.first, fields.count == 1, case .texts(let texts)? = row.values[field.name] else {
                return [pieces(of: row)]
            }
            return texts.map { [Piece((field.column?.sign ?? "") + $0, .faint)] }
        }
    }

    /// The columns before the title, and those after it.
    let (before, after): ([Group], [Group])
    private let state: ListScreen.State

    init(_ state: ListScreen.State) {
        self.state = state
        let groups = Self.groups(of: state.types.columns)
        // The title has the order 0; `facets` adds its column between `before` and `after`.
        before = groups.filter { $0.order < 0 }
        after = groups.filter { $0.order > 0 }
    }

    private static func groups(of fields: [Field]) -> [Group] {
        var groups: [Group] = []
        for field in fields {
            switch field.column?.layout {
            case .own: groups.append(Group(fields: [field]))
            // It is joined to the column before it. If there is none, only the page and scripts have the field.
            case .joined where !groups.isEmpty: groups[groups.count - 1].fields.append(field)
            case .joined, .mark, nil: break
            }
        }
        return groups
    }

    var facets: [Facet] {
        [
            Facet(.init("#", isTrailing: true)) { .init(String($0.number)) },
            Facet(.init("id")) { .init($0.prefix, .faint) },
            Facet(.init("")) { .init([$0.markPiece]) },
        ] + before.map(Self.facet) + [
            Facet(.init("title", canShrink: true, isMain: true)) { [types = state.types] in .init($0.titlePieces(types))
            }
        ] + after.map(Self.facet) + [Facet(.init("")) { .init($0.isUnsent ? "*" : "", .warning) }]
    }

    private static func facet(_ group: Group) -> Facet {
        let heading = group.fields.first?.column?.heading ?? ""
        let isWide = group.fields.first?.isWide == true
        let column = isWide ? Table.Column(heading, canShrink: true, narrowest: 9) : Table.Column(heading)
        return Facet(column) { .init(group.pieces(of: $0)) }
    }

    /// Returns a row for each record. SatchelScreens.docc/Scripting.md documents the columns; scripts count them, so
    /// new ones are added at the end.
    static func plain(_ state: ListScreen.State) -> PlainAnswer {
        // The offset keeps the order of declaration among fields without a place: `sorted` doesn't guarantee it.
        let fields = state.types.columns.enumerated().sorted {
            ($0.element.column?.scriptPlace ?? .max, $0.offset) < ($1.element.column?.scriptPlace ?? .max, $1.offset)
        }
        let rows = state.rows.map { row in
            [String(row.number), row.id, row.collection] + fields.map { row.plain($0.element) }
        }
        return PlainAnswer(rows: rows, note: rows.count < state.total ? windowNote(state) : nil)
    }

    /// Returns the message that there are more records than the window shows.
    static func windowNote(_ state: ListScreen.State) -> String {
        "\(state.rows.count) of \(state.total) records; use --limit and --offset for more."
    }
}

extension ListColumns.Group {
    fileprivate var order: Int { fields.first?.column?.order ?? 0 }
}

extension ListScreen.State.Row {
    typealias Piece = Table.Cell.Piece

    /// The word for a row whose edits the server lacks.
    static let unsynced = "not synced"

    /// Whether it is done, or was when the list was made.
    private var isFinished: Bool { group == .done || isDone == true }

    /// The state as text, which is readable without colour: done, late, or a type that can't be done.
    var markPiece: Piece {
        Piece(mark ?? (isOverdue ? "late" : ""), isFinished ? .good : isOverdue ? .bad : .none)
    }

    /// Returns the value of a field in a list, after `space`; nil: none.
    func piece(of field: Field, after space: String) -> Piece? {
        let sign = field.column?.sign ?? ""
        let text: String? =
            switch values[field.name] {
            case nil: nil
            case .date(_, let words)?: sign + words
            case .text(let text)?: sign + text
            case .number(let number)?: sign + number.plain
            case .flag(let flag)?: flag ? sign + field.label.lowercased() : nil
            case .texts(let texts)?: texts.map { sign + $0 }.joined(separator: sign.isEmpty ? ", " : " ")
            }
        return text.map { Piece($0.isEmpty ? "" : space + $0, emphasis(of: field)) }
    }

    /// Returns the emphasis of a field: for a deadline that is near or past, and for a choice by its tone, unless the
    /// record is done.
    private func emphasis(of field: Field) -> Emphasis {
        if field.role == .deadline {
            let isSoon = group == .today || group == .tomorrow
            return isOverdue ? .bad : isFinished ? .faint : isSoon ? .warning : .none
        }
        // A closed record needs no attention, so its importance isn't emphasized.
        switch tone(of: field) {
        case .strong where !isFinished: return .bad
        case .warning where !isFinished: return .warning
        case .strong, .warning, .plain: return .faint
        }
    }

    /// Returns the tone of the row's value of a field.
    func tone(of field: Field) -> Choice.Tone {
        guard case .text(let text)? = values[field.name] else { return .plain }
        return field.kind.choices?.first { $0.value == text }?.tone ?? .plain
    }

    /// Returns the title, with the matches of a search.
    func titlePieces(_ types: DeclaredTypes) -> [Piece] {
        let isStrong = types.columns.contains { tone(of: $0) == .strong }
        let emphasis: Emphasis = isFinished ? .faint : isStrong ? .strong : .none
        let pieces = match?.title.map { Piece($0.text, $0.isHit ? .found : emphasis) } ?? [Piece(title, emphasis)]
        let parts = progress.map { [Piece(" \($0.done)/\($0.total)", .faint)] } ?? []
        return pieces + parts + (hasMore ? [Piece(" …", emphasis)] : [])
    }

    /// Returns a value for scripts, without words that may change.
    fileprivate func plain(_ field: Field) -> String {
        if field.column?.order == 0 { return title }
        return switch values[field.name] {
        case nil: ""
        case .text(let text)?: text
        case .date(let date, _)?: date.description
        case .number(let number)?: number.plain
        case .flag(let flag)?: String(flag)
        case .texts(let texts)?: texts.joined(separator: ",")
        }
    }
}

extension Double {
    /// The number as text; a whole number without a fraction.
    var plain: String { Int(exactly: self).map { String($0) } ?? String(self) }
}
