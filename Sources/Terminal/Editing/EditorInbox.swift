import Foundation

/// The events for an editor that waits for keys, and its prompt. The editor polls a pipe together with the terminal, so it gets
/// events at once.
///
/// `@unchecked Sendable`: `messages`, `isOpen` and `latestPrompt` are touched only while `lock` is held; the rest never changes.
final class EditorInbox: @unchecked Sendable {
    private let pipe: WakePipe
    private let lock = NSLock()
    private var messages: [LineEditingEvent] = []
    private var isOpen = false
    private var latestPrompt = ""

    /// An inbox; nil where the process can't have another pipe.
    init?() {
        guard let pipe = WakePipe() else { return nil }
        self.pipe = pipe
    }

    deinit { pipe.close() }

    /// Becomes readable when there is an event.
    var wakeup: Int32 { pipe.readable }

    /// Adds an event; false while no line is edited.
    @discardableResult
    func post(_ message: LineEditingEvent) -> Bool {
        lock.withLock {
            guard isOpen else { return false }
            messages.append(message)
            pipe.wake()
            return true
        }
    }

    /// Sets the prompt. It is kept between two lines too, so that no change is lost before the next line is read.
    func setPrompt(_ prompt: String) {
        lock.withLock {
            latestPrompt = prompt
            guard isOpen else { return }
            messages.append(.prompt)
            pipe.wake()
        }
    }

    /// The prompt that was set last.
    var prompt: String { lock.withLock { latestPrompt } }

    /// Accepts events from now on.
    func open() { lock.withLock { isOpen = true } }

    /// The events that were added since the last call, in order.
    func removeAll() -> [LineEditingEvent] {
        _ = pipe.drained()
        return lock.withLock {
            defer { messages = [] }
            return messages
        }
    }

    /// Accepts no events from now on.
    ///
    /// - Returns: The events that were not processed yet.
    func close() -> [LineEditingEvent] {
        lock.withLock { isOpen = false }
        return removeAll()
    }
}
