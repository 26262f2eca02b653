import ControllerKit
import Controllers
import WebPageView

enum ConflictsPage {
    /// What merges could not keep.
    static let renderer = WebRenderer(
        ConflictsScreen.self, title: "Conflicts", placed: ["conflicts", "resolve"],
        reading: { parameters in
            if let conflict = parameters["conflict"] {
                return PageReading(verb: "conflicts", values: ["conflict": .text(conflict)])
            }
            return PageReading(
                verb: "conflicts", values: parameters["settled"] == "true" ? ["settled": .flag(true)] : [:])
        },
        asks: { $0.draft.map { _ in WebQuestion("Edit the text below, then save it.") } },
        content: { state, frame in frame.templates.html("conflicts", ConflictsModel(state, frame)) })
}

/// Conflicts as the template `conflicts` shows them.
struct ConflictsModel {
    let rows: [ConflictModel]
    let isEmpty: Bool
    let areSettled: Bool
    let isWhole: Bool
    let more: String
    let hasMore: Bool

    init(_ state: ConflictsScreen.State, _ frame: PageFrame) {
        rows = state.rows.map { row in
            ConflictModel(row, draft: state.draft?.conflict == row.id ? state.draft?.text : nil, frame)
        }
        isEmpty = rows.isEmpty
        areSettled = state.areSettled
        isWhole = state.isWhole
        let left = state.total - state.rows.count
        hasMore = left > 0 && !state.isWhole
        more = "\(left) more: resolve some of these, then reload the page."
    }
}
