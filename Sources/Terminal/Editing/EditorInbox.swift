import Foundation

/// The prompt of an editor and the events that occur while it waits for keys. The editor polls a pipe together with the
/// terminal, so that it receives events immediately.
///
/// `@unchecked Sendable`: `messages`, `isOpen` and `latestPrompt` are accessed only while `lock` is held; the rest
/// never changes.
final class EditorInbox: @unchecked Sendable {
    private let pipe: WakePipe
    private let lock = NSLock()
    private var messages: [LineEditingEvent] = []
    private var isOpen = false
    private var latestPrompt = ""

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
        lock.withLock {
            guard isOpen else { return false }
            messages.append(message)
            pipe.wake()
            return true
        }
    }

    /// Sets the prompt. It is also stored between two lines, for the next line.
    func setPrompt(_ prompt: String) {
        lock.withLock {
            latestPrompt = prompt
            guard isOpen else { return }
            messages.append(.prompt)
            pipe.wake()
        }
    }

    /// The latest prompt.
    var prompt: String { lock.withLock { latestPrompt } }

    /// Begins to accept events.
    func open() { lock.withLock { isOpen = true } }

    /// Removes and returns the events that were added since the last call, in order.
    func removeAll() -> [LineEditingEvent] {
        // The pipe first: an event added in between causes another wake-up. In the other order it could be missed.
        _ = pipe.drained()
        return lock.withLock {
            defer { messages = [] }
            return messages
        }
    }

    /// Stops accepting events.
    ///
    /// - Returns: The events that were not processed yet.
    func close() -> [LineEditingEvent] {
        // No text is lost: after this, `post` returns false and its caller writes the text itself.
        lock.withLock { isOpen = false }
        return removeAll()
    }
}
