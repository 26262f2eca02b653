import ControllerKit
import Controllers
import WebPageView

extension PageStanding {
    /// What the head of every page shows of the sync: the same as the prompt.
    static let sync = PageStanding(SyncScreen.self, verb: "status") { state in
        let sync = "/" + SyncScreen.name
        var marks = [PageMark(text: account(state), kind: "account", href: "/" + SessionScreen.name)]
        if state.isSyncing { marks.append(PageMark(text: "Syncing", kind: "now", href: sync)) }
        if state.offlineSince != nil { marks.append(PageMark(text: "Offline", kind: "warning", href: sync)) }
        if state.unsent > 0 { marks.append(PageMark(text: "\(state.unsent) not sent", kind: "warning", href: sync)) }
        if state.conflicts > 0 {
            let count = state.conflicts == 1 ? "1 conflict" : "\(state.conflicts) conflicts"
            marks.append(PageMark(text: count, kind: "bad", href: "/" + ConflictsScreen.name))
        }
        return marks
    }

    private static func account(_ state: SyncScreen.State) -> String {
        guard let username = state.username else { return "No account" }
        return state.isSignedIn ? username : username + ", signed out"
    }
}
