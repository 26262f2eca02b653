import ControllerKit
import Controllers
import LineView
import Records
import Terminal

enum ListLines {
    /// Shows records under the headings of their groups, in a table that fits the page. On a narrow page, a record has
    /// a line for its title, and others for the rest. Everything that colours show is also in words or letters.
    static let renderer = LineRenderer(
        ListScreen.self, plain: { ListColumns.plain($0) }, table: { ListColumns.table($0) },
        news: { ListNews(since: $0, in: $1).lines(on: $2) }
    ) { state, page in
        ActiveContext.lines(state.context, on: page) + ListRows(state, on: page).lines(of: state)
            + page.lines(state.total == 0 ? EmptyMessage(state).text : summary(of: state), .faint)
    }

    private static func summary(of state: ListScreen.State) -> String {
        let shown = state.rows.count
        let count =
            shown == state.total
            ? (shown == 1 ? "1 record." : "\(shown) records.")
            : ListColumns.windowNote(state)
        return count + (state.rows.contains(where: \.hasConflict) ? " ! conflict: see `conflicts`." : "")
            + (state.rows.contains(where: \.isUnsent) ? " * \(ListScreen.State.Row.unsent)." : "")
    }
}

/// The changes of a list since a user at the prompt last saw it: new, changed and removed rows. An edit that was sent,
/// a date that has other words after midnight, or a longer short id isn't news.
struct ListNews {
    typealias State = ListScreen.State

    private let now: State
    private let rows: [State.Row]
    private let gone: [State.Row]

    init(since seen: State, in now: State) {
        self.now = now
        // Not `uniqueKeysWithValues`, which traps: ids are unique within a collection only.
        let before = Dictionary(seen.rows.map { ($0.id, $0.withoutMarks) }) { first, _ in first }
        let kept = Set(now.rows.map(\.id))
        rows = now.rows.filter { before[$0.id] != $0.withoutMarks }
        // In another list or window, a missing row doesn't mean a deletion.
        let isSameList = seen.filter == now.filter && seen.offset == now.offset
        gone = isSameList ? seen.rows.filter { !kept.contains($0.id) } : []
    }

    /// Returns the rows under the headings of their groups, and a line for each removed row.
    func lines(on page: LinePage) -> [String] {
        var shown = now
        shown.rows = rows
        let lines = ListRows(now, on: page).lines(of: shown, counting: now.rows, hasTitles: false)
        return lines + gone.map { page.text("Deleted: “\($0.title.sanitizedLine)”", .faint) }
    }
}

extension ListScreen.State.Row {
    /// The row without the parts that change with time or only concern sending.
    fileprivate var withoutMarks: Self {
        var row = self
        (row.isUnsent, row.isOverdue, row.prefix, row.urgency) = (false, false, "", nil)
        // The columns show what is news in a list.
        row.typed = TypedFields()
        row.values = row.values.mapValues(\.withoutWords)
        row.additional = row.additional.mapValues(\.withoutWords)
        return row
    }
}

extension ListScreen.State.Value {
    /// A date without its words, which change at midnight; any other value unchanged.
    fileprivate var withoutWords: Self {
        if case .date(let date, _) = self { .date(date, words: "") } else { self }
    }
}
