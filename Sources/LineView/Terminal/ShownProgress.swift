import Foundation

/// The row of a terminal that shows how far a work is: whatever else is written there takes its place.
///
/// `@unchecked Sendable`: `isShown` is touched only while `lock` is held.
final class ShownProgress: @unchecked Sendable {
    private static let erase = "\r\u{1B}[K"
    private let lock = NSLock()
    private var isShown = false

    /// What shows a row in place of the last one; nil: takes it away.
    func text(showing line: String?) -> String {
        lock.withLock {
            defer { isShown = line != nil }
            return (isShown || line != nil ? Self.erase : "") + (line ?? "")
        }
    }

    /// What takes the row away, if there is one: before anything else is written.
    func cleared() -> String { text(showing: nil) }
}
