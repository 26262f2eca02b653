import Backend
import ControllerKit
import Controllers
import Foundation
import LocalStore
import Locking
import Records
import TestSupport
import Testing

/// Repairs while the server has applied an edit and its answer was lost, with the real server and the real cache.
@MainActor
@Suite struct RepairInFlightTests {
    /// A device with two records, of which one was edited, sent without an answer, and edited again.
    private func device(store: LocalStore? = nil) async throws -> SharedAccount.Device {
        let device = try await SharedAccount().device(store: store).register()
        for (id, title) in [("a", "Milk"), ("b", "Bread")] { try device.edit(id, ["title": .string(title)]) }
        try await device.sync()
        try device.edit("a", ["title": "Oat milk"])
        device.losesAnswers.withLock { $0 = true }
        await #expect(throws: (any Error).self) { try await device.sync() }
        device.losesAnswers.withLock { $0 = false }
        #expect(try device.services.store.readNow { try $0.outbox.batch() } != nil)
        device.clock.advance(by: .seconds(5))
        try device.edit("a", ["title": "Soy milk"])
        return device
    }

    private func expectOneLine(on device: SharedAccount.Device) throws {
        #expect(try device.titles() == ["Bread", "Soy milk"])
        #expect(try device.unsent() == 0)
        #expect(try device.services.store.readNow { try $0.records(in: ["conflicts"]) } == [])
    }

    @Test func `a repair creates no conflict with the device's own edits`() async throws {
        let device = try await device()
        try device.services.store.writeNow { try $0.store(nil, for: RecordKey(collection: "tasks", id: "b")) }
        let doctor = device.doctor()
        try await doctor.send(.repair(deep: true))
        #expect(doctor.state.isWell, "\(doctor.state.checks)")
        try expectOneLine(on: device)
    }

    @Test func `a cache rebuilt from a damaged one creates no conflict with the device's own edits`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let device = try await device(store: LocalStore(home: .init(directory: directory)))
        let batch = try device.services.store.readNow { try $0.outbox.batch() }
        try await device.services.store.rebuild(since: [])
        #expect(try device.services.store.readNow { try $0.outbox.batch() } == batch)
        #expect(try await device.services.store.faults() == [])
        try await device.sync()
        try expectOneLine(on: device)
    }
}
