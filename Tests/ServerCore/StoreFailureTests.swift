import Logging
import SyncAPI
import Testing

@testable import ServerCore

@Suite struct StoreFailureTests {
    /// A store that can do nothing.
    private struct FailingStore: ServerStore {
        let failure: StoreFailure

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReading) throws -> Result
        ) async throws -> Result { throw failure }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriting) throws -> Result
        ) async throws -> Result { throw failure }
    }

    private func answer(_ failure: StoreFailure) async -> ServerAnswer {
        let server = SyncServer(
            configuration: ServerConfiguration(), store: FailingStore(failure: failure), logger: Logger(label: "test"))
        return await server.answer(
            ServerRequest(
                method: "GET", target: "/v1/spaces", headers: [("Host", "server.test"), ("Authorization", "Bearer x")]))
    }

    @Test("A full disk is told as such, without internals")
    func full() async {
        let answer = await answer(.full(reason: "SQLITE_FULL"))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 507)
        #expect(text.contains(#""code":"insufficient-storage""#) && !text.contains("SQLITE"))
    }

    @Test("A locked database is a busy server, and the client is told when to come again")
    func busy() async {
        let answer = await answer(.busy(reason: "SQLITE_BUSY"))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 503 && answer.header("Retry-After") == "5")
        #expect(text.contains(#""code":"unavailable""#) && !text.contains("SQLITE"))
    }
}
