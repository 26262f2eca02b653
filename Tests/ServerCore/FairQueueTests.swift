import Testing
import TestSupport

@testable import ServerCore

/// Keys with the same first letter form a crowd.
private struct Name: FairQueueKey, ExpressibleByStringInterpolation {
    let text: String

    init(stringLiteral text: String) { self.text = text }

    var crowd: Character? { text.first }
}

@Suite struct FairQueueTests {
    private func drain(_ queue: inout FairQueue<Name, Int>) -> [Int] {
        var order: [Int] = []
        while let next = queue.next() {
            order.append(next.element)
            queue.finished(next.key)
        }
        return order
    }

    @Test func keysTakeTurnsHoweverManyElementsOneHas() throws {
        var queue = FairQueue<Name, Int>(perKey: 10, limit: 100)
        for number in 1...5 { #expect(try queue.add(number, for: "flood") == nil) }
        #expect(try queue.add(10, for: "one") == nil)
        #expect(try queue.add(20, for: "other") == nil)
        #expect(drain(&queue) == [1, 10, 20, 2, 3, 4, 5])
    }

    @Test func aKeyWithAllItsElementsRunningYieldsToAnotherKey() throws {
        var queue = FairQueue<Name, Int>(perKey: 10, runningPerKey: 2, limit: 100)
        for number in 1...4 { #expect(try queue.add(number, for: "flood") == nil) }
        #expect(queue.next()?.element == 1)
        #expect(queue.next()?.element == 2)
        #expect(queue.next() == nil)
        #expect(try queue.add(10, for: "other") == nil)
        #expect(queue.next()?.element == 10)
        queue.finished("flood")
        #expect(queue.next()?.element == 3)
    }

    @Test func aKeyHasAtMostItsBoundOfWaitingAndRunningElements() throws {
        var queue = FairQueue<Name, Int>(perKey: 2, limit: 100)
        _ = try queue.add(1, for: "a")
        _ = try queue.add(2, for: "a")
        #expect(throws: QueueRefusal.keyIsBusy) { try queue.add(3, for: "a") }
        let next = queue.next()
        let running = try #require(next)
        #expect(throws: QueueRefusal.keyIsBusy) { try queue.add(3, for: "a") }
        queue.finished(running.key)
        #expect(try queue.add(3, for: "a") == nil)
    }

    @Test func aFullQueueAcceptsAnotherKeyInPlaceOfTheLastElementOfTheLongest() throws {
        var queue = FairQueue<Name, Int>(perKey: 4, limit: 4)
        _ = try queue.add(1, for: "a")
        for number in 2...4 { _ = try queue.add(number, for: "b") }
        #expect(throws: QueueRefusal.full) { try queue.add(5, for: "a") }
        #expect(try queue.add(6, for: "c") == 4)
        #expect(queue.count == 4)
        #expect(try queue.add(7, for: "d") == 3)
        #expect(throws: QueueRefusal.full) { try queue.add(8, for: "e") }
        #expect(drain(&queue) == [1, 2, 6, 7])
    }

    @Test func aFullQueueDisplacesTheNewestKeyOfTheLargestCrowdForAnotherCrowd() throws {
        var queue = FairQueue<Name, Int>(perKey: 4, limit: 4)
        for number in 1...4 { _ = try queue.add(number, for: "name\(number)") }
        #expect(throws: QueueRefusal.full) { try queue.add(5, for: "name5") }
        #expect(try queue.add(6, for: "other") == 4)
        #expect(try queue.add(7, for: "others") == 3)
        #expect(throws: QueueRefusal.full) { try queue.add(8, for: "name3") }
        #expect(queue.count == 4)
        #expect(drain(&queue) == [1, 2, 6, 7])
    }

    /// A client behind an untrusted proxy that tries 256 names leaves room for one with another address.
    @Test func manyNamesOfOneAddressBehindAnUntrustedProxyYieldToAnotherAddress() throws {
        var queue = FairQueue<HashRequester, Int>(perKey: PasswordHasher.perRequester, limit: PasswordHasher.waiting)
        func requester(_ name: String, from address: String) throws -> HashRequester {
            let request = ServerRequest(
                method: "POST", target: "/", headers: [("X-Forwarded-For", "203.0.113.9, \(address)")],
                address: "127.0.0.1")
            return HashRequester(request.clientAddress(behind: []), username: name)
        }
        for number in 1...PasswordHasher.waiting {
            _ = try queue.add(number, for: requester("x\(number)", from: "198.51.100.1"))
        }
        #expect(throws: QueueRefusal.full) { try queue.add(0, for: requester("y", from: "198.51.100.1")) }
        #expect(try queue.add(0, for: requester("ada", from: "192.0.2.1")) == PasswordHasher.waiting)
    }

    @Test func waitingElementsCanBeRemovedAndRunningOnesStillCount() throws {
        var queue = FairQueue<Name, Int>(perKey: 2, limit: 9)
        _ = try queue.add(1, for: "a")
        _ = queue.next()
        _ = try queue.add(2, for: "a")
        _ = try queue.add(3, for: "b")
        #expect(queue.removeWaiting().sorted() == [2, 3])
        #expect(queue.count == 0 && queue.next() == nil)
        _ = try queue.add(4, for: "a")
        #expect(throws: QueueRefusal.keyIsBusy) { try queue.add(5, for: "a") }
        queue.finished("a")
        #expect(drain(&queue) == [4])
    }

    @Test func nothingIsStoredForKeysWithoutElements() throws {
        var queue = FairQueue<Name, Int>(perKey: 1, limit: 1)
        for key in 1...1_000 {
            _ = try queue.add(key, for: "\(key)")
            #expect(drain(&queue) == [key])
        }
        #expect(queue.count == 0)
    }
}

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

    /// Each read is of another account, so none is displaced for another one.
    @Test func oneReadMoreThanMayWaitIsRefused() async throws {
        let turns = ReadTurns()
        let gate = Gate()
        let refused = Lines()
        #expect(ReadTurns.waiting == 1_024)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<(ReadTurns.reads + ReadTurns.waiting + 1) {
                group.addTask {
                    do {
                        try await turns.read(for: "account \(number)") { try await gate.pass() }
                    } catch QueueRefusal.full {
                        refused.add("refused")
                    }
                }
            }
            // The last one to come, whichever that is.
            while refused.all.isEmpty { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        #expect(refused.all == ["refused"])
        #expect(try await turns.read(for: "one more") { 1 } == 1)
    }
}
