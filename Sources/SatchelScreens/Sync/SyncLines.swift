import ControllerKit
import Controllers
import LineView
import Terminal

enum SyncLines {
    /// The status of the sync, and why.
    static let renderer = LineRenderer(
        SyncScreen.self,
        news: { lines(of: $1.withoutProgress, $2).new(since: lines(of: $0.withoutProgress, $2)) }, lines: lines)

    @Sendable
    private static func lines(of state: SyncScreen.State, _ page: LinePage) -> [String] {
        if let record = state.record { return standing(record, state, page) }
        var facts = [Fact("account", account(state)), unsent(state)]
        if state.conflicts > 0 { facts.append(Fact("conflicts", "\(state.conflicts): see `conflicts`", .warning)) }
        if state.settledElsewhere > 0 {
            let text = "\(state.settledElsewhere) on another device: see `conflicts --settled`"
            facts.append(Fact("resolved", text))
        }
        facts.append(Fact("last sync", state.lastSyncedAt.map { LocalTime.short($0) } ?? "never"))
        if let obstacle = state.obstacle { facts.append(Fact("home", obstacle, .bad)) }
        if let fate = state.rebuilt {
            facts.append(Fact("cache", "new, and not yet filled from the server: run `sync`. \(fate)", .bad))
        }
        if let news = state.news { facts.append(Fact("news", news, .warning)) }
        facts += troubles(state) + habits(state)
        return Fact.lines(facts, on: page) + rejections(state, page) + oversized(state, page)
    }

    private static func account(_ state: SyncScreen.State) -> String {
        guard let username = state.username, let server = state.server else {
            return "none; `register` or `login` to sync"
        }
        return "\(username) on \(server)" + (state.isSignedIn ? "" : " (\(ended(state.ended)))")
    }

    private static func ended(_ reason: EndedSession?) -> String {
        switch reason {
        case .expired: "the session has expired: `login` again"
        case .revoked: "revoked by another device, or the password was changed: `login` again"
        case .unknownToServer: "the server no longer knows this device: `login` again"
        case .unencrypted: "plain http is refused: `login` with the https address, or with --insecure-http"
        case .loggedOut, nil: "signed out: `login` again"
        }
    }

    private static func unsent(_ state: SyncScreen.State) -> Fact {
        if state.unsent == 0 { return Fact("unsent", "nothing") }
        let count = "\(state.unsent) \(state.unsent == 1 ? "record" : "records")"
        if state.username == nil { return Fact("unsent", count + ", only on this device", .warning) }
        if state.refused == state.unsent { return Fact("unsent", count + ", refused by the server", .warning) }
        let refused = state.refused == 0 ? "" : " (\(state.refused) refused by the server)"
        let which = state.refused == 0 ? count : "\(state.unsent - state.refused) of \(count)"
        return Fact("unsent", which + ": " + outlook(state.why ?? .manual, state) + refused, .warning)
    }

    /// What will become of unsent records that the server hasn't refused.
    private static func outlook(_ why: UnsentReason, _ state: SyncScreen.State) -> String {
        switch why {
        case .noAccount: "only on this device, `register` or `login` to sync"
        case .signedOut: "waiting until you `login` again"
        case .rejected: "refused by the server"
        case .syncing: "being sent now"
        case .syncingElsewhere: "another process with this home\(process(state)) is syncing"
        case .off: "automatic sync is off, `sync` sends them"
        case .offline: "the server can't be reached" + nextTry(state)
        case .waiting: "the server is busy" + nextTry(state)
        case .serverFull: "the server's disk is full" + nextTry(state)
        case .refused: "the server refused the request, see below; `sync` tries again"
        case .failed: "the last sync failed, see below" + nextTry(state)
        case .soon: "sent soon"
        case .manual: "`sync` sends them"
        }
    }

    private static func process(_ state: SyncScreen.State) -> String {
        state.syncingProcess.map { " (process \($0))" } ?? ""
    }

