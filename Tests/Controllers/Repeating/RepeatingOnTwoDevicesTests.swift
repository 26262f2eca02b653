import ControllerKit
import Controllers
import Foundation
import LocalStore
import Records
import TestSupport
import Testing

/// Two devices of one account in sync, with one repeating task, and the commands of each before they sync again.
@MainActor
@Suite("Repeating tasks on two devices", .timeLimit(.minutes(10)))
struct RepeatingOnTwoDevicesTests {
    typealias Device = SharedAccount.Device
    private static let task = "11111111-1111-4111-8111-111111111111"
    private static let next = NextInstance.key(after: RecordKey(collection: "tasks", id: task)).id

    private func household() async throws -> (Device, Device) {
        let account = try SharedAccount()
        let (laptop, desktop) = (try await account.device().register(), try await account.device().logIn())
        try laptop.edit(
            Self.task,
            [
                "title": "Water plants", "status": "pending", "entry": "2026-11-01T08:00:00Z", "tags": ["home"],
                "body": "All of them.", "due": "2026-11-20T14:00:00Z", "repeat": "weekly",
                "repeatZone": "Europe/Berlin",
            ])
        try await meet(laptop, desktop)
        return (laptop, desktop)
    }

    /// All sync until there is nothing new. Then they hold the same records.
    private func meet(_ devices: Device...) async throws {
        for _ in 0..<2 { for device in devices { try await device.sync() } }
        let held = try devices.map { try $0.everything() }
        #expect(held.dropFirst().allSatisfy { $0 == held[0] })
    }

    @Test("Both complete it offline on different days: one next instance, no conflict, due after the later day")
    func both() async throws {
        let (laptop, desktop) = try await household()
        try await laptop.complete(Self.task)
        desktop.clock.advance(by: .seconds(9 * 86_400))
        try await desktop.complete(Self.task)
        for _ in 0..<2 { try await meet(laptop, desktop) }
        #expect(try laptop.conflictingFields() == [])
        #expect(try laptop.tasks().count == 2)
        #expect(try laptop.tasks()[Self.next]?["due"] == "2026-12-04T14:00:00Z")
    }

    @Test("One completes it, the other has retitled and completed it: the new title is kept without a conflict")
    func retitled() async throws {
        let (laptop, desktop) = try await household()
        try await laptop.complete(Self.task)
        desktop.clock.advance(by: .seconds(60))
        try await desktop.change(Self.task, "priority:H", title: "Water the ferns", body: "Only those.")
        try await desktop.complete(Self.task)
        try await meet(laptop, desktop)
        let next = try laptop.tasks()[Self.next]
        #expect(next?["title"] == "Water the ferns" && next?["body"] == "Only those." && next?["priority"] == "H")
        #expect(try laptop.tasks().count == 2 && laptop.conflictingFields() == [])
    }

    @Test("One completes it, the other deletes it: the edit wins, and there is one next instance")
    func deleted() async throws {
        let (laptop, desktop) = try await household()
        try await laptop.complete(Self.task)
        try desktop.delete(Self.task)
        try await meet(laptop, desktop)
        #expect(try Set(laptop.tasks().keys) == [Self.task, Self.next])
    }

    @Test("A next instance that was deleted stays deleted when the other device creates the same one")
    func nextDeleted() async throws {
        for isSynced in [true, false] {
            let (laptop, desktop) = try await household()
            try await laptop.complete(Self.task)
            if isSynced { try await laptop.sync() }
            try laptop.delete(Self.next)
            try await desktop.complete(Self.task)
            try await meet(laptop, desktop)
            #expect(try Set(laptop.tasks().keys) == [Self.task])
        }
    }

    @Test("Edits of the next instance are kept when the other device completes the last one later")
    func nextEdited() async throws {
        let (laptop, desktop) = try await household()
        try await laptop.complete(Self.task)
        try await laptop.change(Self.next, "-home", title: "Water the ferns", body: "Only those.")
        desktop.clock.advance(by: .seconds(60))
        try await desktop.complete(Self.task)
        try await meet(desktop, laptop)
        let next = try desktop.tasks()[Self.next]
        #expect(next?["title"] == "Water the ferns" && next?["body"] == "Only those." && next?["tags"] == nil)
        #expect(try laptop.conflictingFields() == [])
    }

