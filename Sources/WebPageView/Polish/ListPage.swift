internal import ControllerKit
internal import Controllers

extension WebPolish {
    /// Tasks and notes.
    static let list = WebPolish(
        ListScreen.self, title: "Tasks and notes", placed: ["list", "search", "add", "note", "done", "undone", "rm"],
        reading: reading, content: { state, frame in frame.templates.html("list", ListModel(state, frame)) })

    private static func reading(_ parameters: Parameters) -> PageReading? {
        let words = Words.split(parameters["filter"] ?? parameters["words"] ?? "")
        if parameters["search"] != nil || parameters["words"] != nil, !words.isEmpty {
            return PageReading(verb: "search", values: ["words": .list(words)])
        }
        var values: ArgumentValues = words.isEmpty ? [:] : ["filter": .list(words)]
        for name in ["limit", "offset"] {
            if let number = parameters[name].flatMap({ Int($0) }) { values[name] = .integer(number) }
        }
        return PageReading(verb: "list", values: values)
    }
}

/// A list as the template `list` shows it.
struct ListModel {
    let filter: String
    let shortcuts: [PageModel.Link]
    let add: [FormModel]
    let note: [FormModel]
    let groups: [Group]
    let isEmpty: Bool
    /// Whether nothing is left out that could be found.
    let isBlank: Bool
    let summary: String
    let previous: [PageModel.Link]
    let next: [PageModel.Link]

    /// Rows under one heading.
    struct Group {
        let title: String
        let id: String
        let count: Int
        let hasTitle: Bool
        let rows: [ListRowModel]
    }

    init(_ state: ListScreen.State, _ frame: PageFrame) {
        filter = state.filter
        let asked = frame.address.parameters["filter"]
        shortcuts = Self.shortcuts.map { title, filter in
            .init(href: Self.link(filter), title: title, isHere: asked == filter)
        }
        add = [frame.form("add", submit: "Add task")].compactMap(\.self)
        note = [frame.form("note", submit: "Add note")].compactMap(\.self)
        let isRanked = frame.address.parameters["search"] != nil || state.filter.contains("sort:")
        groups = Self.groups(state.rows, frame, isRanked: isRanked)
        isEmpty = state.rows.isEmpty
        isBlank = isEmpty && state.filter.isEmpty
        let end = state.offset + state.rows.count
        summary =
            end - state.offset == state.total
            ? (state.total == 1 ? "1 record" : "\(state.total) records")
            : "\(state.offset + 1)–\(end) of \(state.total) records"
        let size = ListScreen.windowDefault
        previous = state.offset > 0 ? [Self.window(state, frame, at: max(0, state.offset - size), "Previous")] : []
        next = end < state.total && !isEmpty ? [Self.window(state, frame, at: end, "Next")] : []
    }

    private static let shortcuts = [
        ("To do", ""), ("Today", "due<=today"), ("Overdue", "overdue"), ("Notes", "note"), ("Done", "done"),
        ("Everything", "all"),
    ]

    private static func link(_ filter: String) -> String {
        PageAddress(screen: ListScreen.name, Parameters([("filter", filter)])).text
    }

    private static func window(
        _ state: ListScreen.State, _ frame: PageFrame, at offset: Int, _ title: String
    ) -> PageModel.Link {
        let query = Parameters([("filter", state.filter), ("offset", String(offset))])
        return .init(href: PageAddress(screen: ListScreen.name, query).text, title: title, isHere: false)
    }

    private static func groups(_ rows: [ListScreen.State.Row], _ frame: PageFrame, isRanked: Bool) -> [Group] {
        if rows.isEmpty { return [] }
        if isRanked {
            return [
                Group(
                    title: "", id: "found", count: rows.count, hasTitle: false,
                    rows: rows.map { ListRowModel($0, frame) })
            ]
        }
        let placed = Dictionary(grouping: rows) { DueGroup($0, frame.clock) }
        return DueGroup.allCases.compactMap { group in
            placed[group].map { rows in
                Group(
                    title: group.title, id: group.rawValue, count: rows.count, hasTitle: true,
                    rows: rows.map { ListRowModel($0, frame) })
            }
        }
    }
}
