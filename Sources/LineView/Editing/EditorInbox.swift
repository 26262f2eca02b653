import Foundation

/// What others have to tell an editor that waits for keys: it hears of it at once, by a pipe that it polls beside them.
///
/// `@unchecked Sendable`: `messages` and `isOpen` are touched only while `lock` is held; the rest never changes.
final class EditorInbox: @unchecked Sendable {
    /// Something to tell.
    enum Message: Equatable {
        /// A text to be shown above the line.
        case text(String)
        /// The prompt has become this one.
        case prompt(String)
        /// The terminal has another size.
        case resized
        /// The line shall be given up.
        case interrupted
    }

    private let pipe: WakePipe
    private let lock = NSLock()
    private var messages: [Message] = []
    private var isOpen = false

    /// An inbox; nil where the process can't have another pipe.
    init?() {
        guard let pipe = WakePipe() else { return nil }
        self.pipe = pipe
    }

    deinit { pipe.close() }

    /// Becomes readable when there is something to take.
    var wakeup: Int32 { pipe.readable }

    /// Tells the editor something; false while it edits nothing.
    @discardableResult
    func post(_ message: Message) -> Bool {
        lock.withLock {
            guard isOpen else { return false }
            messages.append(message)
            pipe.wake()
            return true
        }
    }

    /// From now on there is somebody to be told.
    func open() { lock.withLock { isOpen = true } }

    /// What there is to be told, in order.
    func take() -> [Message] {
        _ = pipe.drained()
        return lock.withLock {
            defer { messages = [] }
            return messages
        }
    }

    /// From now on there is nobody to be told any more.
    ///
    /// - Returns: What there is still to be told.
    func close() -> [Message] {
        lock.withLock { isOpen = false }
        return take()
    }
}
