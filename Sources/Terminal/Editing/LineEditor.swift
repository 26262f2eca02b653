import Foundation
import PrivateFiles

/// Lets a person edit lines on a terminal, with a history and completion. It waits for keys where nothing else runs: the
/// actor has a thread of its own.
actor LineEditor: LineEditing {
    /// Receives what is to be shown above the line while it is typed.
    nonisolated let inbox: EditorInbox
    private let program: String
    private let input: Int32
    private let output: Int32
    private var history: HistoryFile?
    private let executor = BlockingExecutor(label: "terminal.editor")
    private var editor: EditLine?
    /// A failure of the history; it is reported once, and not tried again.
    private var historyFailure: TerminalError?
    /// The commands of a paste that are still to be carried out.
    private var waiting: ArraySlice<String> = []

    nonisolated func post(_ event: LineEditingEvent) -> Bool { inbox.post(event) }

    nonisolated func setPrompt(_ prompt: String) { inbox.setPrompt(prompt) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// An editor on the terminal behind these descriptors; nil where the process can have no more files.
    ///
    /// - Parameter history: Where lines are kept across sessions; nil keeps them for this one.
    init?(program: String, input: Int32, output: Int32, history: HistoryFile?) {
        guard let inbox = EditorInbox() else { return nil }
        (self.program, self.inbox, self.history) = (program, inbox, history)
        (self.input, self.output) = (input, output)
    }

    /// The next command; nil at the end of the input. One that was given up is none.
    ///
    /// - Throws: `TerminalError` where no line can be edited on this terminal.
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

    /// Forgets what is left of a paste: the person has interrupted it.
    func dropPendingCommands() { waiting = [] }

    /// What went wrong with the history, once.
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
