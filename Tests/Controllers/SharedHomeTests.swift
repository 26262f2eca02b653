import ControllerKit
import Controllers
import Foundation
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Several views, several processes, and the end", .timeLimit(.minutes(5)))
struct SharedHomeTests {
    private func aList(_ filter: String...) -> ListScreen.Intent { .list(filter: filter, limit: nil, offset: nil) }

    @Test("Changes of another process are shown without a command")
    func anotherProcess() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: UUID().uuidString, directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let clock = ManualClock()
        let here = try Home(clock: clock, store: LocalStore(home: .init(directory: directory)) { clock.milliseconds })
        let there = try Home(clock: clock, store: LocalStore(home: .init(directory: directory)) { clock.milliseconds })
        try here.put(["a": ["title": "Before"]])
        let (list, detail, sync) = (here.list(), here.detail(), here.sync())
        let (rows, record, status) = (
            ScriptedView<ListScreen>(), ScriptedView<DetailScreen>(), ScriptedView<SyncScreen>()
        )
        list.attach(rows)
        detail.attach(record)
        sync.attach(status)
        try await rows.send(aList())
        try await record.send(.show("a"))
        try await status.send(.status())

        try await there.list().send(.add(["Another"], body: nil))
        try await there.detail().send(.edit("a", title: "After", body: nil, words: []))
        let both = await rows.next { $0.rows.map(\.title) == ["After", "Another"] }
        #expect(both.rows.map(\.number) == [1, 2])
        #expect(await record.next { $0.record?.title == "After" }.record?.id == "a")
        await status.next { $0.unsent == 2 }
        try await there.list().send(.remove(["a"]))
        #expect(await rows.next { $0.rows.map(\.number) == [2] }.total == 1)
    }

    @Test("Several views of one controller receive the same states; a late one receives the present state")
    func views() async throws {
        let home = try Home()
        try home.put(["a": ["title": "One"]])
        let list = home.list()
        let (first, second) = (ScriptedView<ListScreen>(), ScriptedView<ListScreen>())
        list.attach(first)
        try await first.send(aList())
        list.attach(second)
        #expect(await second.next() == first.shown.last)
        try await second.send(.complete(["1"]))
        #expect(first.shown.last?.rows.map { $0.values["status"] } == [.text("completed")])
        #expect(first.shown.last == second.shown.last)
    }

    @Test("Changes made by one screen are shown by another one of the session")
    func screens() async throws {
        let home = try Home()
        try home.put(["a": ["title": "One"]])
        let list = home.list()
        let view = ScriptedView<ListScreen>()
        list.attach(view)
        try await view.send(aList())
        try await home.detail().send(.edit("1", title: "Two", body: nil, words: []))
        await view.next { $0.rows.first?.title == "Two" }
    }

    @Test("A7 E10 releasing a presentation releases its controller and the work started for it")
    func released() async throws {
        let home = try Home()
        for unloads in [true, false] {
            weak var list: ListController?
            weak var sync: SyncController?
            do {
                let (listing, syncing) = (
                    ListController(home.services.notebook), SyncController(home.services.notebook, home.services.sync)
                )
                (list, sync) = (listing, syncing)
                let first = Presentation<ListScreen>(listing) { Issue.record($0) }
                let second = Presentation<SyncScreen>(syncing) { Issue.record($0) }
                try await first.send(aList())
                try await second.send(.status())
                if unloads {
                    first.unload()
                    second.unload()
                }
            }
            try await eventually("the controllers are gone") { list == nil && sync == nil }
        }
        // No observer is left to notify; the cache itself continues.
        try home.put(["a": ["title": "Later"]])
    }

    @Test("A session over all screens opens each by its verbs, and the words of a line reach the controllers")
    func catalog() async throws {
        let home = try Home()
        let session = Coordinator(try Catalog.standard(home.services)) { Issue.record($0) }
        defer { session.end() }
        try await session.perform("add", ["words": .list(["Buy", "milk", "+shop"])])
        try await session.perform("list", ["filter": .list(["+shop"])])
        #expect(session.presentation(of: ListScreen.self)?.state.rows.map(\.title) == ["Buy milk"])
        #expect(session.path.last == "list")
        try await session.perform("show", ["record": .text("1")])
        #expect(session.presentation(of: DetailScreen.self)?.state.record?.title == "Buy milk")
        for verb in ["whoami", "status", "conflicts", "export"] { try await session.perform(verb) }
        #expect(await failure { try await session.perform("lits") }.category == .usage)
    }
}