    private static func since(_ state: SyncScreen.State) -> String {
        state.syncingSince.map { ", since \(LocalTime.short($0))" } ?? ""
    }

    private static func nextTry(_ state: SyncScreen.State) -> String {
        state.retryAt.map { ", next try \(LocalTime.short($0))" } ?? ", `sync` tries again"
    }

    private static func troubles(_ state: SyncScreen.State) -> [Fact] {
        var facts: [Fact] = []
        if let since = state.offlineSince { facts.append(Fact("offline", "since \(LocalTime.short(since))", .warning)) }
        if let problem = state.lastProblem { facts.append(Fact("problem", problem, .bad)) }
        return facts
    }

    /// What the home is set to do, where that isn't the usual.
    private static func habits(_ state: SyncScreen.State) -> [Fact] {
        var facts: [Fact] = []
        if state.isSyncing { facts.append(Fact("now", "syncing" + since(state))) }
        if state.isSyncingElsewhere {
            facts.append(Fact("now", "another process with this home\(process(state)) is syncing\(since(state))"))
        }
        if state.isLive { facts.append(Fact("live", "connected: changes of other devices arrive at once", .good)) }
        if !state.isAutomatic { facts.append(Fact("automatic", "off: `sync on` turns it on", .warning)) }
        if !state.isInBackground { facts.append(Fact("background", "off: `sync --background on` turns it on")) }
        return facts
    }

    /// One record: what the server has of it, and why not all.
    private static func standing(_ record: RecordStanding, _ state: SyncScreen.State, _ page: LinePage) -> [String] {
        var facts = [Fact("id", record.id), synced(record, state)]
        if let rejection = record.rejection { facts.append(Fact("refused", rejection, .bad)) }
        if record.conflicts > 0 {
            facts.append(Fact("conflicts", "\(record.conflicts): see `conflicts`", .warning))
        }
        if record.isUnsent, record.rejection == nil { facts += troubles(state) }
        if let news = state.news { facts.append(Fact("news", news, .warning)) }
        return [page.text(record.title.neutralised(), .strong)] + Fact.lines(facts, on: page)
    }

    private static func synced(_ record: RecordStanding, _ state: SyncScreen.State) -> Fact {
        guard record.isUnsent else { return Fact("synced", "yes, version \(record.version ?? 0)", .good) }
        let edited = record.editedAt.map { ", last edited \(LocalTime.short($0))" } ?? ""
        let flight = record.isInFlight ? "; sent, not answered yet" : ""
        return Fact("synced", "no\(edited): \(outlook(record.why ?? .manual, state))\(flight)", .warning)
    }

    /// Each record that is too large on the server, and what helps: to delete it, or to have the server's owner look.
    private static func oversized(_ state: SyncScreen.State, _ page: LinePage) -> [String] {
        guard !state.oversized.isEmpty else { return [] }
        let heading = "Too large on the server to be received here; all others are synced. Inform the server's owner:"
        return [""] + page.lines(heading, .strong)
            + state.oversized.map { row in
                let name = row.title.isEmpty ? row.collection : row.title
                return page.text(row.id.prefix(8).description.neutralised(), .faint) + "  " + name.neutralised()
                    + " (\(row.bytes >> 20) MiB)"
            }
    }

    /// Each refused record with the reason in full: it says what to change.
    private static func rejections(_ state: SyncScreen.State, _ page: LinePage) -> [String] {
        guard !state.rejected.isEmpty else { return [] }
        let records = state.rejected.flatMap { row in
            [
                page.text(row.id.prefix(8).description.neutralised(), .faint) + "  " + row.title.neutralised()
            ] + page.lines(row.reason, .bad, indent: 10)
        }
        let more = state.refused - state.rejected.count
        let heading = page.lines("Refused by the server; edit the record to send it again:", .strong)
        return [""] + heading + records + (more > 0 ? ["and \(more) more"] : [])
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
