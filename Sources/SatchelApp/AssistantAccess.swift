internal import ControllerKit
internal import MCPView
internal import Notebook
internal import Records
internal import struct Records.Record
internal import SafeText

// What assistants may do with Satchel.

extension ToolGrant {
    /// The allow-list. Accounts, devices, passwords, files, the page, hooks and the check of the home are not on it; nor is
    /// `status`, after which the person's news count as seen.
    static let satchel = [
        ToolGrant("list", page: "limit"),
        ToolGrant("search", page: "limit"),
        ToolGrant("show"),
        ToolGrant("history"),
        ToolGrant("lists"),
        // Settled conflicts count as seen by the person once they are listed.
        ToolGrant("conflicts", without: ["settled"], records: ["conflict"]),
        ToolGrant("journal"),
        ToolGrant("add"),
        ToolGrant("note"),
        ToolGrant("edit", without: ["text"]),
        ToolGrant("annotate"),
        ToolGrant("tag"),
        ToolGrant("done"),
        ToolGrant("undone"),
        // To bring a deleted record back, there is `restore`.
        ToolGrant("resolve", without: ["revive"], records: ["conflict"]),
        ToolGrant("rm"),
        ToolGrant("restore", asks: true),
        // The last command may be the person's own.
        ToolGrant("undo", asks: true),
        ToolGrant("redo", asks: true),
    ]
}

extension Notebook {
    /// What a call of a verb concerns: the records with these ids; of `undo`, the command that it reverts.
    var callSubjects: CallSubjects {
        { verb, ids in
            if verb.traits.contains(.undoes) {
                let last = try await journal(titles: 1).first { !$0.isUndone }
                return last.map { [(nil, $0.subject)] } ?? []
            }
            return try await read { records in
                try ids.compactMap { id in try records.record(withID: id).map { (id, $0.titleOrID.oneLine) } }
            }
        }
    }
}

extension Notebook.Transaction {
    /// The record that has exactly this id, also a deleted one or a conflict. Nil for any other reference that commands know: a
    /// number, a range, the beginning of an id.
    fileprivate func record(withID id: String) throws -> Record? {
        if let conflict = try record(ConflictRecord.key(id)), !conflict.deleted { return conflict }
        do {
            guard try Reference.several(id) == nil, case .prefix = Reference(id) else { return nil }
            let key = try resolveIncludingDeleted(id)
            return key.id == id ? try record(key) : nil
        } catch is NotebookError { return nil }
    }
}

extension JournalCommand {
    /// The command as a person recognises it.
    fileprivate var subject: String {
        let more = records > titles.count ? ["and \(records - titles.count) more"] : []
        let what = (titles.map(\.oneLine) + more).joined(separator: " ")
        return "\(name): \(what)" + (actor.map { ", by \($0)" } ?? "")
    }
}

extension String {
    /// The text as a form may show it: sanitized, in one line.
    fileprivate var oneLine: String { sanitized.split(whereSeparator: \.isNewline).joined(separator: " ") }
}
