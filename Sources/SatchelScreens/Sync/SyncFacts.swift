import Controllers
import Foundation

/// The status of the sync as all views say it.
struct SyncFacts {
    let state: SyncScreen.State
    let wording: Wording

    init(_ state: SyncScreen.State, _ wording: Wording) { (self.state, self.wording) = (state, wording) }

    /// The status of the record that was asked for, or of everything.
    var all: [Fact] { state.record.map(facts) ?? overall }

    private var overall: [Fact] {
        var facts = [SessionFacts(state).account(wording), unsent]
        facts += conflicts(state.conflicts)
        if state.settledElsewhere > 0 {
            let text = "\(state.settledElsewhere) on another device"
            facts.append(Fact("resolved", wording.way(typed: text + ": see `conflicts --settled`", page: text)))
        }
        facts.append(Fact("last sync", state.lastSyncedAt.map(wording.moment) ?? "never"))
        if let obstacle = state.obstacle { facts.append(Fact("home", obstacle, .bad)) }
        if let fate = state.rebuilt {
            let text = "new, and not yet filled from the server"
            facts.append(Fact("cache", wording.way(typed: text + ": run `sync`", page: text) + ". \(fate)", .bad))
        }
        return facts + news + troubles + habits
    }

    /// One record: what the server has of it, and why not all.
    private func facts(of record: RecordSyncStatus) -> [Fact] {
        var facts = [Fact("id", record.id), synced(record)]
        if let rejection = record.rejection { facts.append(Fact("refused", rejection, .bad)) }
        facts += conflicts(record.conflicts)
        if record.isUnsent, record.rejection == nil { facts += troubles }
        return facts + news
    }

    private func synced(_ record: RecordSyncStatus) -> Fact {
        guard record.isUnsent else { return Fact("synced", "yes, version \(record.version ?? 0)", .good) }
        let edited = record.editedAt.map { ", last edited \(wording.moment($0))" } ?? ""
        let flight = record.isInFlight ? "; sent, not answered yet" : ""
        return Fact("synced", "no\(edited): \(outlook(record.why ?? .manual))\(flight)", .warning)
    }

    private func conflicts(_ count: Int) -> [Fact] {
        if count == 0 { return [] }
        return [
            Fact("conflicts", wording.way(typed: "\(count): see `conflicts`", page: "\(count) to resolve"), .warning)
        ]
    }

    private var news: [Fact] { state.news.map { [Fact("news", $0, .warning)] } ?? [] }

    // MARK: What isn't sent

    private var unsent: Fact {
        if state.unsent == 0 { return Fact("unsent", "nothing") }
        let count = "\(state.unsent) \(state.unsent == 1 ? "record" : "records")"
        if state.username == nil { return Fact("unsent", count + ", only on this device", .warning) }
        if state.refused == state.unsent { return Fact("unsent", count + ", refused by the server", .warning) }
        let refused = state.refused == 0 ? "" : " (\(state.refused) refused by the server)"
        let which = state.refused == 0 ? count : "\(state.unsent - state.refused) of \(count)"
        return Fact("unsent", which + ": " + outlook(state.why ?? .manual) + refused, .warning)
    }

    /// What will become of unsent records that the server hasn't refused.
    private func outlook(_ why: UnsentReason) -> String {
        let later = wording.way(typed: "`sync` sends them", page: "sent when you sync")
        switch why {
        case .noAccount:
            return "only on this device, "
                + wording.way(typed: "`register` or `login` to sync", page: "sign in to sync")
        case .signedOut: return "waiting until you " + wording.way(typed: "`login` again", page: "sign in again")
        case .rejected: return "refused by the server"
        case .syncing: return "being sent now"
        case .syncingElsewhere: return anotherProcess
        case .off: return "automatic sync is off, " + later
        case .offline: return "the server can't be reached" + nextTry
        case .waiting: return "the server is busy" + nextTry
        case .serverFull: return "the server's disk is full" + nextTry
        case .refused: return "the server refused the request, see below; " + tryAgain
        case .failed: return "the last sync failed, see below" + nextTry
        case .soon: return "sent soon"
        case .manual: return later
        }
    }

    private var nextTry: String { ", " + (state.retryAt.map { "next try \(wording.moment($0))" } ?? tryAgain) }
    private var tryAgain: String { wording.way(typed: "`sync` tries again", page: "sync to try again") }

    private var anotherProcess: String {
        "another process with this home\(state.syncingProcess.map { " (process \($0))" } ?? "") is syncing"
    }

    // MARK: What goes on

    private var troubles: [Fact] {
        var facts: [Fact] = []
        if let since = state.offlineSince { facts.append(Fact("offline", "since \(wording.moment(since))", .warning)) }
        if let problem = state.lastProblem { facts.append(Fact("problem", problem, .bad)) }
        return facts
    }

    /// What goes on now, and what the home is set to do where that isn't the default.
    private var habits: [Fact] {
        var facts: [Fact] = []
        let since = state.syncingSince.map { ", since \(wording.moment($0))" } ?? ""
        if state.isSyncing { facts.append(Fact("now", "syncing" + since)) }
        if state.isSyncingElsewhere { facts.append(Fact("now", anotherProcess + since)) }
        if state.isLive { facts.append(Fact("live", "connected: changes of other devices arrive at once", .good)) }
        if !state.isAutomatic {
            facts.append(Fact("automatic", wording.way(typed: "off: `sync on` turns it on", page: "off"), .warning))
        }
        if !state.isInBackground {
            facts.append(Fact("background", wording.way(typed: "off: `sync --background on` turns it on", page: "off")))
        }
        return facts
    }
}

/// Records that a sync leaves out, with the reason and what to do.
enum SyncExceptions {
    static let refused = "Refused by the server; edit the record to send it again"
    static let oversized =
        "Too large on the server to be received here; all others are synced. Inform the server's owner"
}

extension SyncScreen.State.Oversized {
    /// What it is about, and its size.
    var summary: String { "\(title.isEmpty ? collection : title) (\(bytes >> 20) MiB)" }
}
