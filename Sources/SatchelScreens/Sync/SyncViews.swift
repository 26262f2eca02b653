import ControllerKit
import Controllers
public import LineView
import Terminal
import WebPageView

enum SyncLines {
    /// The status of the sync, and why.
    static let renderer = LineRenderer(
        SyncScreen.self,
        news: { lines(of: $1.withoutProgress, $2).new(since: lines(of: $0.withoutProgress, $2)) }, lines: lines)

    @Sendable
    private static func lines(of state: SyncScreen.State, _ page: LinePage) -> [String] {
        let facts = Fact.lines(SyncFacts(state, .lines).all, on: page)
        if let record = state.record { return [page.text(record.title.neutralised(), .strong)] + facts }
        return facts + rejections(state, page) + oversized(state, page)
    }

    /// Each refused record with the reason in full: it says what to change.
    private static func rejections(_ state: SyncScreen.State, _ page: LinePage) -> [String] {
        guard !state.rejected.isEmpty else { return [] }
        let records = state.rejected.flatMap { row in
            [name(row.id, row.title, page)] + page.lines(row.reason, .bad, indent: 10)
        }
        let more = state.refused - state.rejected.count
        let heading = page.lines(SyncExceptions.refused + ":", .strong)
        return [""] + heading + records + (more > 0 ? ["and \(more) more"] : [])
    }

    private static func oversized(_ state: SyncScreen.State, _ page: LinePage) -> [String] {
        guard !state.oversized.isEmpty else { return [] }
        return [""] + page.lines(SyncExceptions.oversized + ":", .strong)
            + state.oversized.map { name($0.id, $0.summary, page) }
    }

    private static func name(_ id: String, _ title: String, _ page: LinePage) -> String {
        page.text(id.prefix(8).description.neutralised(), .faint) + "  " + title.neutralised()
    }
}

extension SyncScreen.State {
    /// The state without the progress of this device's edits, which the prompt shows.
    fileprivate var withoutProgress: Self {
        var state = self
        (state.unsent, state.refused, state.why, state.lastSyncedAt) = (0, rejected.count, nil, nil)
        (state.isSyncing, state.isSyncingElsewhere, state.isLive) = (false, false, false)
        (state.syncingSince, state.syncingProcess) = (nil, nil)
        state.record?.isUnsent = false
        state.record?.isInFlight = false
        state.record?.version = nil
        return state
    }
}

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

/// The status of the sync in a few words: before the prompt's `satchel>`, and in the head of every page.
///
///     ada offline ↑3 !1 satchel>
///
/// Three records have unsent edits, one conflict is open. When all is synced there is only the account; without an account
/// the prompt shows nothing.
struct SyncSummary: Equatable {
    /// How many columns of an account's name the prompt shows.
    static let accountWidth = 16

    var account: String?
    var isSignedIn = false
    /// Whether the last sync failed.
    var isOffline = false
    var isSyncing = false
    var unsent = 0
    var conflicts = 0
}

extension SyncSummary {
    init(_ state: SyncScreen.State) {
        self.init(
            account: state.username, isSignedIn: state.isSignedIn, isOffline: state.lastProblem != nil,
            isSyncing: state.isSyncing, unsent: state.unsent, conflicts: state.conflicts)
    }

    // MARK: The prompt

    /// The prompt, before `base`.
    func prompt(before base: String) -> String { (signs + [base]).joined(separator: " ") }

    private var signs: [String] {
        guard let account else { return conflicts > 0 ? ["!\(conflicts)"] : [] }
        var signs = [account.neutralised().truncated(toWidth: Self.accountWidth)]
        if !isSignedIn { signs.append("signed-out") } else if isOffline { signs.append("offline") }
        if unsent > 0 { signs.append("↑\(unsent)") }
        if conflicts > 0 { signs.append("!\(conflicts)") }
        return signs
    }

    // MARK: The page

    /// The marks in the head of every page.
    var marks: [PageMark] {
        let sync = "/" + SyncScreen.name
        let name = account.map { isSignedIn ? $0 : $0 + ", signed out" } ?? "No account"
        var marks = [PageMark(text: name, kind: .account, href: "/" + SessionScreen.name)]
        if isSyncing { marks.append(PageMark(text: "Syncing", kind: .now, href: sync)) }
        if isOffline { marks.append(PageMark(text: "Offline", kind: .warning, href: sync)) }
        if unsent > 0 { marks.append(PageMark(text: "\(unsent) unsent", kind: .warning, href: sync)) }
        if conflicts > 0 {
            let count = conflicts == 1 ? "1 conflict" : "\(conflicts) conflicts"
            marks.append(PageMark(text: count, kind: .bad, href: "/" + ConflictsScreen.name))
        }
        return marks
    }
}

extension PromptStatus {
    /// Satchel's prompt shows the status of the sync.
    public static let sync = PromptStatus(SyncScreen.self, verb: "status") { SyncSummary($0).prompt(before: $1) }
}

extension PageHeadStatus {
    /// The head of every page shows the status of the sync.
    static let sync = PageHeadStatus(SyncScreen.self, verb: "status") { SyncSummary($0).marks }
}
