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

    /// Reports signals from the first call on.
    func listen(_ handler: @escaping @Sendable (Int32) -> Void) {
        lock.withLock { if signals == nil { signals = TerminalSignals(handler) } }
    }
}

/// What is known of a line that is read without editing, by the terminal itself: its prompt, which is shown again below
/// what is written meanwhile.
///
/// `@unchecked Sendable`: `next` and `prompt` are touched only while `lock` is held.
final class PlainReading: @unchecked Sendable {
    private let lock = NSLock()
    /// The prompt of the next line.
    private var next = ""
    /// The prompt of the line that is being read; nil if none is.
    private var prompt: String?

    /// Sets the prompt of the next line.
    func setPrompt(_ prompt: String) { lock.withLock { next = prompt } }

    /// A line is read from now on.
    ///
    /// - Returns: Its prompt.
    func begin() -> String {
        lock.withLock {
            prompt = next
            return next
        }
    }

    /// No line is read any more.
    func end() { lock.withLock { prompt = nil } }

    /// A text as it is to be written now.
    func written(_ text: String) -> String { lock.withLock { prompt.map { "\n" + text + $0 } ?? text } }

    /// Shows a person who interrupted a line that it begins again.
    var again: String? { lock.withLock { prompt.map { "\n" + $0 } } }
}

/// Messages that come while another program has the terminal: they are kept until it ends.
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

/// The row of a terminal that shows how far a work is: any other output replaces it.
///
/// `@unchecked Sendable`: `isShown` is touched only while `lock` is held.
final class ShownProgress: @unchecked Sendable {
    private static let erase = "\r\u{1B}[K"
    private let lock = NSLock()
    private var isShown = false

    /// The output that shows a row in place of the last one; nil: that removes it.
    func text(showing line: String?) -> String {
        lock.withLock {
            defer { isShown = line != nil }
            return (isShown || line != nil ? Self.erase : "") + (line ?? "")
        }
    }

    /// The output that removes the row, if there is one, before any other output.
    func cleared() -> String { text(showing: nil) }
}
