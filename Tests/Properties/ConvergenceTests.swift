import Backend
import Foundation
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

/// PROTOCOL.md's invariants 1, 2 and 4 on random schedules. `SATCHEL_SEEDS=A..B` runs other seeds. One schedule at a
/// time: each keeps a core busy, and the tests beside them wait for conditions.
@Suite(.serialized) struct ConvergenceTests {
    @Test(arguments: seeds(0..<16))
    func `devices converge over the real server and no edit is lost`(seed: UInt64) async throws {
        let server = try await RealServer()
        let simulation = try await Simulation(seed: seed) { name, wall, newKey in
            try SimulatedDevice(
                name: name, space: server.space, credentials: try await server.logIn(device: name),
                server: server.transport, wall: wall, newKey: newKey)
        }
        for _ in 0..<60 {
            server.turnClock(to: simulation.now)
            try await simulation.step()
        }
        try await expectConvergence(of: simulation, server, seed: seed)
    }

    @Test(arguments: seeds(0..<8))
    func `devices converge over the model of the protocol and no edit is lost`(seed: UInt64) async throws {
        let server = ModelTransport(ModelServer(now: Int64(Simulation.start)))
        let simulation = try await simulation(seed, server)
        for _ in 0..<60 {
            server.model.withLock { $0.now = Int64(simulation.now) }
            try await simulation.step()
        }
        try await expectConvergence(of: simulation, server, seed: seed)
    }

    @Test(arguments: seeds(0..<8))
    func `devices converge when the server forgets tombstones`(seed: UInt64) async throws {
        let server = ModelTransport(ModelServer(now: Int64(Simulation.start)))
        let simulation = try await simulation(seed, server)
        for _ in 0..<60 {
            server.model.withLock { $0.now = Int64(simulation.now) }
            try await simulation.step()
            guard simulation.roll(12) == 0 else { continue }
            server.model.withLock { $0.compact() }
            simulation.tell("the server forgot its tombstones")
        }
        try await expectConvergence(of: simulation, server, seed: seed)
    }

    @Test(arguments: seeds(0..<8))
    func `devices converge after restored backups`(seed: UInt64) async throws {
        let server = ModelTransport(ModelServer(now: Int64(Simulation.start)))
        let simulation = try await simulation(seed, server)
        var backup = server.model.withLock { $0 }
        for _ in 0..<60 {
            server.model.withLock { $0.now = Int64(simulation.now) }
            try await simulation.step()
            switch simulation.roll(30) {
            case 0, 1:
                backup = server.model.withLock { $0 }
                simulation.tell("the server was backed up at \(backup.version)")
            case 2:
                server.model.withLock { [backup] in $0.restore(backup) }
                simulation.tell("the server was restored to \(backup.version)")
            default: break
            }
        }
        try await expectConvergence(of: simulation, server, seed: seed)
    }
}

/// A simulation of devices on a server that knows no accounts.
private func simulation(_ seed: UInt64, _ server: ModelTransport) async throws -> Simulation {
    try await Simulation(seed: seed) { name, wall, newKey in
        let credentials = Credentials(
            identity: SessionIdentity(
                server: try ServerAddress("https://example.org"),
                account: Account(id: "anna", username: "anna", personalSpace: "space"),
                device: SessionGrant.Device(id: name, name: name)),
            state: .active(tokens: Tokens(access: name, accessExpiresAt: nil, refresh: "")))
        return try SimulatedDevice(
            name: name, space: "space", credentials: credentials, server: server, wall: wall, newKey: newKey)
    }
}

/// Lets all devices sync until nothing happens any more, and looks at what they hold.
private func expectConvergence(
    of simulation: Simulation, _ server: any SimulatedServer, seed: UInt64
) async throws {
    let isQuiet = try await simulation.settle()
    let comment = Comment(
        rawValue: "seed \(seed)\n\(ProcessInfo.processInfo.environment["SATCHEL_STORY"] == nil ? "" : simulation.story)"
    )
    #expect(isQuiet, comment)
    let first = try simulation.devices[0].live()
    let told = try await server.digest()
    for device in simulation.devices {
        let (live, lost) = (try device.live(), try simulation.lost(on: device))
        #expect(live == first, comment)
        #expect(lost == [], comment)
        let (unsent, batch, state, counted) = try device.store.readNow { cache in
            (try cache.unsent(), try cache.batch(), try cache.state(), try cache.countedDigest())
        }
        #expect(unsent.records == 0, comment)
        #expect(batch == nil, comment)
        #expect(state.digest == told, comment)
        #expect(counted == told, comment)
    }
}

/// The seeds of `SATCHEL_SEEDS` (`A..B`), or those given.
private func seeds(_ usual: Range<UInt64>) -> [UInt64] {
    let bounds = ProcessInfo.processInfo.environment["SATCHEL_SEEDS"]?.split(separator: ".").compactMap { UInt64($0) }
    guard let bounds, bounds.count == 2, bounds[0] < bounds[1] else { return Array(usual) }
    return Array(bounds[0]..<bounds[1])
}
