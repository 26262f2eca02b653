import ControllerKit
import Controllers

extension LinePolish {
    /// The filters that have names, as they are used and as they were typed.
    static let savedLists = LinePolish(
        SavedListsScreen.self, plain: { state in PlainAnswer(rows: state.lists.map { [$0.name, $0.filter] }) }
    ) { state, page in
        if state.lists.isEmpty { return page.lines("No saved filters. Example: save shopping +shop due<eow") }
        return Fact.lines(state.lists.map { Fact("@" + $0.name, $0.filter) }, on: page)
    }
}
