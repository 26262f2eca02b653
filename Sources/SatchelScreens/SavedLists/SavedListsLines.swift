import ControllerKit
import Controllers
import LineView
import Terminal

enum SavedListsLines {
    /// The filters that have names, as they are used and as they were typed.
    static let renderer = LineRenderer(
        SavedListsScreen.self, plain: { state in PlainAnswer(rows: state.lists.map { [$0.name, $0.filter] }) }
    ) { state, page in
        if state.lists.isEmpty { return page.lines("No saved filters. Example: save shopping +shop due<eow") }
        return Fact.lines(state.lists.map { Fact("@" + $0.name, $0.filter) }, on: page)
    }
}
