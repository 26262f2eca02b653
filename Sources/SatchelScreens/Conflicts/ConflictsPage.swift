import ControllerKit
import Controllers
import Foundation
import WebPageView

enum ConflictsPage {
    /// Shows the conflicts.
    static let renderer = WebRenderer(
        ConflictsScreen.self, title: "Conflicts", key: "c", placed: ["conflicts", "resolve"],
        reading: { parameters in
            if let conflict = parameters["conflict"] {
                return PageReading(verb: "conflicts", values: ["conflict": .text(conflict)])
            }
            let isOfResolved = parameters["resolved"].flatMap(Bool.init) ?? false
            return PageReading(verb: "conflicts", values: isOfResolved ? ["resolved": .flag(true)] : [:])
        },
        isBlank: { $0.rows.isEmpty && $0.total > 0 },
        asks: { $0.draft.map { _ in WebQuestion("Edit the text below, then save it.") } },
        content: { state, frame in frame.templates.html("conflicts", ConflictsModel(state, frame)) })
}

/// Conflicts for the template `conflicts`.
struct ConflictsModel {
    let rows: [ConflictModel]
    let isEmpty: Bool
    let areResolved: Bool
    let isWhole: Bool
    let more: String
    let hasMore: Bool

    init(_ state: ConflictsScreen.State, _ frame: PageFrame) {
        rows = state.rows.map { row in
            ConflictModel(row, draft: state.draft?.conflict == row.id ? state.draft?.text : nil, frame)
        }
        isEmpty = rows.isEmpty
        areResolved = state.areResolved
        isWhole = state.isWhole
        let left = state.total - state.rows.count
        hasMore = left > 0 && !state.isWhole
        more = "\(left) more: resolve some of these, then reload the page."
    }
}

/// A conflict for the template `conflict`: both versions side by side, and the choices.
struct ConflictModel {
    let id: String
    let recordTitle: String
    let recordHref: String
    let wholeHref: String
    let isGone: Bool
    let field: String
    let outcome: String
    let earlier: Side
    let later: Side
    let diff: [DiffModel]
    let hasDiff: Bool
    let isCut: Bool
    let choices: [Choice]
    let csrf: String
    let at: String
    let draft: String
    let hasDraft: Bool

    /// One of the two versions.
    struct Side {
        let maker: String
        let value: String
        let isRemoved: Bool
    }

    /// A choice that resolves the conflict.
    struct Choice {
        let word: String
        let choiceLabel: String
    }

    init(_ row: ConflictsScreen.State.Row, draft: String?, _ frame: PageFrame) {
        id = row.id
        recordTitle = row.title
        recordHref = PageAddress(screen: DetailScreen.name, Parameters([("record", row.record)])).text
        wholeHref = PageAddress(screen: ConflictsScreen.name, Parameters([("conflict", row.id)])).text
        isGone = row.isRecordDeleted
        field = row.label
        outcome = row.outcome(.page(frame.clock)).capitalisedFirst + "."
        earlier = Side(row.earlier, row, frame.clock)
        later = Side(row.later, row, frame.clock)
        diff = row.diff.map { [DiffModel($0)] } ?? []
        hasDiff = row.diff != nil
        isCut = row.earlier.isCut || row.later.isCut || (row.diff?.left ?? 0) > 0
        choices = Self.choices(for: row)
        (csrf, at) = (frame.csrf, frame.address.text)
        // Escaped here against injected HTML, since the template inserts it as it is. Not sanitized: the form sends
        // it back.
        self.draft = (draft ?? "").escaped(sanitizing: false)
        hasDraft = draft != nil
    }

    /// Returns the choices. `mine` and `theirs` are the first, if this device made exactly one of the versions.
    private static func choices(for row: ConflictsScreen.State.Row) -> [Choice] {
        // Otherwise `resolve` refuses these two.
        let mine: [ConflictsScreen.Choice] = row.earlier.isMine != row.later.isMine ? [.mine, .theirs] : []
        let choices = mine + [.earlier, .later, .both, .keep, .edit]
        return choices.map { Choice(word: $0.rawValue, choiceLabel: $0.label) }
    }
}

extension ConflictModel.Side {
    init(_ edit: ConflictsScreen.State.Edit, _ row: ConflictsScreen.State.Row, _ clock: PageClock) {
        maker = edit.maker + (edit.at.map { ", \(clock.near($0))" } ?? "")
        value = row.shown(edit.value ?? "").text(in: clock.calendar.timeZone, clock.long) + (edit.isCut ? "…" : "")
        isRemoved = edit.value == nil
    }
}
