import NIOConcurrencyHelpers

/// Gathers log lines.
final class Lines: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])

    func add(_ line: String) { lines.withLockedValue { $0.append(line) } }

    var all: [String] { lines.withLockedValue { $0 } }
}
