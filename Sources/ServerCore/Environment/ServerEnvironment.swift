internal import Foundation

/// The external inputs of the server: time and randomness. Tests and the simulation bring their own.
public struct ServerEnvironment: Sendable {
    /// The time in milliseconds since 1970.
    public var now: @Sendable () -> Int64
    /// This number of unpredictable bytes.
    public var randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// Waits for so long; throws `CancellationError` when the calling task is cancelled.
    public var sleep: @Sendable (_ duration: Duration) async throws -> Void

    /// An environment of these sources; it sleeps by the system's clock by default.
    public init(
        now: @escaping @Sendable () -> Int64, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
        sleep: @escaping @Sendable (_ duration: Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.sleep = sleep
    }

    /// The system's clock and its random source.
    public static let live = ServerEnvironment(
        now: { Int64(Date().timeIntervalSince1970 * 1_000) },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        })
}

extension ServerEnvironment {
    /// A new UUID of version 4 (RFC 9562 section 5.4), in lower case.
    func uuid() -> String {
        var bytes = randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }
}
