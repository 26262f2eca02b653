import ControllerKit
import Terminal
import TestSupport
import Testing

@testable import Controllers
@testable import LineView
@testable import SatchelScreens

@Suite("News of a screen")
struct NewsTests {
    private func news<S: Screen>(_ screen: S.Type, _ seen: S.State, _ now: S.State) throws -> [String] {
        let renderer = try renderer(of: S.self)
        return renderer.news(seen, now, LinePage(columns: 80))
    }

    private let seen = ListScreen.State([
        .task(1, "Buy milk") { ($0.group, $0.due, $0.dueWords) = (.today, "2026-11-20T15:00:00Z", "today 15:00") },
        .task(2, "Paint") { $0.group = .today },
        .task(3, "Ideas") { $0.group = .notes },
    ])

    @Test("A list reports new and changed rows under their headings, and removed ones")
    func list() throws {
        var now = seen
        now.rows[1].priority = "H"
        now.rows[2] = .task(4, "Ask Ida about the garden") { $0.group = .new }
        #expect(
            try news(ListScreen.self, seen, now) == [
                "Today (2)", "2  Paint", "   ab12 · H", "New since (1)", "4  Ask Ida about the garden", "   ab14",
                "Deleted: “Ideas”",
            ])
    }

    @Test("A sent edit, a passed time or a longer short id is no news in a list")
    func marks() throws {
        var now = seen
        (now.rows[0].isUnsent, now.rows[0].isOverdue, now.rows[0].dueWords) = (true, true, "yesterday 15:00")
        now.rows[1].prefix = "ab12f"
        #expect(try news(ListScreen.self, seen, now) == [])
        #expect(try news(ListScreen.self, now, seen) == [])
    }

    @Test("Another list than the one seen reports no removals")
    func otherList() throws {
        var now = ListScreen.State([seen.rows[0]])
        now.filter = "milk"
        #expect(try news(ListScreen.self, seen, now) == [])
    }

    private func detail(_ change: (inout DetailScreen.State.Shown) -> Void) -> DetailScreen.State {
        var record = DetailScreen.State.Shown(
            id: "id-1", collection: "tasks", kind: "task", title: "Paint",
            fields: [.init(name: "due", label: "Due", value: "someday")],
            annotations: [], version: 1, isUnsent: true)
        change(&record)
        var state = DetailScreen.State()
        state.record = record
        return state
    }

    @Test("A record reports what changed below its title; that it was sent is no news")
    func record() throws {
        let seen = detail { _ in }
        #expect(try news(DetailScreen.self, seen, detail { ($0.isUnsent, $0.version) = (false, 16) }) == [])
        let changed = detail { ($0.fields[0].value, $0.isUnsent, $0.version) = ("never", false, 17) }
        #expect(try news(DetailScreen.self, seen, changed) == ["Paint", "due     never"])
    }

    @Test("The progress of the device's own edits is no news; a conflict is")
    func ownEdits() throws {
        var seen = SyncScreen.State()
        (seen.unsent, seen.why, seen.isSyncing) = (2, .syncing, true)
        var now = SyncScreen.State()
        now.lastSyncedAt = moment("2026-11-20T15:00:00Z")
        #expect(try news(SyncScreen.self, seen, now) == [])
        now.conflicts = 1
        #expect(try news(SyncScreen.self, seen, now) == ["conflicts  1: see `conflicts`"])
    }
}
