import Testing

@testable import ServerCore

@Suite struct FairQueueTests {
    private func drain(_ queue: inout FairQueue<String, Int>) -> [Int] {
        var order: [Int] = []
        while let next = queue.next() {
            order.append(next.element)
            queue.finished(next.key)
        }
        return order
    }

    @Test func keysTakeTurnsHoweverManyElementsOneHas() throws {
        var queue = FairQueue<String, Int>(perKey: 10, limit: 100)
        for number in 1...5 { #expect(try queue.add(number, for: "flood") == nil) }
        #expect(try queue.add(10, for: "one") == nil)
        #expect(try queue.add(20, for: "other") == nil)
        #expect(drain(&queue) == [1, 10, 20, 2, 3, 4, 5])
    }

    @Test func aKeyHasAtMostItsBoundOfWaitingAndRunningElements() throws {
        var queue = FairQueue<String, Int>(perKey: 2, limit: 100)
        _ = try queue.add(1, for: "a")
        _ = try queue.add(2, for: "a")
        #expect(throws: QueueRefusal.keyIsBusy) { try queue.add(3, for: "a") }
        let next = queue.next()
        let running = try #require(next)
        #expect(throws: QueueRefusal.keyIsBusy) { try queue.add(3, for: "a") }
        queue.finished(running.key)
        #expect(try queue.add(3, for: "a") == nil)
    }

    @Test func aFullQueueTakesAnotherKeyInPlaceOfTheLastElementOfTheLongest() throws {
        var queue = FairQueue<String, Int>(perKey: 4, limit: 4)
        _ = try queue.add(1, for: "a")
        for number in 2...4 { _ = try queue.add(number, for: "b") }
        #expect(throws: QueueRefusal.full) { try queue.add(5, for: "a") }
        #expect(try queue.add(6, for: "c") == 4)
        #expect(queue.count == 4)
        #expect(try queue.add(7, for: "d") == 3)
        #expect(throws: QueueRefusal.full) { try queue.add(8, for: "e") }
        #expect(drain(&queue) == [1, 2, 6, 7])
    }

    @Test func nothingIsKeptOfKeysWithoutElements() throws {
        var queue = FairQueue<String, Int>(perKey: 1, limit: 1)
        for key in 1...1_000 {
            _ = try queue.add(key, for: "\(key)")
            #expect(drain(&queue) == [key])
        }
        #expect(queue.count == 0)
    }
}
