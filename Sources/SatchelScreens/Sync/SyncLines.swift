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
        let facts = Fact.lines(SyncFacts(state, .lines).all, on: page)
        if let record = state.record { return [page.text(record.title.neutralised(), .strong)] + facts }
        return facts + rejections(state, page) + oversized(state, page)
    }

    /// Each refused record with the reason in full: it says what to change.
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
        page.text(id.prefix(8).description.neutralised(), .faint) + "  " + title.neutralised()
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
