import Backend
import ControllerKit
import Foundation
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import Controllers
@testable import SyncEngine

@MainActor
@Suite struct DoctorTests {
    private func doctor(_ home: Home) -> Presentation<DoctorScreen> {
        Presentation(
            DoctorController(
                home.services.notebook, engine: home.services.engine, sync: home.services.sync,
                hooks: home.services.hooks)
        ) { Issue.record($0) }
    }

    @Test func `a home without an account has no faults, and the server isn't asked`() async throws {
        let home = try Home()
        try home.put(["a": ["title": "Milk"]])
        let doctor = doctor(home)
        try await doctor.send(.check(deep: true))
        #expect(doctor.state.isWell && doctor.state.failureCategory == nil)
        #expect(doctor.state.checks.map(\.name) == [.file, .records, .outbox, .sync, .search, .session])
        #expect(doctor.state.checks.allSatisfy { $0.verdict == .ok && $0.remedy == nil })
        #expect(doctor.state.notice == "No faults found.")
    }

    @Test func `a difference is reported and repaired, and then there is none`() async throws {
        let device = try await SharedAccount().device().register()
        for (id, title) in [("a", "Milk"), ("b", "Bread")] { try device.edit(id, ["title": .string(title)]) }
        try await device.sync()
        let doctor = device.doctor()
        try await doctor.send(.check(deep: true))
        #expect(doctor.state.isWell, "\(doctor.state.checks)")
        // One record is missing in the cache, another has different contents, and a third one is unsent.
        try device.services.store.writeNow { cache in
            try cache.store(nil, for: RecordKey(collection: "tasks", id: "a"))
            var wrong = try #require(try cache.cached(RecordKey(collection: "tasks", id: "b")))
            wrong.record.fields = ["title": "Stone"]
            try cache.store(wrong, for: wrong.record.key)
            try cache.edit(RecordKey(collection: "tasks", id: "c"), ["title": "Unsent"])
        }
        try await doctor.send(.check(deep: true))
        #expect(!doctor.state.isWell && doctor.state.failureCategory == .damaged)
        #expect(doctor.state.checks.filter { $0.verdict == .broken }.map(\.name) == [.server, .compare])
        #expect(doctor.state.differences.map(\.kind) == [.missingHere, .contents])
        try await doctor.send(.repair(deep: true))
        #expect(doctor.state.isWell, "\(doctor.state.checks)")
        #expect(try device.titles() == ["Bread", "Milk", "Unsent"])
    }

    @Test func `a record that is too large to be received is a warning, not a difference`() {
        let large = CacheComparison.Difference(RecordKey(collection: "tasks", id: "a"), .tooLarge)
        var comparison = CacheComparison(compared: 2, differences: [large])
        var check = DoctorScreen.State.Check.compare(comparison)
        #expect(check.verdict == .warning)
        #expect(
            check.detail
                == "all 2 other records match the server's; 1 too large to be received here")
        comparison.differences.append(.init(RecordKey(collection: "tasks", id: "b"), .contents))
        check = .compare(comparison)
        #expect(check.verdict == .broken)
        #expect(
            check.detail == "1 of 2 records differ from the server's; 1 too large to be received here")
    }

    @Test func `a check alone changes nothing`() async throws {
        let home = try Home()
        try home.put(["a": ["title": "Milk"]])
        _ = try home.services.store.writeNow { try $0.index.search(["milk"], limit: 1) }
        let cached = try home.task("a")
        let doctor = doctor(home)
        try await doctor.send(.check(deep: false))
        #expect(try home.task("a") == cached)
    }

    @Test func `an unreachable server is skipped; the other checks are reported`() async throws {
        let home = try Home(signedInAs: "ada")
        home.transport.expect(AuthenticatedRoute.pullChanges(space: "space-ada"), failing: .refused)
        let doctor = doctor(home)
        try await doctor.send(.check(deep: true))
        let server = doctor.state.checks.first { $0.name == .server }
        #expect(server?.verdict == .skipped && server?.detail.contains("can't be reached") == true)
        #expect(doctor.state.isWell && doctor.state.failureCategory == nil)
        #expect(doctor.state.notice == "No faults found here; the server couldn't be reached.")
        for _ in 0..<2 { home.transport.expect(AuthenticatedRoute.pullChanges(space: "space-ada"), failing: .refused) }
        try await doctor.send(.repair(deep: false))
        #expect(doctor.state.notice == "No faults found here; the server couldn't be reached.")
        home.transport.verify()
    }

    @Test func `a machine that can't send requests is a fault`() async throws {
        let home = try Home(signedInAs: "ada")
        home.transport.expect(AuthenticatedRoute.pullChanges(space: "space-ada"), failing: .unavailable)
        let doctor = doctor(home)
        try await doctor.send(.check(deep: false))
        let server = doctor.state.checks.first { $0.name == .server }
        #expect(server?.verdict == .broken && server?.detail.hasPrefix("Requests can't be sent") == true)
        #expect(!doctor.state.isWell)
    }

    @Test func `a wrong clock is a warning that says what to do`() async throws {
        let device = try await SharedAccount().device().register()
        try await device.sync()
        device.clock.advance(by: .seconds(3 * 3_600))
        let doctor = device.doctor()
        try await doctor.send(.check(deep: false))
        let clock = doctor.state.checks.first { $0.name == .clock }
        #expect(clock?.verdict == .warning && clock?.detail == "it is 3 hours ahead of the server's")
        #expect(clock?.remedy != nil && !doctor.state.isWell)
    }

    @Test func `an ended session is a warning that says how to continue`() async throws {
        let home = try Home(signedInAs: "ada")
        try home.credentials.save(
            Credentials(identity: Credentials.testing().identity, state: .ended(reason: .revoked)))
        let doctor = doctor(home)
        try await doctor.send(.check(deep: false))
        let session = doctor.state.checks.first { $0.name == .session }
        #expect(session?.verdict == .warning && session?.remedy == "`login`.")
    }

    @Test func `a repair protects files of the home that others may read`() async throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let home = try Home(store: LocalStore(home: .init(directory: directory.appending(path: "home"))))
        let place = try #require(home.services.store.home)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place.cache.path)
        let doctor = doctor(home)
        try await doctor.send(.check(deep: false))
        #expect(doctor.state.checks.first { $0.name == .home }?.verdict == .warning)
        try await doctor.send(.repair(deep: false))
        #expect(doctor.state.isWell)
        let mode = try FileManager.default.attributesOfItem(atPath: place.cache.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `unsent edits of a file that was set aside are applied once, however often doctor runs`() async throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let aside = directory.appending(path: "aside")
        do {
            let old = try LocalStore(home: .init(directory: aside))
            try old.writeNow { _ = try $0.edit(RecordKey(collection: "tasks", id: "a"), ["title": "Saved"]) }
        }
        let home = try Home()
        let doctor = doctor(home)
        for _ in 0..<2 { try await doctor.send(.salvage(file: aside.appending(path: "cache.db").path)) }
        #expect(try home.titles() == ["Saved"])
        #expect(doctor.state.notice?.contains("All of them already existed here.") == true)
    }

    private func temporaryDirectory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }
}
