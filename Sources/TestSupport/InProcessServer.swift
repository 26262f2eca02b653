public import Foundation
internal import Hummingbird
internal import Logging
internal import NIOConcurrencyHelpers
public import SQLiteServerStore
public import ServerCore
internal import ServiceLifecycle

/// The real server in this process: its router with a SQLite store, and a clock that the test advances.
///
/// `server` answers without a socket; `withSocket` listens on a free port.
public final class InProcessServer: Sendable {
    /// Answers requests without a socket.
    public let server: SyncServer
    /// The store of the server.
    public let store: SQLiteServerStore
    /// The clock of the server.
    public let clock: Clock

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - store: The store; nil: a new one in memory.
    ///   - configuration: The configuration; nil: the defaults with the lowest hashing cost.
    ///   - extensions: Further endpoints.
    ///   - clock: The clock of the server.
    ///   - log: Receives the lines of the log.
    public init(
        store: SQLiteServerStore? = nil, configuration: ServerConfiguration? = nil,
        extensions: [any ServerExtension] = [], clock: Clock = Clock(),
        log: (@Sendable (String) -> Void)? = nil
    ) throws {
        let store = try store ?? SQLiteServerStore()
        self.store = store
        self.clock = clock
        let environment = ServerEnvironment(
            now: { clock.now }, randomBytes: ServerEnvironment.live.randomBytes,
            sleep: { try await clock.sleep(for: $0) })
        let logger = Logger(label: "test") { _ in LogfmtHandler(level: .info) { line in log?(line) } }
        server = SyncServer(
            configuration: configuration ?? .forTests, store: store, extensions: extensions, environment: environment,
            logger: logger)
    }

    /// Listens on a free port of the loopback address while `body` runs, then shuts down gracefully.
    ///
    /// - Parameter body: Receives the base address, for example `http://127.0.0.1:36875`.
    public func withSocket<Result: Sendable>(
        _ body: @Sendable (_ baseURL: String) async throws -> Result
    ) async throws -> Result {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let application = try buildServer(server, host: "127.0.0.1", port: 0) { port in listening.yield(port) }
        let group = ServiceGroup(
            services: [application], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                try await group.run()
            }
            guard let port = await ports.first(where: { _ in true }) else {
                // The server has ended without listening: its task throws the reason.
                try await tasks.waitForAll()
                throw NotListening()
            }
            // Kept as a result, so that the server is shut down after an error, too.
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body("http://127.0.0.1:\(port)")) } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    /// The server ended before it listened.
    public struct NotListening: Error {}
}

extension InProcessServer {
    /// A clock that changes only when a test advances it.
    public final class Clock: Sendable {
        private let state: NIOLockedValueBox<State>

        private struct State {
            var now: Int64
            var sleepers: [(end: Int64, gate: Gate)] = []
        }

        /// - Parameter milliseconds: The time since 1970.
        public init(milliseconds: Int64 = 1_795_000_000_000) {
            state = NIOLockedValueBox(State(now: milliseconds))
        }

        /// Milliseconds since 1970.
        public var now: Int64 { state.withLockedValue(\.now) }

        /// The number of the server's tasks that sleep.
        public var sleeping: Int { state.withLockedValue(\.sleepers.count) }

        /// Advances the clock and wakes the tasks whose time has come.
        public func advance(by duration: Duration) {
            let woken = state.withLockedValue { state in
                state.now += Self.milliseconds(duration)
                let now = state.now
                defer { state.sleepers.removeAll { $0.end <= now } }
                // In the order of their times, as with a real clock.
                return state.sleepers.filter { $0.end <= now }.sorted { $0.end < $1.end }
            }
            for sleeper in woken { sleeper.gate.open() }
        }

        /// Waits until the clock was advanced by this duration.
        ///
        /// - Throws: `CancellationError`.
        public func sleep(for duration: Duration) async throws {
            let gate = Gate()
            state.withLockedValue { $0.sleepers.append(($0.now + Self.milliseconds(duration), gate)) }
            do {
                try await gate.pass()
            } catch {
                state.withLockedValue { $0.sleepers.removeAll { $0.gate === gate } }
                throw CancellationError()
            }
        }

        private static func milliseconds(_ duration: Duration) -> Int64 {
            let (seconds, attoseconds) = duration.components
            return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        }
    }
}

extension ServerConfiguration {
    /// The defaults, with the lowest hashing cost.
    public static var forTests: ServerConfiguration { ServerConfiguration(passwordCost: .least, passwordThreads: 1) }
}

/// Runs `body` with a temporary directory, which is removed afterwards.
public func withTemporaryDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    // A directory that can't be removed must not fail the test.
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}
