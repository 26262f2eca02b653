import Locking

/// The prompt of an editor and the events that occur while it waits for keys. The editor polls a pipe together with the
/// terminal, so that it receives events immediately.
final class EditorInbox: Sendable {
    private struct State {
        var messages: [LineEditingEvent] = []
        var isOpen = false
        var prompt = ""
    }

    private let pipe: WakePipe
    private let state = Locked(State())

    /// Creates an inbox; nil: the process can't open another pipe.
    init?() {
        guard let pipe = WakePipe() else { return nil }
        self.pipe = pipe
    }

    deinit { pipe.close() }

    /// A descriptor that is readable when there are events.
    var wakeup: Int32 { pipe.readable }

    /// Adds an event. Returns false while no line is edited.
    @discardableResult
    func post(_ message: LineEditingEvent) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.messages.append(message)
            pipe.wake()
            return true
        }
    }

    /// Sets the prompt. It is also stored between two lines, for the next line.
    func setPrompt(_ prompt: String) {
        state.withLock { state in
            state.prompt = prompt
            guard state.isOpen else { return }
            state.messages.append(.prompt)
            pipe.wake()
        }
    }

    /// The latest prompt.
    var prompt: String { state.withLock { $0.prompt } }

    /// Begins to accept events.
    func open() { state.withLock { $0.isOpen = true } }

    /// Removes and returns the events that were added since the last call, in order.
    func removeAll() -> [LineEditingEvent] {
        // The pipe first: an event added in between causes another wake-up. In the other order it could be missed.
        _ = pipe.drained()
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Stops accepting events.
    ///
    /// - Returns: The events that were not processed yet.
    func close() -> [LineEditingEvent] {
        // No text is lost: after this, `post` returns false and its caller writes the text itself.
        state.withLock { $0.isOpen = false }
        return removeAll()
    }
}
