import ControllerKit
import Controllers
import WebPageView

/// A row of a list as the template `row` shows it.
struct ListRowModel {
    let id: String
    let title: String
    /// The title, with what was sought marked.
    let pieces: [TextPieceModel]
    /// A part of the other text in which something was sought.
    let excerpt: [TextPieceModel]
    let hasExcerpt: Bool
    let href: String
    let historyHref: String
    let isDone: Bool
    let chips: [Chip]
    let hasChips: Bool
    /// The form of the round button; a note has none.
    let tick: [FormModel]
    let isNote: Bool
    let remove: [FormModel]

    /// A fact in a word or two, readable without its colour.
    struct Chip {
        let text: String
        let kind: String
        /// The sign before it, which is only seen, and the word that a screen reader says instead.
        let (sign, spoken): (String, String)
        let (hasSign, hasSpoken): (Bool, Bool)

        init(text: String, kind: String, sign: String = "", spoken: String = "") {
            (self.text, self.kind, self.sign, self.spoken) = (text, kind, sign, spoken)
            (hasSign, hasSpoken) = (!sign.isEmpty, !spoken.isEmpty)
        }
    }

    init(_ row: ListScreen.State.Row, _ frame: PageFrame) {
        id = row.id
        title = row.title
        pieces = row.match?.title.map { TextPieceModel($0) } ?? [TextPieceModel(row.title)]
        excerpt = row.match?.excerpt.map { TextPieceModel($0) } ?? []
        hasExcerpt = !excerpt.isEmpty
        href = PageAddress(screen: DetailScreen.name, Parameters([("record", row.id)])).text
        historyHref = PageAddress(screen: HistoryScreen.name, Parameters([("record", row.id)])).text
        isDone = row.status == "completed"
        isNote = row.status == nil
        chips = Self.chips(row, frame.clock)
        hasChips = !chips.isEmpty
        let fixed = [("records", row.id)]
        let (verb, label) = isDone ? ("undone", "Reopen") : ("done", "Done")
        tick =
            isNote
            ? []
            : [
                frame.form(
                    verb, id: "form-\(verb)-\(row.id)", fixed: fixed, submit: isDone ? "✓" : "",
                    label: "\(label): \(row.title)", isCompact: true)
            ].compactMap(\.self)
        remove = [
            frame.form(
                "rm", id: "form-rm-\(row.id)", fixed: fixed, submit: "Delete", label: "Delete: \(row.title)",
                isCompact: true)
        ].compactMap(\.self)
    }

    private static func chips(_ row: ListScreen.State.Row, _ clock: PageClock) -> [Chip] {
        var chips: [Chip] = []
        if let due = row.due {
            let day = row.dueWords ?? clock.near(due)
            chips.append(
                row.isOverdue ? Chip(text: "Overdue: \(day)", kind: "bad") : Chip(text: "Due \(day)", kind: "due"))
        }
        if let rule = row.repeat { chips.append(Chip(text: rule, kind: "repeat", sign: "⟳", spoken: "repeats")) }
        if let priority = row.priority { chips.append(Chip(text: word(for: priority), kind: "priority-\(priority)")) }
        if let project = row.project { chips.append(Chip(text: project, kind: "project")) }
        chips += row.tags.map { Chip(text: "+" + $0, kind: "tag") }
        if row.hasMore { chips.append(Chip(text: "has more", kind: "plain")) }
        if row.isUnsent { chips.append(Chip(text: "not sent", kind: "warning")) }
        return chips
    }

    private static func word(for priority: String) -> String {
        switch priority {
        case "H": "High priority"
        case "M": "Medium priority"
        case "L": "Low priority"
        default: "Priority \(priority)"
        }
    }
}
