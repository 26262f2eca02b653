import Foundation

/// What is told while another program has the terminal: it is kept until that ends.
///
/// `@unchecked Sendable`: `kept` is touched only while `lock` is held.
final class ForegroundMessages: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [String]?

    /// Another program has the terminal from now on.
    func begin() { lock.withLock { kept = [] } }

    /// Keeps a text, if another program has the terminal.
    func keeps(_ text: String) -> Bool {
        lock.withLock {
            kept?.append(text)
            return kept != nil
        }
    }

    /// The terminal is ours again.
    ///
    /// - Returns: what was kept, in order.
    func end() -> [String] {
        lock.withLock {
            defer { kept = nil }
            return kept ?? []
        }
    }
}
