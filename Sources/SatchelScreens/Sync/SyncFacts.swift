import Controllers
import Foundation

/// The wording of the sync status in all views.
struct SyncFacts {
    let state: SyncScreen.State
    let wording: Wording

    init(_ state: SyncScreen.State, _ wording: Wording) { (self.state, self.wording) = (state, wording) }

    /// The facts about the requested record, or about the whole home.
    var all: [Fact] { state.record.map(facts) ?? overall }

    private var overall: [Fact] {
        var facts = [SessionFacts(state).account(wording), unsent]
        facts += conflicts(state.conflicts)
        if state.resolvedElsewhere > 0 {
            let text = "\(state.resolvedElsewhere) on another device"
            facts.append(Fact("resolved", wording.way(typed: text + ": see `conflicts --resolved`", page: text)))
        }
        facts.append(Fact("last sync", state.lastSyncedAt.map(wording.moment) ?? "never"))
        if let obstacle = state.obstacle { facts.append(Fact("home", obstacle, .bad)) }
        if let fate = state.rebuilt {
            let text = "new, and not yet filled from the server"
            facts.append(Fact("cache", wording.way(typed: text + ": run `sync`", page: text) + ". \(fate)", .bad))
        }
        return facts + news + troubles + habits
    }

    /// Returns the facts about one record: whether it is synced, and if not, why.
    private func facts(of record: RecordSyncStatus) -> [Fact] {
        var facts = [Fact("id", record.id), synced(record)]
        if let rejection = record.rejection { facts.append(.refused(rejection)) }
        facts += conflicts(record.conflicts)
        // A refused record isn't sent again before it is edited, whatever happens to the connection.
        if record.isUnsent, record.rejection == nil { facts += troubles }
        return facts + news
    }

    private func synced(_ record: RecordSyncStatus) -> Fact {
        guard record.isUnsent else { return .synced(version: record.version) }
        let edited = record.editedAt.map { ", last edited \(wording.moment($0))" } ?? ""
        let flight = record.isInFlight ? "; sent, not answered yet" : ""
        return .unsynced(edited + ": " + outlook(record.why ?? .manual) + flight)
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

    /// Returns when and how unsent records will be sent, unless the server refused them.
    private func outlook(_ why: UnsentReason) -> String {
        let later = wording.way(typed: "`sync` sends \(state.unsent == 1 ? "it" : "them")", page: "sent when you sync")
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
        case .quotaExceeded: return "the account's quota is used up, see below; " + tryAgain
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

    // MARK: Activity and settings

    private var troubles: [Fact] {
        var facts: [Fact] = []
        if let since = state.offlineSince { facts.append(Fact("offline", "since \(wording.moment(since))", .warning)) }
        // The fact about the account contains the reason why the session ended.
        if let problem = state.lastProblem, !isSessionOver {
            facts.append(Fact("problem", problem, .bad))
        }
        return facts
    }

    /// Whether the session has ended, which then also is what stopped the last sync.
    private var isSessionOver: Bool { state.ended != nil && !state.isSignedIn && state.offlineSince == nil }

    /// The present activity, and the settings that differ from the defaults.
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

extension Fact {
    /// The server has a record as it is here.
    static func synced(version: Int64?) -> Fact { Fact("synced", "yes, version \(version ?? 0)", .good) }

    /// The server lacks edits of a record.
    static func unsynced(_ details: String) -> Fact { Fact("synced", "no" + details, .warning) }

    /// Why the server has refused a record.
    static func refused(_ reason: String) -> Fact { Fact("refused", reason, .bad) }
}

/// Records that a sync leaves out, with the reason and what to do.
enum SyncExceptions {
    static let refused = "Refused by the server; edit the record to send it again"
    static let oversized =
        "Too large on the server to be received here; all others are synced. Inform the server's owner"
}

extension SyncScreen.State.Oversized {
    /// Its title and its size.
    var summary: String { "\(title.isEmpty ? collection : title) (\(bytes >> 20) MiB)" }
}
