#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

internal import CMalloc
internal import Foundation
internal import Records

/// The external inputs of the server: time, randomness and the executor. Tests and the simulation supply their own.
public struct ServerEnvironment: Sendable {
    /// The time in milliseconds since 1970.
    public var now: @Sendable () -> Int64
    /// Returns this number of unpredictable bytes.
    public var randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// Waits for a duration. Throws `CancellationError` when the calling task is cancelled.
    public var sleep: @Sendable (_ duration: Duration) async throws -> Void
    /// The executor of tasks that no request waits for; nil for the global one.
    public var executor: (any TaskExecutor)?

    /// Creates an environment of these sources; by default, it sleeps by the system's clock.
    public init(
        now: @escaping @Sendable () -> Int64, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
        sleep: @escaping @Sendable (_ duration: Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        executor: (any TaskExecutor)? = nil
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.sleep = sleep
        self.executor = executor
    }

    /// The system's clock and its random source.
    public static let live = ServerEnvironment(
        now: { Int64(Date().timeIntervalSince1970 * 1_000) },
        randomBytes: { count in
            // Cryptographically secure on Linux (getrandom(2)) and Darwin.
            var generator = SystemRandomNumberGenerator()
            var bytes: [UInt8] = []
            // Eight bytes of each number: every number is a system call.
            while bytes.count < count {
                withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
            }
            return bytes
        })
}

extension ServerEnvironment {
    /// Returns a new UUID of version 4 (RFC 9562 section 5.4), in lower case.
    func uuid() -> String { UUIDText.text(randomBytes(16), version: 4) }
}

/// Base64 with the alphabet for URLs, without padding (RFC 4648 section 5).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let standard = Data(bytes).base64EncodedString().utf8
        return String(
            decoding: standard.compactMap { byte -> UInt8? in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case UInt8(ascii: "="): nil
                default: byte
                }
            }, as: UTF8.self)
    }

    /// Returns the bytes; nil if `text` has any other character or an impossible length.
    static func decode(_ text: String) -> [UInt8]? {
        var standard = ""
        for character in text {
            switch character {
            case "-": standard.append("+")
            case "_": standard.append("/")
            // Foundation would accept these: two characters of the other alphabet, and padding.
            case "+", "/", "=": return nil
            default: standard.append(character)
            }
        }
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard).map { Array($0) }
    }
}

/// The memory management of the process.
package enum Allocator {
    /// Makes the process return memory to the system when it is freed. Call it once, before the server starts.
    ///
    /// With glibc's defaults, a hundred large answers leave the process hundreds of MiB larger for good.
    package static func returnFreedMemory() { return_freed_memory() }
}

/// The number of descriptors (sockets and files) that the process may have open at once.
package enum DescriptorLimit {
    /// The largest limit requested, even if the system allows more: each descriptor costs kernel memory.
    private static let most = 1 << 20

    /// The present limit; 0 if the system doesn't report one.
    package static var current: Int { limit.map { Int(clamping: $0.rlim_cur) } ?? 0 }

    /// Raises the soft limit to the highest value that the process may set.
    ///
    /// - Returns: The limit afterwards.
    package static func raise() -> Int {
        guard var limit else { return 0 }
        let wanted = min(limit.rlim_max, rlim_t(most))
        guard limit.rlim_cur < wanted else { return current }
        limit.rlim_cur = wanted
        // If the system refuses, the limit is unchanged, and that limit is returned.
        _ = setrlimit(resource, &limit)
        return current
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }
}
