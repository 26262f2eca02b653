import ControllerKit
import Foundation

/// Lets a person edit lines on a terminal, with a history and completion. It waits for keys where nothing else runs: the
/// actor has a thread of its own.
actor LineEditor {
    /// Takes what is to be shown above the line while it is typed.
    nonisolated let inbox: EditorInbox
    private let input: Int32
    private let output: Int32
    private var history: HistoryFile?
    private let executor = BlockingExecutor(label: "satchel.editor")
    private var editor: EditLine?
    /// What went wrong with the history; it is told once, and not tried again.
    private var historyFailure: Failure?
    /// The commands of a paste that are still to be carried out.
    private var waiting: ArraySlice<String> = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// An editor on the terminal behind these descriptors; nil where the process can have no more files.
    ///
    /// - Parameter history: Where lines are kept across sessions; nil keeps them for this one.
    init?(input: Int32, output: Int32, history: HistoryFile?) {
        guard let inbox = EditorInbox() else { return nil }
        (self.inbox, self.input, self.output, self.history) = (inbox, input, output, history)
    }

    /// The next command; nil at the end of the input. One that was given up is none.
    ///
    /// - Throws: `Failure` where no line can be edited on this terminal.
    func command(prompt: String, assistant: LineAssistant) throws -> String? {
        while true {
            if let command = waiting.popFirst() { return command }
            guard let editor = editor ?? start() else {
                throw Failure(
                    .failed, "This terminal can't edit lines. Say TERM=dumb before the command to do without.")
            }
            editor.assistant = assistant
            switch editor.read(prompt: prompt) {
            case .ended: return nil
            case .cancelled: continue
            case .line(let line):
                keep(line, assistant)
                waiting = PastedCommands.commands(in: line)[...]
            }
        }
    }

    /// Forgets what is left of a paste: the person has interrupted it.
    func dropRest() { waiting = [] }

    /// What went wrong with the history, once.
    func takeHistoryFailure() -> String? {
        defer { historyFailure = nil }
        return historyFailure?.message
    }

    private func start() -> EditLine? {
        guard let editor = EditLine(input: input, output: output, inbox: inbox) else { return nil }
        self.editor = editor
        if let history { tellingFailure { try history.lines().suffix(HistoryText.kept).forEach(editor.remember) } }
        return editor
    }

    private func keep(_ line: String, _ assistant: LineAssistant) {
        guard HistoryText.isUseful(line), PastedCommands.commands(in: line).allSatisfy(assistant.isKept) else { return }
        editor?.remember(line)
        if let history { tellingFailure { try history.enter(line) } }
    }

    private func tellingFailure(_ body: () throws -> Void) {
        do { try body() } catch {
            historyFailure = Failure(error)
            history = nil
        }
    }
}
