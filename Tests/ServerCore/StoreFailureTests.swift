import Logging
import SQLiteServerStore
import SyncAPI
import Testing

@testable import ServerCore

@Suite struct StoreFailureTests {
    /// A store in which everything fails.
    private struct FailingStore: ServerStore {
        let failure: StoreFailure

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReading) throws -> Result
        ) async throws -> Result { throw failure }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriting) throws -> Result
        ) async throws -> Result { throw failure }
    }

    /// A store that answers reads and has no room.
    private struct FullStore: ServerStore {
        let store: SQLiteServerStore

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReading) throws -> Result
        ) async throws -> Result { try await store.read(body) }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriting) throws -> Result
        ) async throws -> Result { throw StoreFailure.full(reason: "SQLITE_FULL") }

        func checkSpace() async throws { throw StoreFailure.full(reason: "SQLITE_FULL") }
    }

    @Test("A server that can't write is not ready, and reports why")
    func notReady() async throws {
        let server = SyncServer(store: FullStore(store: try SQLiteServerStore()), logger: Logger(label: "test"))
        func get(_ path: String) async -> ServerAnswer {
            await server.answer(ServerRequest(method: "GET", target: path, headers: [("Host", "localhost")]))
        }
        let answer = await get("/readyz")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 503)
        #expect(text.contains(#""code":"insufficient-storage""#) && text.contains("writes fail"))
        #expect(!text.contains("SQLITE"))
        #expect(await get("/healthz").status == 200)
    }

    private func answer(_ failure: StoreFailure) async -> ServerAnswer {
        let server = SyncServer(
            configuration: ServerConfiguration(), store: FailingStore(failure: failure), logger: Logger(label: "test"))
        return await server.answer(
            ServerRequest(
                method: "GET", target: "/v1/spaces", headers: [("Host", "server.test"), ("Authorization", "Bearer x")]))
    }

    @Test("A full disk is reported as such, without internals")
    func full() async {
        let answer = await answer(.full(reason: "SQLITE_FULL"))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 507)
        #expect(answer.header("Retry-After") == "60")
        #expect(text.contains(#""code":"insufficient-storage""#) && !text.contains("SQLITE"))
    }

    @Test("A locked database is a busy server, and the client gets a time to retry")
    func busy() async {
        let answer = await answer(.busy(reason: "SQLITE_BUSY"))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 503 && answer.header("Retry-After") == "5")
        #expect(text.contains(#""code":"unavailable""#) && !text.contains("SQLITE"))
    }

    @Test("A storage that can't be reached is reported as unavailable, and the client gets a time to retry")
    func unavailable() async {
        let answer = await answer(.unavailable(reason: "connection refused"))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 503 && answer.header("Retry-After") == "5")
        #expect(text.contains(#""code":"unavailable""#) && !text.contains("refused"))
    }
}
