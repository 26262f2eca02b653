import ControllerKit
import Controllers
import LineView
import Terminal
import WebPageView

enum SavedListsLines {
    /// Shows the saved filters, with the name to use and the filter as typed.
    static let renderer = LineRenderer(
        SavedListsScreen.self, plain: { state in PlainAnswer(rows: state.lists.map { [$0.name, $0.filter] }) }
    ) { state, page in
        if state.lists.isEmpty { return page.lines("No saved filters. Example: save plumbing plumb pipe") }
        return Fact.lines(state.lists.map { Fact("@" + $0.name, $0.filter) }, on: page)
    }
}

enum SavedListsPage {
    /// Shows the saved filters.
    static let renderer = WebRenderer(
        SavedListsScreen.self, title: "Saved filters", place: .elsewhere, placed: ["lists", "save", "forget"],
        reading: { _ in PageReading(verb: "lists", values: [:]) }, isBlank: \.lists.isEmpty,
        content: { state, frame in frame.templates.html("lists", SavedListsModel(state, frame)) })
}

/// The saved filters for the template `lists`.
struct SavedListsModel {
    let lists: [Saved]
    /// The title of the link to the list.
    let listTitle: String
    let isEmpty: Bool
    let save: [FormModel]

    /// A saved filter.
    struct Saved {
        let name: String
        let href: String
        let filter: String
        let forget: [FormModel]
    }

    init(_ state: SavedListsScreen.State, _ frame: PageFrame) {
        lists = state.lists.map { list in
            let forget = frame.form(
                "forget", id: "form-forget-\(list.name)", fixed: [("names", list.name)], submit: "Forget",
                label: "Forget \(list.name)", isCompact: true)
            return Saved(
                name: list.name, href: Self.href(of: list), filter: list.filter, forget: [forget].compactMap(\.self))
        }
        listTitle = frame.title(of: ListScreen.name)
        isEmpty = lists.isEmpty
        save = [frame.form("save", submit: "Save")].compactMap(\.self)
    }

    /// Returns the links to the saved filters. The state is kept open by the head of the page.
    static func links(in frame: PageFrame) -> [PageLink] {
        (frame.states[SavedListsScreen.self]?.lists ?? []).map { list in
            .init(href: href(of: list), title: list.name, isHere: frame.address.parameters["filter"] == "@" + list.name)
        }
    }

    private static func href(of list: SavedListsScreen.State.Saved) -> String {
        PageAddress(screen: ListScreen.name, Parameters([("filter", "@" + list.name)])).text
    }
}
