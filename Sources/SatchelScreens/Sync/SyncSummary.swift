import ControllerKit
import Controllers
public import LineView
import Terminal
import WebPageView

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
