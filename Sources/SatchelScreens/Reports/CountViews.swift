import ControllerKit
import Controllers
import LineView
import Terminal
import WebPageView

enum CountLines {
    /// Shows the number.
    static let renderer = LineRenderer(
        CountScreen.self, plain: { PlainAnswer(rows: [[String($0.count)]]) },
        table: { state in PlainTable(columns: [CountScreen.name], count: 1) { _, _ in String(state.count) } }
    ) { state, page in
        ActiveContext.lines(state.context, on: page) + [String(state.count)]
    }
}

enum CountPage {
    /// Shows the number.
    static let renderer = WebRenderer(
        CountScreen.self, title: "Count", place: .elsewhere, placed: [CountScreen.name],
        reading: { ReportHead.reading(CountScreen.name, $0) },
        content: { state, frame in frame.templates.html("count", CountModel(state, frame)) })
}

/// A number of records for the template `count`.
struct CountModel {
    let head: [ReportHead]
    let count: Int

    init(_ state: CountScreen.State, _ frame: PageFrame) {
        head = [ReportHead(CountScreen.name, filter: state.filter, state.context, frame)]
        count = state.count
    }
}