    @Test("Completed twice on one device, once on the other: the second next instance is the only open one")
    func twice() async throws {
        let (laptop, desktop) = try await household()
        try await laptop.complete(Self.task)
        try await laptop.complete(Self.next)
        desktop.clock.advance(by: .seconds(60))
        try await desktop.complete(Self.task)
        try await meet(laptop, desktop)
        #expect(try laptop.tasks().count == 3)
        #expect(try laptop.tasks().values.filter { $0["status"] == "pending" }.count == 1)
    }

    @Test(
        "Undone on one device, completed on the other: the later edit decides, and no record exists twice"
    )
    func undoneAndCompleted() async throws {
        let (laptop, desktop) = try await household()
        try await laptop.complete(Self.task)
        try await meet(laptop, desktop)
        try await laptop.reopen(Self.task)
        try await meet(laptop, desktop)
        #expect(try desktop.tasks().keys.map(\.self) == [Self.task])
        try await desktop.complete(Self.task)
        try await meet(laptop, desktop)
        #expect(try laptop.tasks().count == 2 && laptop.conflictingFields().isEmpty)
        #expect(try laptop.tasks()[Self.next]?["status"] == "pending")
    }

    @Test(
        "Whatever two devices do, no task has two open next instances, and both agree",
        arguments: 0..<12 as Range<UInt64>)
    func anything(seed: UInt64) async throws {
        let (laptop, desktop) = try await household()
        var dice = SeededRandom(seed: seed)
        for step in 0..<24 {
            let device = dice.oneIn(2) ? laptop : desktop
            device.clock.advance(by: .seconds(Int64(1 + dice.below(200_000))))
            let ids = try device.tasks().keys.sorted()
            guard !ids.isEmpty else { break }
            let id = ids[dice.below(ids.count)]
            switch dice.below(8) {
            case 0...2: try await device.complete(id)
            case 3: try await device.reopen(id)
            case 4: try await device.change(id, title: "w\(step)")
            case 5: try await device.undo()
            case 6 where dice.oneIn(4): try device.delete(id)
            default: try await device.sync()
            }
        }
        try await meet(laptop, desktop)
        let (mine, theirs) = (try laptop.tasks(), try desktop.tasks())
        #expect(mine == theirs, "seed \(seed)")
        let made = mine.values.compactMap { $0["repeatOf"]?.string }
        #expect(made.count == Set(made).count, "seed \(seed)")
        #expect(try laptop.unsent() == 0 && desktop.unsent() == 0, "seed \(seed)")
    }
}

extension SharedAccount.Device {
    fileprivate func complete(_ id: String) async throws {
        try await Presentation(ListController(services.notebook)) { Issue.record($0) }.send(.complete([id]))
    }

    fileprivate func reopen(_ id: String) async throws {
        try await Presentation(ListController(services.notebook)) { Issue.record($0) }.send(.reopen([id]))
    }

    fileprivate func change(_ id: String, _ words: String..., title: String, body: String? = nil) async throws {
        try await Presentation(DetailController(services.notebook)) { Issue.record($0) }
            .send(.edit(id, title: title, body: body, words: words))
    }

    /// Undoes the last command, if there is one.
    fileprivate func undo() async throws {
        guard try services.store.readNow({ try $0.journal.undoable() }) != nil else { return }
        try await Presentation(UndoController(services.notebook)) { Issue.record($0) }.send(.undo)
    }

    /// The live tasks by id.
    fileprivate func tasks() throws -> [String: JSONObject] {
        let records = try services.store.readNow { try $0.records(in: ["tasks"]) }
        return Dictionary(uniqueKeysWithValues: records.map { ($0.key.id, $0.fields) })
    }

    /// All live records.
    fileprivate func everything() throws -> [RecordKey: JSONObject] {
        let records = try services.store.readNow { try $0.records() }
        return Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0.fields) })
    }

    /// The fields with a conflict in the inbox.
    fileprivate func conflictingFields() throws -> [String] {
        try services.store.readNow { try $0.records(in: ["conflicts"]) }.compactMap { $0.fields["field"]?.string }
    }
}
