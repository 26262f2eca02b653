import ControllerKit
import Controllers
import LineView
import Terminal
import WebPageView

// The wording of findings in all views.

extension DoctorScreen.State.Verdict {
    var word: String {
        switch self {
        case .ok: "ok"
        case .warning: "warning"
        case .broken: "broken"
        case .skipped: "skipped"
        }
    }

    var severity: Severity {
        switch self {
        case .ok: .good
        case .warning: .warning
        case .broken: .bad
        case .skipped: .faint
        }
    }
}

extension DoctorScreen.State.Difference.Kind {
    var words: String {
        switch self {
        case .missingHere: "not here"
        case .missingThere: "not on the server"
        case .version: "another version"
        case .contents: "other contents"
        case .tooLarge: "too large to be received"
        }
    }
}

extension DoctorScreen.State {
    static let differencesHeading = "Records that differ from the server's"
}

enum DoctorLines {
    /// Shows a line for each check, with the remedy after it.
    static let renderer = LineRenderer(DoctorScreen.self) { state, page in
        let marks = (state.checks.map { $0.verdict.word.count }.max() ?? 0) + gap
        let names = (state.checks.map(\.name.rawValue.displayWidth).max() ?? 0) + gap
        return state.checks.flatMap { lines(of: $0, marks, names, page) } + differences(state, page)
    }

    private static let gap = 2

    /// Returns the verdict and the name in columns, then the detail and the remedy, wrapped to the rest of the page.
    private static func lines(
        of check: DoctorScreen.State.Check, _ marks: Int, _ names: Int, _ page: LinePage
    ) -> [String] {
        let mark = check.verdict.word
        let begin = marks + names
        // At least one column, on a terminal that is narrower than the labels.
        let detail = LinePage(columns: page.columns.map { max($0 - begin, 1) })
            .lines(check.detail + (check.remedy.map { " → " + $0 } ?? ""))
        let label =
            page.text(mark, check.verdict.severity.emphasis) + String(repeating: " ", count: marks - mark.count)
            + page.text(check.name.rawValue, .faint)
            + String(repeating: " ", count: names - check.name.rawValue.displayWidth)
        return detail.enumerated().map { ($0 == 0 ? label : String(repeating: " ", count: begin)) + $1 }
    }

    private static func differences(_ state: DoctorScreen.State, _ page: LinePage) -> [String] {
        guard !state.differences.isEmpty else { return [] }
        let rows = state.differences.map { row in
            Table.Row.cells([
                // A program gets the full id, since a short one may become ambiguous.
                .init(page.columns == nil ? row.id : String(row.id.prefix(8)), .faint), .init(row.kind.words),
                .init(row.title ?? row.collection),
            ])
        }
        let more = state.differing - state.differences.count
        let heading = page.text(DoctorScreen.State.differencesHeading + ":", .strong)
        return ["", heading] + Table([.init(""), .init(""), .init("", canShrink: true)], rows).lines(on: page)
            + (more > 0 ? ["and \(more) more"] : [])
    }
}

enum DoctorPage {
    /// Shows the checks of the home.
    static let renderer = WebRenderer(
        DoctorScreen.self, title: "Doctor", place: .further,
        content: { state, frame in frame.templates.html("doctor", DoctorModel(state, frame)) })
}

/// The checks for the template `doctor`.
struct DoctorModel {
    let check: [FormModel]
    let isChecking: Bool
    /// Whether nothing was checked yet.
    let isFresh: Bool
    let checks: [Check]
    let hasChecks: Bool
    let differences: [Difference]
    let hasDifferences: Bool
    let differing: Int
    let heading = DoctorScreen.State.differencesHeading

    /// A check and its result.
    struct Check {
        let name: String
        let verdict: String
        /// The style of the verdict.
        let kind: String
        let detail: String
        let remedy: String
        let hasRemedy: Bool
    }

    /// A record that differs from the server's.
    struct Difference {
        let title: String
        let href: String
        let kind: String
    }

    init(_ state: DoctorScreen.State, _ frame: PageFrame) {
        // An array of at most one form, here and in the other models: a template's section is repeated for each
        // element, and a program's catalogue may lack the verb.
        check = [frame.form("doctor", id: "form-doctor-now", submit: "Check now", isCompact: true)?.bare]
            .compactMap(\.self)
        isChecking = state.isChecking
        checks = state.checks.map(Check.init)
        hasChecks = !checks.isEmpty
        isFresh = !hasChecks && !isChecking
        differences = state.differences.map { difference in
            Difference(
                title: difference.title ?? difference.id,
                href: PageAddress(screen: DetailScreen.name, Parameters([("record", difference.id)])).text,
                kind: difference.kind.words)
        }
        differing = state.differing
        hasDifferences = !differences.isEmpty
    }
}

extension DoctorModel.Check {
    fileprivate init(_ check: DoctorScreen.State.Check) {
        name = check.name.rawValue.capitalisedFirst
        (verdict, kind) = (check.verdict.word, check.verdict.severity.kind.rawValue)
        detail = check.detail
        remedy = check.remedy ?? ""
        hasRemedy = check.remedy != nil
    }
}
