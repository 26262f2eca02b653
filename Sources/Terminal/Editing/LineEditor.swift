import Foundation
import Locking
import PrivateFiles

/// The line editor of a terminal, with history and completion. The actor has a thread of its own, since waiting for
/// keys blocks.
actor LineEditor: LineEditing {
    /// The events for the line that is being edited.
    nonisolated let inbox: EditorInbox
    private let program: String
    private let input: Int32
    private let output: Int32
    private var history: HistoryFile?
    private let executor = BlockingExecutor(label: "terminal.editor")
    private var editor: EditLine?
    /// A failure of the history. It is reported once, and the history isn't used again.
    private var historyFailure: TerminalError?
    /// The commands of a paste that were not performed yet.
    private var waiting: ArraySlice<String> = []

    nonisolated func post(_ event: LineEditingEvent) -> Bool { inbox.post(event) }

    nonisolated func setPrompt(_ prompt: String) { inbox.setPrompt(prompt) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates an editor for the terminal of these descriptors; nil: the process can't open more files.
    ///
    /// - Parameter history: The file for lines of all sessions; nil: lines are stored for this session only.
    init?(program: String, input: Int32, output: Int32, history: HistoryFile?) {
        guard let inbox = EditorInbox() else { return nil }
        (self.program, self.inbox, self.history) = (program, inbox, history)
        (self.input, self.output) = (input, output)
    }

    /// Returns the next command; nil: the input has ended. A discarded line isn't a command.
    ///
    /// - Throws: `TerminalError` if no line can be edited on this terminal.
    func command(assistant: LineAssistant) throws -> String? {
        while true {
            if let command = waiting.popFirst() { return command }
            guard let editor = editor ?? start() else {
                throw TerminalError(
                    .failed,
                    "This terminal doesn't support line editing. Put TERM=dumb before the command to turn it off.")
            }
            editor.assistant = assistant
            switch editor.read() {
            case .ended: return nil
            case .cancelled: continue
            case .line(let line):
                keep(line, assistant)
                waiting = assistant.commands(line)[...]
            }
        }
    }

    /// Drops the remaining commands of a paste, after an interruption.
    func dropPendingCommands() { waiting = [] }

    /// Returns the failure of the history, once; nil: there is none.
    func removeHistoryFailure() -> String? {
        defer { historyFailure = nil }
        return historyFailure?.message
    }

    private func start() -> EditLine? {
        guard let editor = EditLine(program: program, input: input, output: output, inbox: inbox) else { return nil }
        self.editor = editor
        if let history {
            notingFailure { () throws(TerminalError) in
                for line in try history.lines().suffix(HistoryText.kept) { editor.remember(line) }
            }
        }
        return editor
    }

    private func keep(_ line: String, _ assistant: LineAssistant) {
        // A pasted text is one entry; a secret in any of its commands excludes all of it.
        guard HistoryText.isUseful(line), assistant.commands(line).allSatisfy(assistant.isKept) else { return }
        editor?.remember(line)
        if let history { notingFailure { () throws(TerminalError) in try history.enter(line) } }
    }

    private func notingFailure(_ body: () throws(TerminalError) -> Void) {
        do { try body() } catch {
            historyFailure = error
            history = nil
        }
    }
}

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
