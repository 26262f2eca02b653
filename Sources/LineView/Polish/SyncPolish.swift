import ControllerKit
import Controllers

extension LinePolish {
    /// How things stand with the server, and why.
    static let sync = LinePolish(SyncScreen.self) { state, page in
        var facts = [Fact("account", account(state)), unsent(state)]
        if state.conflicts > 0 { facts.append(Fact("conflicts", "\(state.conflicts): see `conflicts`", .warning)) }
        facts.append(Fact("last sync", state.lastSyncedAt.map { LocalTime.short($0) } ?? "never"))
        if let problem = state.lastProblem { facts.append(Fact("problem", problem, .bad)) }
        return Fact.lines(facts, on: page) + rejections(state, page)
    }

    private static func account(_ state: SyncScreen.State) -> String {
        guard let username = state.username, let server = state.server else {
            return "none; `register` or `login` when you want to sync"
        }
        return "\(username) on \(server)" + (state.isSignedIn ? "" : " (signed out: `login` again)")
    }

    private static func unsent(_ state: SyncScreen.State) -> Fact {
        let count = "\(state.unsent) \(state.unsent == 1 ? "record" : "records")"
        if state.unsent == 0 { return Fact("unsent", "nothing") }
        if state.username == nil { return Fact("unsent", count + ", only on this device", .warning) }
        return Fact("unsent", count + outlook(state), .warning)
    }

    /// What will become of the unsent records: a refused one is not sent before it is edited.
    private static func outlook(_ state: SyncScreen.State) -> String {
        switch state.refused {
        case 0: ": `sync` sends them"
        case state.unsent: ", refused by the server"
        default: ": `sync` sends \(state.unsent - state.refused), \(state.refused) refused by the server"
        }
    }

    /// Each refused record, and why, in full: it tells what to change.
    private static func rejections(_ state: SyncScreen.State, _ page: LinePage) -> [String] {
        guard !state.rejected.isEmpty else { return [] }
        let records = state.rejected.flatMap { row in
            [
                page.text(row.id.prefix(8).description.neutralised(), .faint) + "  " + row.title.neutralised(),
                "          " + page.text(row.reason.neutralised(), .bad),
            ]
        }
        let more = state.refused - state.rejected.count
        let heading = page.text("Refused by the server; edit such a record, and it is sent again:", .strong)
        return ["", heading] + records + (more > 0 ? ["and \(more) more"] : [])
    }
}
