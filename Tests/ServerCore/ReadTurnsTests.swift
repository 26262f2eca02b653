import Testing
import TestSupport

@testable import ServerCore

@Suite(.timeLimit(.minutes(5))) struct ReadTurnsTests {
    @Test func readsOfOneAccountLeaveRoomForAnother() async throws {
        let turns = ReadTurns()
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { try await turns.read(for: "flood") { try await gate.pass() } }
            }
            while gate.waiting < ReadTurns.readsPerAccount { await Task.yield() }
            #expect(try await turns.read(for: "other") { 1 } == 1)
            #expect(gate.waiting == ReadTurns.readsPerAccount)
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test func anAccountWithTooManyReadsIsRefused() async throws {
        let turns = ReadTurns()
        let gate = Gate()
        let refused = Lines()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0...ReadTurns.perAccount {
                group.addTask {
                    do {
                        try await turns.read(for: "flood") { try await gate.pass() }
                    } catch QueueRefusal.keyIsBusy {
                        refused.add("refused")
                    }
                }
            }
            while refused.all.isEmpty { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        #expect(refused.all == ["refused"])
        #expect(try await turns.read(for: "flood") { 1 } == 1)
    }
}
