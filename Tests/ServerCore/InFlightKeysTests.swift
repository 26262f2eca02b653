import SyncAPI
import Testing

@testable import ServerCore

@Suite struct InFlightKeysTests {
    private let keys = InFlightKeys()
    private let key = OutcomeKey(account: "a", device: "d", key: "k")

    @Test func aKeyWhoseRequestIsUnderWayIsRefusedAndFreeAfterwards() async throws {
        try await keys.exclusively(key) {
            await #expect(throws: Problem.keyInUse) { try await keys.exclusively(key) {} }
            try await keys.exclusively(OutcomeKey(account: "a", device: "other", key: "k")) {}
        }
        try await keys.exclusively(key) {}
    }

    @Test func aRequestThatFailsFreesItsKey() async throws {
        await #expect(throws: Problem.notFound) { try await keys.exclusively(key) { throw Problem.notFound } }
        try await keys.exclusively(key) {}
    }
}
