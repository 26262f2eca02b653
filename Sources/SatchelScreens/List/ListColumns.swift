import Controllers
import LineView
import Records
import Terminal

/// The columns of a list: number, id and state, then the columns that the fields declare, or those that the user chose.
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
            for (index, field) in fields.enumerated() {
                let isSign = index > 0 && field.column?.layout == .sign
                let space = pieces.isEmpty ? "" : " "
                if let piece = row.piece(of: field, after: space, isSign: isSign), !piece.isEmpty {
                    pieces.append(piece)
                }
            }
            return pieces
        }

        /// Returns the pieces of its cell in a row, with the texts of a set as separate facts.
        func facts(of row: Row) -> [[Piece]] {
            guard let field = fields.first, fields.count == 1, case .texts(let texts)? = row.value(of: field) else {
                return [pieces(of: row)]
            }
            return texts.map { [Piece((field.column?.sign ?? "") + $0, .faint)] }
        }
    }

    /// A part of a row other than its number, which comes first, and its signs, which come last.
    private enum Part {
        case id
        /// Done, late, pinned, or a type that can't be done.
        case state
        case title
        case collection
        case urgency
        case fields(Group)
    }

    /// Omits the values that the words of the filter name; nil: the user chose the columns.
    private let filter: ListFilter?
    private let parts: [Part]
    private let types: DeclaredTypes

    init(_ state: ListScreen.State) {
        types = state.types
        if let chosen = state.types.chosen {
            filter = nil
            parts = Self.parts(of: chosen)
            return
        }
        let filter = ListFilter(state)
        self.filter = filter
        let groups = Self.groups(of: state.types.columns.filter { !filter.repeats($0) })
        // The title has the order 0.
        let before = groups.filter { $0.order < 0 }.map { Part.fields($0) }
        let after = groups.filter { $0.order > 0 }.map { Part.fields($0) }
        parts = [Part.id, .state] + before + [Part.title] + after
    }

    /// Returns the parts in the order that the user chose. The state and the title are never omitted.
    private static func parts(of chosen: [ListColumn]) -> [Part] {
        var parts: [Part] = []
        var (hasState, hasTitle) = (false, false)
        for column in chosen {
            switch column {
            case .number: break
            case .id, .prefix: parts.append(.id)
            case .collection: parts.append(.collection)
            case .urgency: parts.append(.urgency)
            case .field(let field):
                if field.column?.order == 0 {
                    parts.append(.title)
                    hasTitle = true
                } else if field.column?.layout == .mark || field.role == .pinned {
                    if !hasState { parts.append(.state) }
                    hasState = true
                } else {
                    parts.append(.fields(Group(fields: [field])))
                }
            }
        }
        if !hasState { parts.insert(.state, at: 0) }
        if !hasTitle { parts.append(.title) }
        return parts
    }

    private static func groups(of fields: [Field]) -> [Group] {
        var groups: [Group] = []
        for field in fields {
            switch field.column?.layout {
            case .own: groups.append(Group(fields: [field]))
            // It is joined to the column before it. If there is none, only the page and scripts have the field.
            case .joined where !groups.isEmpty, .sign where !groups.isEmpty:
                groups[groups.count - 1].fields.append(field)
            case .joined, .sign, .mark, nil: break
            }
        }
        return groups
    }

    var facets: [Facet] {
        let number = Facet(.init("#", isTrailing: true)) { .init(String($0.number)) }
        let signs = Facet(.init("")) { .init($0.signPieces) }
        return [number] + parts.map { facet($0) } + [signs]
    }

    private func facet(_ part: Part) -> Facet {
        switch part {
        case .id: Facet(.init("id")) { .init($0.shortID, .faint) }
        case .state: Facet(.init("")) { .init($0.statePieces) }
        case .title:
            Facet(.init("title", canShrink: true, isMain: true)) { [types] in .init($0.indentedTitle(types)) }
        case .collection: Facet(.init("collection")) { .init($0.collection, .faint) }
        case .urgency: Facet(.init(Urgency.name, isTrailing: true)) { .init($0.urgency?.plain ?? "") }
        case .fields(let group): facet(group)
        }
    }

    private func facet(_ group: Group) -> Facet {
        let first = group.fields.first
        let heading = first?.column?.heading ?? first?.name ?? ""
        let isWide = first?.isWide == true
        let column = isWide ? Table.Column(heading, canShrink: true, narrowest: 9) : Table.Column(heading)
        return Facet(column) { [filter] in .init(group.pieces(of: filter?.shortened($0) ?? $0)) }
    }

    /// Returns the facts of a row below its title, in the order of the columns.
    func facts(of row: Row) -> [[Piece]] {
        let shown = filter?.shortened(row) ?? row
        return parts.flatMap { facts(of: $0, in: shown) }
            .map { $0.filter { !$0.isEmpty } }.filter { !$0.isEmpty }
    }

    private func facts(of part: Part, in row: Row) -> [[Piece]] {
        switch part {
        case .id: [[Piece(row.shortID, .faint)]]
        case .state: [row.statePieces]
        case .title: []
        case .collection: [[Piece(row.collection, .faint)]]
        case .urgency: [[Piece(row.urgency.map { "\(Urgency.name) \($0.plain)" } ?? "")]]
        case .fields(let group): group.facts(of: row)
        }
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
        if state.rows.isEmpty, state.offset >= state.total {
            let records = state.total == 1 ? "1 record" : "\(state.total) records"
            return "The list has \(records), so none follows after --offset \(state.offset)."
        }
        return "\(state.rows.count) of \(state.total) records; use --limit and --offset for more."
    }
}

