import ControllerKit
import Controllers

extension LinePolish {
    /// How things stand with the server, and why.
    static let sync = LinePolish(SyncScreen.self) { state, page in
        var facts: [(String, String, Emphasis)] = [("account", account(state), .none)]
        facts.append(("unsent", unsent(state), state.unsent > 0 ? .warning : .none))
        if state.conflicts > 0 { facts.append(("conflicts", "\(state.conflicts): see `conflicts`", .warning)) }
        facts.append(("last sync", state.lastSyncedAt.map { LocalTime.short($0) } ?? "never", .none))
        if let problem = state.lastProblem { facts.append(("problem", problem, .bad)) }
        let table = Table(
            [.init(""), .init("", canShrink: false)],
            facts.map { .cells([.init($0.0, .faint), .init($0.1, $0.2)]) }
        ).lines(on: page)
        return table + rejections(state, page)
    }

    private static func account(_ state: SyncScreen.State) -> String {
        guard let username = state.username, let server = state.server else {
            return "none; `register` or `login` when you want to sync"
        }
        return "\(username) on \(server)" + (state.isSignedIn ? "" : " (signed out: `login` again)")
    }

    private static func unsent(_ state: SyncScreen.State) -> String {
        switch (state.unsent, state.username) {
        case (0, _): "nothing"
        case (let count, nil): "\(count) \(count == 1 ? "record" : "records"), only on this device"
        case (let count, _): "\(count) \(count == 1 ? "record" : "records"): `sync` sends them"
        }
    }

    private static func rejections(_ state: SyncScreen.State, _ page: LinePage) -> [String] {
        guard !state.rejected.isEmpty else { return [] }
        let rows = state.rejected.map { row in
            Table.Row.cells([.init(String(row.id.prefix(8)), .faint), .init(row.title), .init(row.reason, .bad)])
        }
        let columns = [
            Table.Column("id"), .init("refused by the server", canShrink: true), .init("because", canShrink: true),
        ]
        return [""] + Table(columns, rows).lines(on: page) + ["Edit such a record, and it is sent again."]
    }
}
