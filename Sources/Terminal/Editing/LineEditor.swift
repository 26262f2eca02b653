import Foundation
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
