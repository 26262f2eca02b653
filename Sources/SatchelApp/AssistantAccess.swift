internal import ControllerKit
internal import Controllers
internal import MCPView
internal import Notebook
internal import Records
internal import struct Records.Record
internal import SafeText

// The verbs that assistants may use.

extension ToolGrant {
    /// Returns the allow-list of a program with these record types.
    static func standard(of types: RecordTypes) -> [ToolGrant] {
        let missing = names(for: .standard).subtracting(names(for: types))
        return all.compactMap { $0.without(missing) }
    }

    /// Returns the names of the verbs that depend on the record types.
    private static func names(for types: RecordTypes) -> Set<String> {
        let reports = [
            AgendaScreen.verbs(for: types).map(\.signature.name),
            ProjectsScreen.verbs(for: types).map(\.signature.name),
            TagsScreen.verbs(for: types).map(\.signature.name), SummaryScreen.verbs(for: types).map(\.signature.name),
            StatsScreen.verbs(for: types).map(\.signature.name),
        ]
        return Set(ListScreen.verbs(for: types).map(\.signature.name) + reports.joined())
    }

    /// The allow-list for Satchel's record types. It has no verbs for accounts, devices, passwords, files, the page,
    /// hooks or the check of the home. It doesn't have `status` either, which marks the user's news as seen, and no verbs
    /// that others replace: `add` with a type adds notes, `edit` changes texts, and a change by a filter is `list` and
    /// then the change of these ids, about which the user is asked. The context is the user's.
    private static let all = [
        ToolGrant("list", page: "limit"),
        ToolGrant("search", page: "limit"),
        ToolGrant("show"),
        ToolGrant("history"),
        ToolGrant("report", oneOf: ["next", "agenda", "projects", "tags", "summary", "count", "stats", "lists"]),
        // Listing resolved conflicts marks them as seen by the user.
        ToolGrant("conflicts", without: ["resolved"], records: ["conflict"]),
        ToolGrant("journal"),
        ToolGrant("add"),
        ToolGrant("edit", without: ["text"]),
        ToolGrant("annotate"),
        ToolGrant("tag"),
        ToolGrant("done"),
        ToolGrant("undone"),
        ToolGrant("start"),
        ToolGrant("stop"),
        // A deleted record is revived with `restore`, which asks the user first.
        ToolGrant("resolve", without: ["revive"], records: ["conflict"]),
        ToolGrant("rm"),
        ToolGrant("restore", asks: true),
        // The last command may be the user's own.
        ToolGrant("undo", without: ["entry"], asks: true),
        ToolGrant("redo", asks: true),
    ]
}

extension Notebook {
    /// Returns the subjects of a call: the records with these ids; for `undo`, the command that it undoes.
    var callSubjects: CallSubjects {
        { verb, ids in
            if verb.traits.contains(.undoes) {
                let last = try await journal(titles: 1).first { !$0.isUndone }
                return last.map { [CallSubject(title: $0.subject, undoneCommand: $0.entry)] } ?? []
            }
            return try await read { records in
                try ids.compactMap { id in
                    try records.record(withID: id).map { CallSubject(id: id, title: $0.titleOrID.oneLine) }
                }
            }
        }
    }
}

extension Notebook.Transaction {
    /// Returns the record with exactly this id, including a deleted one or a conflict; nil for any other reference that
    /// commands accept: a number, a range, or a prefix of an id.
    fileprivate func record(withID id: String) throws -> Record? {
        if let conflict = try record(ConflictRecord.key(id)), !conflict.deleted { return conflict }
        // An unknown or ambiguous id is not an error here: the call itself reports it.
        do {
            guard try Reference.several(id) == nil, case .prefix = Reference(id) else { return nil }
            let key = try keyIncludingDeleted(of: id)
            return key.id == id ? try record(key) : nil
        } catch is NotebookError { return nil }
    }
}

extension JournalCommand {
    /// A description of the command for the user.
    fileprivate var subject: String {
        let more = records > titles.count ? ["and \(records - titles.count) more"] : []
        let what = (titles.map(\.oneLine) + more).joined(separator: " ")
        return "\(name): \(what)" + (actor.map { ", by \($0)" } ?? "")
    }
}

extension String {
    /// The text for a form: sanitized, on one line.
    fileprivate var oneLine: String { sanitized.split(whereSeparator: \.isNewline).joined(separator: " ") }
}
