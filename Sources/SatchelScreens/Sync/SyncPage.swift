import ControllerKit
import Controllers
import WebPageView

enum SyncPage {
    /// The status of the sync, and why.
    static let renderer = WebRenderer(
        SyncScreen.self, title: "Sync", placed: ["status"],
        reading: { parameters in
            PageReading(verb: "status", values: parameters["record"].map { ["record": .text($0)] } ?? [:])
        },
        content: { state, frame in frame.templates.html("sync", SyncModel(state, frame)) })
}

/// The sync as the template `sync` shows it.
struct SyncModel {
    let heading: String
    let facts: [PageFact]
    let rejected: [Rejected]
    let hasRejected: Bool
    let now: [FormModel]

    /// A record that the server refused.
    struct Rejected {
        let title: String
        let href: String
        let reason: String
    }

    init(_ state: SyncScreen.State, _ frame: PageFrame) {
        heading = state.record?.title ?? ""
        facts = state.record.map { Self.facts(of: $0, frame.clock) } ?? Self.facts(of: state, frame.clock)
        rejected = state.rejected.map {
            Rejected(
                title: $0.title,
                href: PageAddress(screen: DetailScreen.name, Parameters([("record", $0.id)])).text, reason: $0.reason)
        }
        hasRejected = !rejected.isEmpty
        now = [frame.form("sync", id: "form-sync-now", fixed: [], submit: "Sync now", isCompact: true)?.bare]
            .compactMap(\.self)
    }

    private static func facts(of state: SyncScreen.State, _ clock: PageClock) -> [PageFact] {
        var facts = [account(state), unsent(state)]
        if state.conflicts > 0 { facts.append(PageFact("conflicts", "\(state.conflicts) to resolve", kind: "warning")) }
        facts.append(PageFact("last sync", state.lastSyncedAt.map(clock.near) ?? "never"))
        if let since = state.offlineSince {
            facts.append(PageFact("offline", "since \(clock.near(since))", kind: "warning"))
        }
        if let at = state.retryAt { facts.append(PageFact("next try", clock.near(at))) }
        if let obstacle = state.obstacle { facts.append(PageFact("home", obstacle, kind: "bad")) }
        if let problem = state.lastProblem { facts.append(PageFact("problem", problem, kind: "bad")) }
        if let fate = state.rebuilt {
            facts.append(PageFact("cache", "New, and not yet filled from the server. \(fate)", kind: "bad"))
        }
        for row in state.oversized {
            let name = row.title.isEmpty ? "\(row.collection) \(row.id)" : row.title
            facts.append(
                PageFact("not received", "\(name) has \(row.bytes >> 20) MiB on the server: too large.", kind: "bad"))
        }
        if let news = state.news { facts.append(PageFact("news", news, kind: "warning")) }
        let since = state.syncingSince.map { " since \(clock.near($0))" } ?? ""
        if state.isSyncing { facts.append(PageFact("now", "syncing" + since)) }
        if state.isSyncingElsewhere {
            let process = state.syncingProcess.map { " (process \($0))" } ?? ""
            facts.append(PageFact("now", "another process with this home\(process) is syncing\(since)"))
        }
        if state.isLive {
            facts.append(PageFact("live", "connected: changes of other devices arrive at once", kind: "good"))
        }
        facts.append(PageFact("automatic", state.isAutomatic ? "yes" : "no, only when `sync` is run"))
        return facts
    }

    private static func account(_ state: SyncScreen.State) -> PageFact {
        guard let username = state.username, let server = state.server else {
            return PageFact("account", "none; only syncing needs one")
        }
        if state.isSignedIn { return PageFact("account", "\(username) on \(server)") }
        return PageFact("account", "\(username) on \(server): \(SessionModel.ended(state.ended))", kind: "warning")
    }

    private static func unsent(_ state: SyncScreen.State) -> PageFact {
        if state.unsent == 0 { return PageFact("not sent", "nothing", kind: "good") }
        let count = state.unsent == 1 ? "1 record" : "\(state.unsent) records"
        return PageFact("not sent", "\(count): \(words(for: state.why ?? .rejected))", kind: "warning")
    }

    private static func facts(of record: RecordStanding, _ clock: PageClock) -> [PageFact] {
        var facts = [PageFact("id", record.id)]
        facts.append(
            record.isUnsent
                ? PageFact("synced", "no: \(words(for: record.why ?? .manual))", kind: "warning")
                : PageFact("synced", "yes, version \(record.version ?? 0)", kind: "good"))
        if let at = record.editedAt { facts.append(PageFact("edited", clock.near(at))) }
        if let rejection = record.rejection { facts.append(PageFact("refused", rejection, kind: "bad")) }
        if record.conflicts > 0 {
            facts.append(PageFact("conflicts", "\(record.conflicts) to resolve", kind: "warning"))
        }
        return facts
    }

    /// What will become of it.
    private static func words(for reason: UnsentReason) -> String {
        switch reason {
        case .noAccount: "only on this device; sign in to sync"
        case .signedOut: "waiting until you sign in again"
        case .rejected: "refused by the server; edit the record to send it again"
        case .syncing: "being sent now"
        case .syncingElsewhere: "another process with this home is sending it"
        case .off: "automatic sync is off"
        case .offline: "the server can’t be reached"
        case .waiting: "the server is busy"
        case .serverFull: "the server’s disk is full"
        case .refused: "the server refused the request, see below"
        case .failed: "the last sync failed, see below"
        case .soon: "sent soon"
        case .manual: "sent when you sync"
        }
    }
}
