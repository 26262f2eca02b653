import ControllerKit
import Controllers
import WebPageView

/// Rows of a list under one heading, as the template `list` shows them. Pure.
struct ListGroup {
    let title: String
    let id: String
    let count: Int
    let hasTitle: Bool
    let rows: [ListRowModel]

    /// The groups as the list has them, in its order; one without a heading where it isn't grouped.
    static func all(_ rows: [ListScreen.State.Row], _ frame: PageFrame) -> [Self] {
        var chunks: [[ListScreen.State.Row]] = []
        for row in rows {
            if let last = chunks.last?.last, last.group == row.group {
                chunks[chunks.count - 1].append(row)
            } else {
                chunks.append([row])
            }
        }
        return chunks.map { Self($0, frame) }
    }

    private init(_ rows: [ListScreen.State.Row], _ frame: PageFrame) {
        let group = rows.first?.group
        title = group?.title ?? ""
        id = group?.rawValue ?? "found"
        count = rows.count
        hasTitle = group != nil
        self.rows = rows.map { ListRowModel($0, frame) }
    }
}
