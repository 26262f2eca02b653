import ControllerKit
import Controllers
import WebPageView

enum DoctorPage {
    /// Whether everything on this home is as it must be.
    static let renderer = WebRenderer(
        DoctorScreen.self, title: "Doctor", place: .further,
        content: { state, frame in frame.templates.html("doctor", DoctorModel(state, frame)) })
}

/// What was checked, as the template `doctor` shows it.
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

    /// One thing that was looked at.
    struct Check {
        let name: String
        let verdict: String
        /// As the verdict is drawn.
        let kind: String
        let detail: String
        let remedy: String
        let hasRemedy: Bool
    }

    /// A record that isn't held as the server has it.
    struct Difference {
        let title: String
        let href: String
        let kind: String
    }

    init(_ state: DoctorScreen.State, _ frame: PageFrame) {
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
                kind: difference.kind.replacing("-", with: " "))
        }
        differing = state.differing
        hasDifferences = !differences.isEmpty
    }
}

extension DoctorModel.Check {
    fileprivate init(_ check: DoctorScreen.State.Check) {
        name = check.name.capitalisedFirst
        (verdict, kind) =
            switch check.verdict {
            case .ok: ("all right", "good")
            case .warning: ("warning", "warning")
            case .broken: ("wrong", "bad")
            case .skipped: ("not checked", "faint")
            }
        detail = check.detail
        remedy = check.remedy ?? ""
        hasRemedy = check.remedy != nil
    }
}
