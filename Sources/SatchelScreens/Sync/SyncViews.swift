import ControllerKit
import Controllers
public import LineView
import Terminal
import WebPageView

enum SyncLines {
    /// Shows the sync status.
    static let renderer = LineRenderer(
        SyncScreen.self,
        news: { lines(of: $1.withoutProgress, $2).new(since: lines(of: $0.withoutProgress, $2)) }, lines: lines)

    @Sendable
    private static func lines(of state: SyncScreen.State, _ page: LinePage) -> [String] {
        let facts = Fact.lines(SyncFacts(state, .lines).all, on: page)
        if let record = state.record { return [page.text(record.title.sanitizedLine, .strong)] + facts }
        return facts + rejections(state, page) + oversized(state, page)
    }

    /// Returns each refused record with the full reason, which says what to change.
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
        page.text(id.prefix(8).description.sanitizedLine, .faint) + "  " + title.sanitizedLine
    }
}

extension SyncScreen.State {
    /// The state without the progress of this device's edits, which isn't news: the prompt shows it.
    fileprivate var withoutProgress: Self {
        var state = self
        // `refused` is the number of listed rows, so that a line "and N more" isn't news either.
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
    /// Shows the sync status.
    static let renderer = WebRenderer(
        SyncScreen.self, title: "Sync", key: "s", placed: ["status"],
        reading: { parameters in
            PageReading(verb: "status", values: parameters["record"].map { ["record": .text($0)] } ?? [:])
        },
        subject: { $0.record?.title },
        content: { state, frame in frame.templates.html("sync", SyncModel(state, frame)) })
}

/// The sync status for the template `sync`.
struct SyncModel {
    let facts: [PageFact]
    let exceptions: [Exceptions]
    let now: [FormModel]

    /// Records that can't be synced.
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

/// The sync status in a few words, before the prompt's `satchel>` and in the head of every page.
///
///     ada offline ↑3 !1 satchel>
///
/// Here, three records have unsent edits, and one conflict is open. If everything is synced, only the account is shown.
/// Without an account, the prompt shows conflicts only.
struct SyncSummary: Equatable {
    /// The maximum width of the account's name in the prompt, in columns.
    static let accountWidth = 16

    var account: String?
    var isSignedIn = false
    /// Whether the last sync failed and the server's events don't arrive. A home that may only read has a problem, too.
    var isOffline = false
    var isSyncing = false
    var unsent = 0
    var conflicts = 0
}

extension SyncSummary {
    init(_ state: SyncScreen.State) {
        self.init(
            account: state.username, isSignedIn: state.isSignedIn,
            isOffline: state.lastProblem != nil && !state.isLive, isSyncing: state.isSyncing,
            unsent: state.unsent, conflicts: state.conflicts)
    }

    // MARK: The prompt

    /// Returns the prompt with the status before `base`.
    func prompt(before base: String) -> String { (signs + [base]).joined(separator: " ") }

    private var signs: [String] {
        guard let account else { return conflicts > 0 ? ["!\(conflicts)"] : [] }
        // Bounded, so that there is room for typing on the same line.
        var signs = [account.sanitizedLine.truncated(toWidth: Self.accountWidth)]
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
    /// The sync status at Satchel's prompt.
    public static let sync = PromptStatus(SyncScreen.self, verb: "status") { SyncSummary($0).prompt(before: $1) }

    /// The sync status and the context at Satchel's prompt.
    public static let syncAndContext = sync.followed(by: .context)
}

extension PageHeadStatus {
    /// The sync status in the head of every page.
    static let sync = PageHeadStatus(SyncScreen.self, verb: "status") { SyncSummary($0).marks }
}
