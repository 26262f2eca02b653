import Foundation

/// The operation that the person may interrupt now, and the terminal's signals.
///
/// `@unchecked Sendable`: its variables are accessed only while `lock` is held.
final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var cancel: (@Sendable () -> Void)?
    private var signals: TerminalSignals?
    private var session = false

    /// Whether a person types several commands. Ctrl-C then ends one of them and not the process.
    var isSession: Bool {
        get { lock.withLock { session } }
        set { lock.withLock { session = newValue } }
    }

    /// Sets the function that cancels the running operation; nil: none runs.
    func set(_ cancel: (@Sendable () -> Void)?) { lock.withLock { self.cancel = cancel } }

    /// The function that cancels the running operation; nil: none runs.
    var cancellation: (@Sendable () -> Void)? { lock.withLock { cancel } }

    /// Starts to report signals. Later calls have no effect.
    func listen(_ handler: @escaping @Sendable (Int32) -> Void) {
        lock.withLock { if signals == nil { signals = TerminalSignals(handler) } }
    }
}

/// The prompt of a line that is read without an editor. It is shown again below texts that are written meanwhile.
///
/// `@unchecked Sendable`: `next` and `prompt` are accessed only while `lock` is held.
final class PlainReading: @unchecked Sendable {
    private let lock = NSLock()
    /// The prompt of the next line.
    private var next = ""
    /// The prompt of the line that is being read; nil: none is.
    private var prompt: String?

    /// Sets the prompt of the next line.
    func setPrompt(_ prompt: String) { lock.withLock { next = prompt } }

    /// Notes that a line is being read.
    ///
    /// - Returns: The prompt of the line.
    func begin() -> String {
        lock.withLock {
            prompt = next
            return next
        }
    }

    /// Notes that the line has been read.
    func end() { lock.withLock { prompt = nil } }

    /// Returns a text with the prompt after it, if a line is being read.
    func written(_ text: String) -> String { lock.withLock { prompt.map { "\n" + text + $0 } ?? text } }

    /// The output after an interruption, which begins the line again; nil: no line is being read.
    var again: String? { lock.withLock { prompt.map { "\n" + $0 } } }
}

/// The messages that occur while another program uses the terminal. They are stored until it ends.
///
/// `@unchecked Sendable`: `kept` is accessed only while `lock` is held.
final class ForegroundMessages: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [String]?

    /// Notes that another program uses the terminal.
    func begin() { lock.withLock { kept = [] } }

    /// Stores a text if another program uses the terminal. Returns whether it does.
    func keeps(_ text: String) -> Bool {
        lock.withLock {
            kept?.append(text)
            return kept != nil
        }
    }

    /// Notes that the other program has ended.
    ///
    /// - Returns: The stored messages, in order.
    func end() -> [String] {
        lock.withLock {
            defer { kept = nil }
            return kept ?? []
        }
    }
}

/// The row of a terminal that shows progress. Any other output replaces it.
///
/// `@unchecked Sendable`: `isShown` is accessed only while `lock` is held.
final class ShownProgress: @unchecked Sendable {
    private static let erase = "\r\u{1B}[K"
    private let lock = NSLock()
    private var isShown = false

    /// Returns the output that replaces the row; nil: that erases it.
    func text(showing line: String?) -> String {
        lock.withLock {
            defer { isShown = line != nil }
            return (isShown || line != nil ? Self.erase : "") + (line ?? "")
        }
    }

    /// Returns the output that erases the row, if it is shown, before any other output.
    func cleared() -> String { text(showing: nil) }
}
