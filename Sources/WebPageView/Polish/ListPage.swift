internal import ControllerKit
internal import Controllers

extension WebPolish {
    /// Tasks and notes.
    static let list = WebPolish(
        ListScreen.self, title: "Tasks and notes", placed: ["list", "search", "add", "done", "undone", "rm"],
        reading: { parameters in
            if let words = parameters["words"] {
                return PageReading(verb: "search", values: ["words": .list(Words.split(words))])
            }
            var values: ArgumentValues = [:]
            let filter = Words.split(parameters["filter"] ?? "")
            if !filter.isEmpty { values["filter"] = .list(filter) }
            for name in ["limit", "offset"] {
                if let number = parameters[name].flatMap({ Int($0) }) { values[name] = .integer(number) }
            }
            return PageReading(verb: "list", values: values)
        },
        content: { state, frame in frame.templates.html("list", ListModel(state, frame)) })
}

/// A list as the template `list` shows it.
struct ListModel {
    let filter: String
    let rows: [Row]
    let isEmpty: Bool
    let add: [FormModel]

    struct Row {
        let id: String
        let title: String
        let href: String
        let forms: [FormModel]
    }

    init(_ state: ListScreen.State, _ frame: PageFrame) {
        filter = state.filter
        add = [frame.form("add")].compactMap(\.self)
        rows = state.rows.map { row in
            Row(
                id: row.id, title: row.title,
                href: PageAddress(screen: DetailScreen.name, Parameters([("record", row.id)])).text,
                forms: [
                    frame.form(
                        row.status == "completed" ? "undone" : "done", id: "form-done-\(row.id)",
                        fixed: [("records", row.id)], submit: row.status == "completed" ? "Reopen" : "Done",
                        isCompact: true),
                    frame.form(
                        "rm", id: "form-rm-\(row.id)", fixed: [("records", row.id)], submit: "Delete", isCompact: true),
                ].compactMap(\.self))
        }
        isEmpty = rows.isEmpty
    }
}
