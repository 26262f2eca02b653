import ControllerKit
import Controllers
import WebPageView

enum SyncPage {
    /// The status of the sync, and why.
    static let renderer = WebRenderer(
        SyncScreen.self, title: "Sync", key: "s", placed: ["status"],
        reading: { parameters in
            PageReading(verb: "status", values: parameters["record"].map { ["record": .text($0)] } ?? [:])
        },
        subject: { $0.record?.title },
        content: { state, frame in frame.templates.html("sync", SyncModel(state, frame)) })
}

/// The sync as the template `sync` shows it.
struct SyncModel {
    let facts: [PageFact]
    let exceptions: [Exceptions]
    let now: [FormModel]

    /// Records that a sync leaves out.
    struct Exceptions {
        let id: String
        let heading: String
        let rows: [Row]
    }

    struct Row {
        let title: String
        let href: String
        let reason: String
    }

    init(_ state: SyncScreen.State, _ frame: PageFrame) {
        facts = SyncFacts(state, .page(frame.clock)).all.map { PageFact($0) }
        exceptions = [
            Exceptions(
                id: "refused", heading: SyncExceptions.refused,
                rows: state.rejected.map { Row(title: $0.title, href: Self.href(of: $0.id), reason: $0.reason) }),
            Exceptions(
                id: "oversized", heading: SyncExceptions.oversized,
                rows: state.oversized.map { Row(title: $0.summary, href: Self.href(of: $0.id), reason: "") }),
        ].filter { !$0.rows.isEmpty }
        now = [frame.form("sync", id: "form-sync-now", fixed: [], submit: "Sync now", isCompact: true)?.bare]
            .compactMap(\.self)
    }

    private static func href(of id: String) -> String {
        PageAddress(screen: DetailScreen.name, Parameters([("record", id)])).text
    }
}