extension ListColumns.Group {
    fileprivate var order: Int { fields.first?.column?.order ?? 0 }
}

extension ListScreen.State.Row {
    typealias Piece = Table.Cell.Piece

    /// The word for a row whose edits the server lacks.
    static let unsent = "unsent"

    /// Whether it is done, or was when the list was made.
    private var isFinished: Bool { group == .done || isDone == true }

    /// The word for a record that lists show before the others.
    static let pinned = "pinned"

    /// The state as text, which is readable without colour: done, late, pinned, or a type that can't be done. The heading
    /// of its group isn't repeated.
    var statePieces: [Piece] {
        let isInHeading = group.map { $0 == .done ? isDone == true : $0.rawValue == collection } ?? false
        let late = isOverdue && group != .overdue ? "late" : ""
        let state = Piece(isInHeading ? "" : mark ?? late, isFinished ? .good : isOverdue ? .bad : .none)
        return isPinned ? [state, Piece((state.isEmpty ? "" : " ") + Self.pinned)] : [state]
    }

    /// Its short id; empty: it is too long for a list, and the number names the record.
    var shortID: String { prefix.count <= ShortID.maximumLengthInList ? prefix : "" }

    /// The signs after the row: `!` for an open conflict, `*` for unsent edits.
    var signPieces: [Piece] {
        [Piece(hasConflict ? "!" : "", .bad), Piece(isUnsent ? "*" : "", .warning)]
    }

    /// Returns the value of a field in a list, after `space`; nil: none.
    ///
    /// - Parameter isSign: Whether the sign of the field is shown instead of the value.
    func piece(of field: Field, after space: String, isSign: Bool) -> Piece? {
        // In a column of its own, the heading says what such a sign means.
        let sign = field.column?.layout == .sign && !isSign ? "" : field.column?.sign ?? ""
        let text: String? =
            switch value(of: field) {
            case nil: nil
            case .some where isSign: sign
            case .date(_, let words)?: sign + (field.role == .deadline ? withoutHeading(words) : words)
            case .text(let text)?: sign + field.listText(for: text)
            case .number(let number)?: sign + number.plain
            case .flag(let flag)?: flag ? sign + field.label.lowercased() : nil
            case .texts(let texts)?: texts.map { sign + $0 }.joined(separator: sign.isEmpty ? ", " : " ")
            }
        return text.map { Piece($0.isEmpty ? "" : space + $0, emphasis(of: field)) }
    }

    /// Returns the words of a deadline without the day that is the heading of the group: of `today 15:00`, only the time.
    private func withoutHeading(_ words: String) -> String {
        let day: String? = group == .today ? "today" : group == .tomorrow ? "tomorrow" : nil
        guard let day, words.hasPrefix(day) else { return words }
        return String(words.dropFirst(day.count + 1))
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

    /// The number of levels that are indented; further ones stay at the last.
    private static let maximumIndent = 4

    /// Returns the title, indented under the record of which this one is a part.
    func indentedTitle(_ types: DeclaredTypes) -> [Piece] {
        let indent = String(repeating: "  ", count: min(depth, Self.maximumIndent))
        return [Piece(indent)] + titlePieces(types)
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
        case .date(let date, _)?: date.withoutZone.description
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
