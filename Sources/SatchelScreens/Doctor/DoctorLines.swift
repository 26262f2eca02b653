import ControllerKit
import Controllers
import LineView
import Terminal

enum DoctorLines {
    /// A line for each check, and below it what to do.
    static let renderer = LineRenderer(DoctorScreen.self) { state, page in
        let marks = (state.checks.map { mark($0.verdict).count }.max() ?? 0) + gap
        let names = (state.checks.map(\.name.displayWidth).max() ?? 0) + gap
        return state.checks.flatMap { lines(of: $0, marks, names, page) } + differences(state, page)
    }

    private static let gap = 2

    /// The verdict and the name in columns, then the detail and the remedy, wrapped to the rest of the page.
    private static func lines(
        of check: DoctorScreen.State.Check, _ marks: Int, _ names: Int, _ page: LinePage
    ) -> [String] {
        let mark = mark(check.verdict)
        let begin = marks + names
        let detail = LinePage(columns: page.columns.map { max($0 - begin, 1) })
            .lines(check.detail + (check.remedy.map { " → " + $0 } ?? ""))
        let label =
            page.text(mark, emphasis(check.verdict)) + String(repeating: " ", count: marks - mark.count)
            + page.text(check.name, .faint) + String(repeating: " ", count: names - check.name.displayWidth)
        return detail.enumerated().map { ($0 == 0 ? label : String(repeating: " ", count: begin)) + $1 }
    }

    private static func mark(_ verdict: DoctorScreen.State.Verdict) -> String {
        switch verdict {
        case .ok: "ok"
        case .warning: "warning"
        case .broken: "broken"
        case .skipped: "skipped"
        }
    }

    private static func emphasis(_ verdict: DoctorScreen.State.Verdict) -> Emphasis {
        switch verdict {
        case .ok: .good
        case .warning: .warning
        case .broken: .bad
        case .skipped: .faint
        }
    }

    private static func differences(_ state: DoctorScreen.State, _ page: LinePage) -> [String] {
        guard !state.differences.isEmpty else { return [] }
        let rows = state.differences.map { row in
            Table.Row.cells([
                .init(page.columns == nil ? row.id : String(row.id.prefix(8)), .faint), .init(words(row.kind)),
                .init(row.title ?? row.collection),
            ])
        }
        let more = state.differing - state.differences.count
        let heading = page.text("Records that differ from the server's:", .strong)
        return ["", heading] + Table([.init(""), .init(""), .init("", canShrink: true)], rows).lines(on: page)
            + (more > 0 ? ["and \(more) more"] : [])
    }

    private static func words(_ kind: String) -> String {
        switch kind {
        case "missing-here": "not here"
        case "missing-there": "not on the server"
        case "version": "another version"
        case "too-large": "too large to be received"
        default: "other contents"
        }
    }
}
