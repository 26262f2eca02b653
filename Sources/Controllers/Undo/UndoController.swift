public import ControllerKit
internal import Foundation
public import Notebook
internal import Records

/// Undoes and redoes commands, each by one new edit of all the records that it changed.
public final class UndoController: Controller {
    public typealias Screen = UndoScreen
    public let model = Model(UndoScreen.State())
    private let notebook: Notebook
    private var isShown = false

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: UndoScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .undo: try await undo()
        case .undoOnly(let entry): try await undo(only: entry)
        case .redo:
            guard let reverted = try await notebook.redo() else {
                throw Failure(.notFound, "Nothing to redo. See `journal`.")
            }
            show(reverted, "Redid")
            if reverted.changed == 0 {
                state.notice =
                    "Nothing left to redo in `\(reverted.command)`; the next `redo` redoes the command after it."
                    + reverted.keptText
            }
        case .journal: isShown = true
        }
        try await refresh()
    }

    public func refresh() async throws {
        // The journal is read with the titles of each command, so not before it was requested.
        guard isShown else { return }
        let words = JournalWords(notebook)
        state.commands = try await notebook.journal(titles: UndoScreen.titlesMaximum).map { command in
            .init(
                command: command.name, at: command.at.date, records: command.records, titles: command.titles,
                changes: command.fields.compactMap { words.words(for: $0) },
                isUndone: command.isUndone, actor: command.actor, entry: command.entry)
        }
    }

    private func undo(only entry: String? = nil) async throws {
        guard let reverted = try await notebook.undo(only: entry) else {
            throw Failure(
                .notFound, "Nothing to undo; the last \(Notebook.journalCommands) commands are kept. See `journal`.")
        }
        show(reverted, "Undid")
        if reverted.changed == 0 {
            state.notice =
                "Nothing left to undo in `\(reverted.command)`; the next `undo` undoes the command before it."
                + reverted.keptText
        }
    }

    private func show(_ reverted: RevertedCommand, _ done: String) {
        state.left = reverted.kept.prefix(UndoScreen.leftMaximum).map { .init($0) }
        state.leftTotal = reverted.kept.count
        let what = reverted.changed == 1 ? "“\(reverted.title)”" : "\(reverted.changed) records"
        state.notice = "\(done) `\(reverted.command)`: \(what)." + reverted.keptText
    }
}

extension RevertedCommand {
    /// A second sentence about what was kept; empty: all was reverted.
    fileprivate var keptText: String {
        guard let first = kept.first else { return "" }
        let others = kept.count > 1 ? ", and \(kept.count - 1) more, see `journal`" : ""
        return "\nNot changed: \(UndoScreen.State.Left(first).description)\(others)."
    }
}

extension UndoScreen.State.Left: CustomStringConvertible {
    /// The kept part and the reason, as a clause: `the title of “Buy milk”, changed since`.
    public var description: String {
        switch reason {
        case .changed: "the \(fields.joined(separator: ", ")) of “\(title)”, changed since"
        case .edited: "“\(title)” itself, edited since (`rm` deletes it)"
        case .deleted: "“\(title)”, deleted since"
        }
    }

    fileprivate init(_ kept: RevertedCommand.Kept) {
        switch kept.part {
        case .fields(let names): self.init(id: kept.id, title: kept.title, fields: names, reason: .changed)
        case .edited: self.init(id: kept.id, title: kept.title, fields: [], reason: .edited)
        case .deleted: self.init(id: kept.id, title: kept.title, fields: [], reason: .deleted)
        }
    }
}
