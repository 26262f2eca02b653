import NIOConcurrencyHelpers
import SQLiteServerStore
import TestSupport
import Testing

@testable import ServerCore

/// News between processes over one store.
@Suite struct StoreNewsTests {
    private let announced = NIOLockedValueBox<[StoreNews]>([])

    private func hub() -> EventHub {
        EventHub(streams: 8, announce: { [announced] news in announced.withLockedValue { $0.append(news) } })
    }

    @Test func whatThisProcessHasChangedIsAnnouncedToOthers() {
        let hub = hub()
        hub.changed("s", version: 3)
        hub.recheck(account: "a")
        #expect(announced.withLockedValue { $0 } == [.changed(space: "s", version: 3), .recheck(account: "a")])
    }

    @Test func theNewsOfAnotherProcessNotifyTheStreamsAndAreNotAnnouncedAgain() async throws {
        let hub = hub()
        let listening = try hub.listen(account: "a", address: "192.0.2.1", limit: 1)
        #expect(hub.follow(["s"], account: "a"))
        hub.received(.changed(space: "s", version: 3))
        #expect(await listening.wakeup.next() == .commit)
        #expect(hub.committedVersions(of: ["s"]) == ["s": 3])
        hub.received(.recheck(account: "a"))
        #expect(await listening.wakeup.next() == .recheck)
        hub.received(.anything)
        #expect(await listening.wakeup.next() == .recheck)
        #expect(announced.withLockedValue { $0 } == [])
    }

    @Test func theNewsOfAnotherSpaceOrAccountWakeNoStream() throws {
        let hub = hub()
        let listening = try hub.listen(account: "a", address: "192.0.2.1", limit: 1)
        #expect(hub.follow(["s"], account: "a"))
        hub.received(.changed(space: "t", version: 3))
        hub.received(.recheck(account: "b"))
        #expect(hub.committedVersions(of: ["s", "t"]) == [:])
        #expect(!listening.wakeup.isOver)
    }

    @Test func ofASpaceOnlyTheNewestVersionWaits() {
        var pending = PendingNews()
        for version: Int64 in [3, 7, 5] { pending.add(.changed(space: "s", version: version)) }
        #expect(pending.all == [.changed(space: "s", version: 7)])
    }

    @Test func tooManyNewsBecomeOne() {
        var pending = PendingNews()
        for number in 0...PendingNews.limit { pending.add(.recheck(account: "a\(number)")) }
        #expect(pending.all == [.anything])
    }

    /// A store with news, whose other methods aren't called.
    private struct NewsStore: ServerStore {
        final class Receiving: StoreNewsReceiving {}
        struct NotUsed: Error {}

        let receiver: NIOLockedValueBox<(@Sendable (StoreNews) -> Void)?>

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReading) throws -> Result
        ) async throws -> Result { throw NotUsed() }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriting) throws -> Result
        ) async throws -> Result { throw NotUsed() }

        func receiveNews(_ receive: @escaping @Sendable (StoreNews) -> Void) -> (any StoreNewsReceiving)? {
            receiver.withLockedValue { $0 = receive }
            return Receiving()
        }
    }

    @Test func theNewsOfAStoreReachTheStreamsWithoutPolling() async throws {
        let receiver = NIOLockedValueBox<(@Sendable (StoreNews) -> Void)?>(nil)
        let (hub, clock) = (hub(), InProcessServer.Clock())
        let listening = try hub.listen(account: "a", address: "192.0.2.1", limit: 1)
        let environment = ServerEnvironment(
            now: { clock.now }, randomBytes: ServerEnvironment.live.randomBytes,
            sleep: { try await clock.sleep(for: $0) })
        let watch = Task {
            await CommitWatch(store: NewsStore(receiver: receiver), environment: environment, events: hub).run()
        }
        while clock.sleeping == 0 { await Task.yield() }
        receiver.withLockedValue { $0 }?(.recheck(account: "a"))
        #expect(await listening.wakeup.next() == .recheck)
        watch.cancel()
        await watch.value
    }
}
