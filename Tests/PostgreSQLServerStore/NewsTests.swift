import ServerCore
import TestSupport
import Testing

@testable import PostgreSQLServerStore

@Suite struct NewsTextTests {
    @Test func newsAreTheSameAfterTheirText() {
        let news: [StoreNews] = [.changed(space: "s-1", version: 1 << 52), .recheck(account: "a"), .anything]
        let texts = NewsText.texts(of: news)
        #expect(texts.count == 1)
        #expect(texts.flatMap(NewsText.news) == news)
    }

    @Test func manyNewsAreSentAsSeveralTextsOfALimitedSize() {
        let news = (1...1_000).map { StoreNews.changed(space: "space-\($0)", version: Int64($0)) }
        let texts = NewsText.texts(of: news)
        #expect(texts.count > 1)
        #expect(texts.allSatisfy { $0.utf8.count <= NewsText.bytes })
        #expect(texts.flatMap(NewsText.news) == news)
    }

    @Test(arguments: ["later words", "changed s", "changed s x", "recheck"])
    func aTextOfALaterVersionMayMeanAnything(text: String) {
        #expect(NewsText.news(of: text) == [.anything])
    }
}

@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct NewsExchangeTests {
    /// Waits for news that satisfy a condition.
    private func received(
        _ stream: inout AsyncStream<StoreNews>.Iterator, until isEnd: (StoreNews) -> Bool
    ) async -> [StoreNews] {
        var all: [StoreNews] = []
        while let news = await stream.next() {
            all.append(news)
            if isEnd(news) { break }
        }
        return all
    }

    @Test(.timeLimit(.minutes(5)))
    func aProcessReceivesTheNewsOfOthersAndNotItsOwn() async throws {
        try await TestDatabase.with { database in
            let first = try await PostgreSQLServerStore.open(database.address)
            let second = try await PostgreSQLServerStore.open(database.address)
            let (stream, continuation) = AsyncStream<StoreNews>.makeStream()
            let receiving = second.receiveNews { continuation.yield($0) }
            var iterator = stream.makeAsyncIterator()
            #expect(await received(&iterator) { $0 == .anything } == [.anything])
            second.announce(.recheck(account: "own"))
            first.announce(.changed(space: "s", version: 3))
            var news = await received(&iterator) { $0 == .changed(space: "s", version: 3) }
            // The own news were sent before, if they were to come back.
            first.announce(.recheck(account: "end"))
            news += await received(&iterator) { $0 == .recheck(account: "end") }
            #expect(!news.contains(.recheck(account: "own")))
            withExtendedLifetime(receiving) {}
            await first.shutDown()
            await second.shutDown()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func afterALostConnectionAnythingMayHaveHappened() async throws {
        try await TestDatabase.with { database in
            let (sender, store) = (
                try await PostgreSQLServerStore.open(database.address),
                try await PostgreSQLServerStore.open(database.address)
            )
            let (stream, continuation) = AsyncStream<StoreNews>.makeStream()
            let receiving = store.receiveNews { continuation.yield($0) }
            var iterator = stream.makeAsyncIterator()
            _ = await received(&iterator) { $0 == .anything }
            try await database.run(
                """
                SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
                WHERE datname = '\(database.name)' AND pid <> pg_backend_pid()
                """)
            #expect(await received(&iterator) { $0 == .anything } == [.anything])
            sender.announce(.recheck(account: "a"))
            #expect(await received(&iterator) { $0 == .recheck(account: "a") }.last == .recheck(account: "a"))
            withExtendedLifetime(receiving) {}
            await sender.shutDown()
            await store.shutDown()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func aCommandOfTheOwnerReportsItsCommits() async throws {
        try await TestDatabase.with { database in
            let server = try await PostgreSQLServerStore.open(database.address)
            let (stream, continuation) = AsyncStream<StoreNews>.makeStream()
            let receiving = server.receiveNews { continuation.yield($0) }
            var iterator = stream.makeAsyncIterator()
            _ = await received(&iterator) { $0 == .anything }
            let command = try await PostgreSQLServerStore.open(
                database.address, connections: 2, reportsCommits: true)
            try await command.write { try $0.insertSpace(id: "s") }
            #expect(await received(&iterator) { $0 == .anything } == [.anything])
            withExtendedLifetime(receiving) {}
            await command.shutDown()
            await server.shutDown()
        }
    }
}
