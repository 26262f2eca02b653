internal import ControllerKit
internal import Controllers

extension PageModel.Mark {
    /// What the page's head tells of the sync: the same as the prompt of a session at a terminal.
    static func all(of state: any ScreenState) -> [Self] {
        guard let state = state as? SyncScreen.State else { return [] }
        let sync = "/" + SyncScreen.name
        var marks = [Self(text: account(state), kind: "account", href: "/" + SessionScreen.name)]
        if state.isSyncing { marks.append(Self(text: "Syncing", kind: "now", href: sync)) }
        if state.offlineSince != nil { marks.append(Self(text: "Offline", kind: "warning", href: sync)) }
        if state.unsent > 0 { marks.append(Self(text: "\(state.unsent) not sent", kind: "warning", href: sync)) }
        if state.conflicts > 0 {
            let count = state.conflicts == 1 ? "1 conflict" : "\(state.conflicts) conflicts"
            marks.append(Self(text: count, kind: "bad", href: "/" + ConflictsScreen.name))
        }
        return marks
    }

    private static func account(_ state: SyncScreen.State) -> String {
        guard let username = state.username else { return "No account" }
        return state.isSignedIn ? username : username + ", signed out"
    }
}
