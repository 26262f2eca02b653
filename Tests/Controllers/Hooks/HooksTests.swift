import Backend
import ControllerKit
import Foundation
import Interchange
import LocalStore
import Locking
import Records
import TestSupport
import Testing

@testable import Controllers

@MainActor
@Suite("The input of hooks", .timeLimit(.minutes(5)))
struct HooksTests {
    /// Services whose hooks only record their jobs.
    private struct Listening {
        let services: Services
        let jobs = Locked<[HookJob]>([])

        init(_ services: Services) {
            let jobs = jobs
            self.services = services.running(
                Hooks(run: { job in jobs.withLock { $0.append(job) } }, inspect: { (0, []) }))
        }

        /// The jobs since the last call: the event, and the lines.
        @MainActor
        func newJobs() throws -> [(HookEvent, [JSONObject])] {
            let jobs = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            return try jobs.map { ($0.event, try $0.lines.map { try JSONValue(parsing: $0).object ?? [:] }) }
        }

        @MainActor
        var list: Presentation<ListScreen> { Presentation(ListController(services.notebook)) { Issue.record($0) } }
        @MainActor
        var detail: Presentation<DetailScreen> {
            Presentation(DetailController(services.notebook)) { Issue.record($0) }
        }
        @MainActor
        var undo: Presentation<UndoScreen> { Presentation(UndoController(services.notebook)) { Issue.record($0) } }
    }

    @Test("A new record is an add, a changed one an edit with its previous state, a deleted one an edit without fields")
    func commands() async throws {
        let listening = try Listening(Services.testing())
        try await listening.list.send(.add(["Milk", "+shop"], body: nil))
        var jobs = try listening.newJobs()
        let id = try #require(jobs.first?.1.first?["id"]?.string)
        #expect(jobs.map(\.0) == [.add])
        let fields = try #require(jobs[0].1[0]["fields"]?.object)
        #expect(
            jobs[0].1 == [
                [
                    "collection": "tasks", "id": .string(id), "deleted": false, "fields": .object(fields),
                    "previous": .null,
                ]
            ])
        #expect(fields["title"] == "Milk" && fields["tags"] == ["shop"])

        try await listening.detail.send(.edit(id, title: "Oat milk", body: nil, words: []))
        jobs = try listening.newJobs()
        #expect(jobs.map(\.0) == [.edit] && jobs[0].1[0]["previous"] == .object(fields))
        #expect(jobs[0].1[0]["fields"] == .object(fields.applying(["title": "Oat milk"])))

        try await listening.list.send(.remove([id]))
        jobs = try listening.newJobs()
        #expect(jobs.map(\.0) == [.edit] && jobs[0].1[0]["deleted"] == true && jobs[0].1[0]["fields"] == [:])
        #expect(jobs[0].1[0]["previous"]?.object?["title"] == "Oat milk")

        try await listening.undo.send(.undo)
        jobs = try listening.newJobs()
        #expect(jobs.map(\.0) == [.add])
    }

    @Test("A command is one job of each kind, however many records it changes; without changes there is none")
    func several() async throws {
        let listening = try Listening(Services.testing())
        try await listening.list.send(.add(["A", "due:friday", "repeat:weekly"], body: nil))
        try await listening.list.send(.add(["B"], body: nil))
        _ = try listening.newJobs()
        let ids = try await listening.services.store.read { try $0.records(in: ["tasks"]).map(\.key.id) }
        try await listening.list.send(.complete(ids))
        var jobs = try listening.newJobs()
        #expect(jobs.map(\.0) == [.add, .edit] && jobs.map(\.1.count) == [1, 2])
        #expect(jobs[0].1[0]["fields"]?.object?["repeatOf"] != nil)
        try await listening.list.send(.complete(ids))
        try await listening.list.send(.list(filter: [], limit: nil, offset: nil))
        #expect(try listening.newJobs().isEmpty)
        let tasks = (0..<50).map {
            #"{"uuid": "22222222-2222-4222-8222-0000000000\#($0 + 10)", "description": "T\#($0)"}"#
        }
        try await Presentation(TransferController(listening.services.notebook)) { Issue.record($0) }
            .send(.importing(.taskwarrior, tasks.joined(separator: "\n")))
        jobs = try listening.newJobs()
        #expect(jobs.map(\.0) == [.add] && jobs.map(\.1.count) == [50])
    }

    @Test("A command that fails causes no job")
    func failing() async throws {
        let listening = try Listening(Services.testing())
        _ = await failure { try await listening.list.send(.add(["x", "repeat:weekly"], body: nil)) }
        #expect(try listening.newJobs().isEmpty)
    }

    @Test("A sync is one job with everything it received, including merges; none if it received nothing")
    func sync() async throws {
        let account = try SharedAccount()
        let laptop = try await account.device().register()
        let desktop = try await account.device().logIn()
        let listening = Listening(desktop.services)
        let sync = Presentation(SyncController(listening.services.notebook, listening.services.sync)) {
            Issue.record($0)
        }
        try laptop.edit("aa", ["title": "Milk", "body": "one\ntwo"])
        for number in 0..<20 { try laptop.edit("bb\(number)", ["title": "Bread"]) }
        try await laptop.sync()
        try await sync.send(.sync)
        var jobs = try listening.newJobs()
        #expect(jobs.map(\.0) == [.sync] && jobs[0].1.count == 21)
        #expect(jobs[0].1.allSatisfy { $0["previous"] == .null && $0["deleted"] == false })

        try laptop.edit("aa", ["title": "Oat milk"])
        try laptop.delete("bb0")
        try await laptop.sync()
        try desktop.edit("aa", ["priority": "H"])
        #expect(try listening.newJobs().map(\.0) == [.edit])
        try await sync.send(.sync)
        jobs = try listening.newJobs()
        #expect(jobs.map(\.0) == [.sync])
        let lines = Dictionary(uniqueKeysWithValues: jobs[0].1.map { ($0["id"]?.string ?? "", $0) })
        #expect(Set(lines.keys) == ["aa", "bb0"])
        #expect(lines["aa"]?["fields"] == ["title": "Oat milk", "body": "one\ntwo", "priority": "H"])
        #expect(lines["aa"]?["previous"] == ["title": "Milk", "body": "one\ntwo", "priority": "H"])
        #expect(lines["bb0"]?["deleted"] == true && lines["bb0"]?["previous"] == ["title": "Bread"])

        try await sync.send(.sync)
        #expect(try listening.newJobs().isEmpty)
    }

    @Test("Doctor reports hooks that can't be run, and nothing without any")
    func doctor() async throws {
        let services = try Services.testing()
        let check = { (services: Services) in
            let doctor = Presentation(
                DoctorController(services.notebook, engine: services.engine, sync: services.sync, hooks: services.hooks)
            ) { Issue.record($0) }
            try await doctor.send(.check(deep: false))
            return doctor.state.checks.first { $0.name == .hooks }
        }
        #expect(try await check(services) == nil)
        let hooked = services.running(Hooks(run: { _ in }, inspect: { (2, []) }))
        #expect(try await check(hooked)?.verdict == .ok)
        let fault = HookFault(path: "/home/hooks/on-add", reason: "is not executable (chmod u+x)")
        let found = try await check(services.running(Hooks(run: { _ in }, inspect: { (0, [fault]) })))
        #expect(found?.verdict == .warning && found?.detail.contains("/home/hooks/on-add isn't run") == true)
    }
}
