import Locking

/// The operation that the person may interrupt now, and the terminal's signals.
final class Interruption: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var signals: TerminalSignals?
        var isSession = false
    }

    private let state = Locked(State())

    /// Whether a person types several commands. Ctrl-C then ends one of them and not the process.
    var isSession: Bool {
        get { state.withLock { $0.isSession } }
        set { state.withLock { $0.isSession = newValue } }
    }

    /// Sets the function that cancels the running operation; nil: none runs.
    func set(_ cancel: (@Sendable () -> Void)?) { state.withLock { $0.cancel = cancel } }

    /// The function that cancels the running operation; nil: none runs.
    var cancellation: (@Sendable () -> Void)? { state.withLock { $0.cancel } }

    /// Starts to report signals. Later calls have no effect.
    func listen(_ handler: @escaping @Sendable (Int32) -> Void) {
        state.withLock { state in
            if state.signals == nil { state.signals = TerminalSignals(handler) }
        }
    }
}

/// The prompt of a line that is read without an editor. It is shown again below texts that are written meanwhile.
final class PlainReading: Sendable {
    private struct State {
        /// The prompt of the next line.
        var next = ""
        /// The prompt of the line that is being read; nil: none is.
        var prompt: String?
    }

    private let state = Locked(State())

    /// Sets the prompt of the next line.
    func setPrompt(_ prompt: String) { state.withLock { $0.next = prompt } }

    /// Notes that a line is being read.
    ///
    /// - Returns: The prompt of the line.
    func begin() -> String {
        state.withLock { state in
            state.prompt = state.next
            return state.next
        }
    }

    /// Notes that the line has been read.
    func end() { state.withLock { $0.prompt = nil } }

    /// Returns a text with the prompt after it, if a line is being read.
    func written(_ text: String) -> String { prompt.map { "\n" + text + $0 } ?? text }

    /// The output after an interruption, which begins the line again; nil: no line is being read.
    var again: String? { prompt.map { "\n" + $0 } }

    private var prompt: String? { state.withLock { $0.prompt } }
}

/// The messages that occur while another program uses the terminal. They are stored until it ends.
final class ForegroundMessages: Sendable {
    /// The stored messages; nil: no other program uses the terminal.
    private let kept = Locked<[String]?>(nil)

    /// Notes that another program uses the terminal.
    func begin() { kept.withLock { $0 = [] } }

    /// Stores a text if another program uses the terminal. Returns whether it does.
    func keeps(_ text: String) -> Bool {
        kept.withLock { kept in
            kept?.append(text)
            return kept != nil
        }
    }

    /// Notes that the other program has ended.
    ///
    /// - Returns: The stored messages, in order.
    func end() -> [String] {
        kept.withLock { kept in
            defer { kept = nil }
            return kept ?? []
        }
    }
}

/// The row of a terminal that shows progress. Any other output replaces it.
final class ShownProgress: Sendable {
    private static let erase = "\r\u{1B}[K"
    private let isShown = Locked(false)

    /// Returns the output that replaces the row; nil: that erases it.
    func text(showing line: String?) -> String {
        isShown.withLock { isShown in
            defer { isShown = line != nil }
            return (isShown || line != nil ? Self.erase : "") + (line ?? "")
        }
    }

    /// Returns the output that erases the row, if it is shown, before any other output.
    func cleared() -> String { text(showing: nil) }
}
