import Controllers
public import LineView
import Terminal

/// What the prompt shows before `satchel>`: who is signed in, and what keeps the home from being in sync with the server.
///
///     ada offline ↑3 !1 satchel>
///
/// Three records have edits that weren't sent, one conflict waits. When all is well there is but the account; without an
/// account there is nothing.
struct PromptText: Equatable {
    /// How many columns of an account's name are shown.
    static let accountWidth = 16

    var account: String?
    var isSignedIn = false
    var isOffline = false
    var unsent = 0
    var conflicts = 0

    /// The prompt, before `base`.
    func text(before base: String) -> String { (facts + [base]).joined(separator: " ") }

    private var facts: [String] {
        guard let account else { return conflicts > 0 ? ["!\(conflicts)"] : [] }
        var facts = [account.neutralised().truncated(toWidth: Self.accountWidth)]
        if !isSignedIn { facts.append("signed-out") } else if isOffline { facts.append("offline") }
        if unsent > 0 { facts.append("↑\(unsent)") }
        if conflicts > 0 { facts.append("!\(conflicts)") }
        return facts
    }
}

extension PromptText {
    /// What a prompt says of a sync state.
    init(_ state: SyncScreen.State) {
        self.init(
            account: state.username, isSignedIn: state.isSignedIn, isOffline: state.lastProblem != nil,
            unsent: state.unsent, conflicts: state.conflicts)
    }
}

extension PromptStatus {
    /// Satchel's prompt shows the state of the sync.
    public static let sync = PromptStatus(SyncScreen.self, verb: "status") { PromptText($0).text(before: $1) }
}
