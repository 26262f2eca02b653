import ControllerKit
import Controllers
import Records
import WebPageView

/// The rows of a list under one heading, for the template `list`. Pure.
struct ListGroup {
    let title: String
    let id: String
    let count: Int
    let hasTitle: Bool
    let rows: [ListRowModel]

    /// Returns the groups in the order of the list; one group without a heading if the list isn't grouped.
    static func all(_ state: ListScreen.State, _ frame: PageFrame) -> [Self] {
        var chunks: [[ListScreen.State.Row]] = []
        for row in state.rows {
            // Rows of a group are adjacent: only a list in its default order has groups, and it is sorted by them first.
            if let last = chunks.last?.last, last.group == row.group {
                chunks[chunks.count - 1].append(row)
            } else {
                chunks.append([row])
            }
        }
        return chunks.map { Self($0, state.types, frame) }
    }

    private init(_ rows: [ListScreen.State.Row], _ types: DeclaredTypes, _ frame: PageFrame) {
        let group = rows.first?.group
        title = group?.title(types.types) ?? ""
        id = group?.rawValue ?? "found"
        count = rows.count
        hasTitle = group != nil
        self.rows = rows.map { ListRowModel($0, types, frame) }
    }
}

/// A row of a list for the template `row`.
struct ListRowModel {
    let id: String
    let title: String
    /// The title in pieces, with the matches of a search.
    let pieces: [TextPieceModel]
    /// An excerpt of the other text with the matches of a search.
    let excerpt: [TextPieceModel]
    let hasExcerpt: Bool
    let href: String
    let historyHref: String
    let isDone: Bool
    /// The check box that chooses the record.
    let selectionBox: [SelectionBox]
    let chips: [Chip]
    let hasChips: Bool
    /// The form of the round button; empty for a type that can't be done.
    let tick: [FormModel]
    let canBeDone: Bool
    let remove: [FormModel]

    /// A fact in a word or two, which is readable without colour.
    struct Chip {
        let text: String
        let kind: String
        /// The visible sign before the text, and the word that a screen reader says instead.
        let (sign, spoken): (String, String)
        let (hasSign, hasSpoken): (Bool, Bool)

        init(text: String, kind: String, sign: String = "", spoken: String = "") {
            (self.text, self.kind, self.sign, self.spoken) = (text, kind, sign, spoken)
            (hasSign, hasSpoken) = (!sign.isEmpty, !spoken.isEmpty)
        }
    }

    init(_ row: ListScreen.State.Row, _ types: DeclaredTypes, _ frame: PageFrame) {
        id = row.id
        title = row.title
        pieces = row.match?.title.map { TextPieceModel($0) } ?? [TextPieceModel(row.title)]
        excerpt = row.match?.excerpt.map { TextPieceModel($0) } ?? []
        hasExcerpt = !excerpt.isEmpty
        href = PageAddress(screen: DetailScreen.name, Parameters([("record", row.id)])).text
        historyHref = PageAddress(screen: HistoryScreen.name, Parameters([("record", row.id)])).text
        isDone = row.isDone == true
        canBeDone = row.isDone != nil
        selectionBox = [frame.selectionBox(row.id, title: row.title)].compactMap(\.self)
        chips = Self.chips(row, types)
        hasChips = !chips.isEmpty
        // Ids and not numbers, which the next list changes while this page is still open.
        let fixed = [("records", row.id)]
        // The label has the title, so that the buttons of different rows differ for a screen reader.
        let (verb, label) = isDone ? ("undone", "Reopen") : ("done", "Done")
        tick =
            canBeDone
            ? [
                frame.form(
                    verb, id: "form-\(verb)-\(row.id)", fixed: fixed, submit: isDone ? "✓" : "",
                    label: "\(label): \(row.title)", isCompact: true)
            ].compactMap(\.self) : []
        remove = [
            frame.form(
                "rm", id: "form-rm-\(row.id)", fixed: fixed, submit: "Delete", label: "Delete: \(row.title)",
                isCompact: true)
        ].compactMap(\.self)
    }

    private static func chips(_ row: ListScreen.State.Row, _ types: DeclaredTypes) -> [Chip] {
        var chips = types.shown.flatMap { Self.chips(of: $0, in: row) }
        if row.isPinned { chips.append(Chip(text: ListScreen.State.Row.pinned, kind: "plain")) }
        if let parts = row.progress {
            chips.append(Chip(text: "\(parts.done) of \(parts.total) parts done", kind: "plain"))
        }
        if row.hasMore { chips.append(Chip(text: "has more text", kind: "plain")) }
        if row.hasConflict { chips.append(Chip(text: "conflict", kind: "bad")) }
        if row.isUnsent { chips.append(Chip(text: ListScreen.State.Row.unsent, kind: "warning")) }
        return chips
    }

    /// Returns the chips of a column. A row without a number is named by its link.
    private static func chips(of column: ListColumn, in row: ListScreen.State.Row) -> [Chip] {
        switch column {
        case .number: []
        case .id, .prefix: row.shortID.isEmpty ? [] : [Chip(text: row.shortID, kind: "plain")]
        case .collection: [Chip(text: row.collection, kind: "plain")]
        case .urgency: row.urgency.map { [Chip(text: "Urgency: \($0.plain)", kind: "plain")] } ?? []
        case .field(let field): Chip.all(of: field, in: row)
        }
    }
}

extension ListRowModel.Chip {
    /// Returns `Overdue by 3 days` for a past day in the short form, `-3d`.
    private static func overdue(_ words: String) -> String {
        guard words.hasPrefix("-"), let days = Int(words.dropFirst().dropLast()) else { return "Overdue: \(words)" }
        return "Overdue by \(days) \(days == 1 ? "day" : "days")"
    }

    /// Returns the chips of a field. A text that is unclear alone has the field's name before it.
    fileprivate static func all(of field: Field, in row: ListScreen.State.Row) -> [Self] {
        guard field.column?.layout != .mark, field.role != .pinned, let value = row.value(of: field) else { return [] }
        let sign = field.column?.sign ?? ""
        switch value {
        case .date(_, let words):
            if field.role == .deadline, row.isOverdue { return [Self(text: overdue(words), kind: "bad")] }
            return [Self(text: "\(field.label) \(words)", kind: field.role == .deadline ? "good" : "plain")]
        case .texts(let texts): return texts.map { Self(text: sign + $0, kind: "plain") }
        case .number(let number): return [Self(text: "\(field.label): \(number.plain)", kind: "plain")]
        case .flag(let flag): return flag ? [Self(text: field.label, kind: "plain")] : []
        case .text(let text):
            let words = field.words(for: text)
            switch field.kind {
            case .choice:
                let shown = field.role == .importance ? "\(words) \(field.label.lowercased())" : words
                return [Self(text: shown, kind: row.tone(of: field).kind)]
            case .custom:
                let shown = String(sign.prefix { !$0.isWhitespace })
                return [Self(text: words, kind: "plain", sign: shown, spoken: field.label.lowercased())]
            case .path: return [Self(text: words, kind: "plain", sign: "▸", spoken: field.label.lowercased())]
            case .title, .text, .word, .words, .moment, .date, .number, .flag, .annotations, .reference, .references,
                .any:
                return [Self(text: "\(field.label): \(words)", kind: "plain")]
            }
        }
    }
}

extension Choice.Tone {
    /// The class of a chip, as that of a fact.
    fileprivate var kind: String {
        switch self {
        case .plain: "plain"
        case .warning: "warning"
        case .strong: "bad"
        }
    }
}
