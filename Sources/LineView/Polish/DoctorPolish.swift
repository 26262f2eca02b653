import ControllerKit
import Controllers

extension LinePolish {
    /// A line for each check, and below it what to do.
    static let doctor = LinePolish(DoctorScreen.self) { state, page in
        let rows = state.checks.map { check in
            Table.Row.cells([
                .init(mark(check.verdict), emphasis(check.verdict)), .init(check.name, .faint),
                .init(check.detail + (check.remedy.map { " → " + $0 } ?? "")),
            ])
        }
        return Table([.init(""), .init(""), .init("")], rows).lines(on: page) + differences(state, page)
    }

    private static func mark(_ verdict: DoctorScreen.State.Verdict) -> String {
        switch verdict {
        case .ok: "ok"
        case .warning: "look"
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
