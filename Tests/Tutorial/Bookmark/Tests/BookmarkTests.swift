import Bookmark
import ControllerKit
import Controllers
import LineView
import Records
import SatchelScreens
import SyncEngine
import TestSupport
import Testing

@MainActor
@Suite("Bookmarks, a record type of one's own, on a server that doesn't know it", .timeLimit(.minutes(5)))
struct BookmarkTests {
    private let server: InProcessServer

    init() throws { server = try InProcessServer() }

    /// One of a person's devices, with its list of bookmarks.
    @MainActor
    private struct Device {
        let services: Services
        let list: Presentation<BookmarksScreen>

        func sync() async throws -> BookmarksScreen.State.Row {
            _ = try await services.engine.sync()
            try await list.send(.list)
            return try #require(list.state.rows.first)
        }

        func conflicts() async throws -> [ConflictsScreen.State.Row] {
            let conflicts = Presentation(ConflictsController(services.notebook, devices: services.devices)) {
                Issue.record($0)
            }
            try await conflicts.send(.list(settled: false))
            return conflicts.state.rows
        }
    }

    private func device() async throws -> Device {
        let services = try await Services.testing(on: server, types: .standard.adding(.bookmark))
        return Device(
            services: services, list: Presentation(BookmarksController(services.notebook)) { Issue.record($0) })
    }

    /// Two devices with the same bookmark; what they do from now on, they do offline.
    private func twoDevices() async throws -> (Device, Device) {
        let (laptop, phone) = (try await device(), try await device())
        try await laptop.list.send(.keep(title: "Swift", url: "http://swift.org", tags: ["code"]))
        try await laptop.list.send(.change(1, url: nil, notes: "one\ntwo\nthree\n", tag: nil))
        let row = try await laptop.sync()
        #expect(try await phone.sync() == row)
        server.clock.advance(by: .seconds(60))
        return (laptop, phone)
    }

    @Test("Tags of two devices are united, and their notes are merged line by line: no conflict")
    func merged() async throws {
        let (laptop, phone) = try await twoDevices()
        try await laptop.list.send(.change(1, url: nil, notes: "ONE\ntwo\nthree\n", tag: "laptop"))
        try await phone.list.send(.change(1, url: nil, notes: "one\ntwo\nTHREE\n", tag: "phone"))
        _ = try await laptop.sync()
        let merged = try await phone.sync()
        #expect(Set(merged.tags) == ["code", "laptop", "phone"])
        #expect(merged.notes == "ONE\ntwo\nTHREE\n")
        #expect(try await laptop.sync() == merged)
        #expect(try await phone.conflicts().isEmpty)
    }

    @Test("Of two addresses the later one stays, and both devices have the conflict in the inbox")
    func conflict() async throws {
        let (laptop, phone) = try await twoDevices()
        try await laptop.list.send(.change(1, url: "https://swift.org", notes: nil, tag: nil))
        server.clock.advance(by: .seconds(60))
        try await phone.list.send(.change(1, url: "https://www.swift.org", notes: nil, tag: nil))
        _ = try await laptop.sync()
        #expect(try await phone.sync().url == "https://www.swift.org")
        #expect(try await laptop.sync().url == "https://www.swift.org")
        for device in [laptop, phone] {
            let conflict = try #require(try await device.conflicts().first)
            #expect((conflict.collection, conflict.title, conflict.field) == ("bookmarks", "Swift", "url"))
            #expect((conflict.earlier.value, conflict.later.value) == ("https://swift.org", "https://www.swift.org"))
        }
    }

    @Test(
        "The screen is one line in the catalogue, beside all of Satchel's, and a sync, a conflict or an undo are theirs"
    )
    func beside() async throws {
        let services = try await device().services
        let catalog = try Catalog.satchel(
            services, and: [.screen(BookmarksScreen.self) { _ in BookmarksController(services.notebook) }])
        let terminal = ScriptedTerminal()
        let session = try LineSession(catalog, of: .satchel, terminal: terminal)
        #expect(await session.say(["bookmark", "Swift", "https://swift.org", "code"]) == .ok)
        #expect(await session.say(["sync"]) == .ok)
        #expect(await session.say(["bookmarks"]) == .ok)
        #expect(terminal.data.contains("https://swift.org"))
        #expect(await session.say(["undo"]) == .ok)
        #expect(terminal.messages.contains("Undid `bookmark`: “Swift”."))
        session.end()
    }
}
