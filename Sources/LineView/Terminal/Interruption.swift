import Foundation

/// What the person may interrupt now, and the signals by which it is heard of.
///
/// `@unchecked Sendable`: what it holds is touched only while `lock` is held.
final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var cancel: (@Sendable () -> Void)?
    private var signals: TerminalSignals?
    private var session = false

    /// Whether a person types commands, one after the other, who wants to give up one and not all of them.
    var isSession: Bool {
        get { lock.withLock { session } }
        set { lock.withLock { session = newValue } }
    }

    /// How to cancel what runs from now on; nil: nothing runs.
    func set(_ cancel: (@Sendable () -> Void)?) { lock.withLock { self.cancel = cancel } }

    /// How to cancel what runs.
    var cancellation: (@Sendable () -> Void)? { lock.withLock { cancel } }

    /// Has signals told from the first call on.
    func listen(_ tell: @escaping @Sendable (Int32) -> Void) {
        lock.withLock { if signals == nil { signals = TerminalSignals(tell) } }
    }
}
