public import Records

/// The records that a command named to be completed or reopened.
public struct CompletedRecords: Sendable, Equatable {
    /// Those that it changed, after the edit.
    public let changed: [Record]
    /// Those that were already completed, or already open.
    public let unchanged: [Record]
    /// The open next instances of the repeating tasks among them.
    public let next: [Record]
    /// The open parts of the changed records.
    public let openParts: [Record]
}

extension Notebook {
    /// Completes records of types that have a `ClosingRule`. A repeating task gets its next instance.
    ///
    /// - Parameter command: The command as the journal shows it.
    /// - Throws: ``NotebookError``.
    public func complete(_ references: [String], command: String = "done") async throws -> CompletedRecords {
        try await complete(.references(references), command: command)
    }

    /// Completes the records of a selection. A filter selects open records of types that have a `ClosingRule`.
    ///
    /// - Parameters:
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, `InputError`, and what `approve` throws.
    public func complete(
        _ selection: Selection, command: String = "done", approving approve: @escaping Approval = { _ in }
    ) async throws -> CompletedRecords {
        let now = timestamp
        return try await changeState(selection, among: .open, command, approve) { $0.completing($1, at: now) }
    }

    /// Reopens completed records.
    ///
    /// - Parameter command: The command as the journal shows it.
    /// - Throws: ``NotebookError``.
    public func reopen(_ references: [String], command: String = "undone") async throws -> CompletedRecords {
        try await reopen(.references(references), command: command)
    }

    /// Reopens the records of a selection. A filter selects completed records.
    ///
    /// - Parameters:
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, `InputError`, and what `approve` throws.
    public func reopen(
        _ selection: Selection, command: String = "undone", approving approve: @escaping Approval = { _ in }
    ) async throws -> CompletedRecords {
        try await changeState(selection, among: .closed, command, approve) { $0.reopening($1) }
    }

    private func changeState(
        _ selection: Selection, among scope: SelectedRecords.Scope, _ command: String, _ approve: @escaping Approval,
        _ change: @escaping @Sendable (ClosingRule, JSONObject) -> JSONObject
    ) async throws -> CompletedRecords {
        try await self.command(command) { records in
            let selected = try records.select(selection, among: scope)
            try approve(selected)
            let edited = try records.edit(selected) { record in
                let type = types[record.key.collection]
                guard let closing = type.closing else {
                    throw NotebookError.notCompletable(
                        title: record.titleOrID, noun: type.noun,
                        completable: types.completableTypes.map(\.plural))
                }
                return FieldChanges(json: change(closing, record.fields))
            }
            return CompletedRecords(
                changed: edited.changed, unchanged: edited.unchanged,
                next: try records.openSuccessors(of: edited.changed.map(\.key)),
                openParts: try records.openParts(of: edited.changed))
        }
    }
}

extension Notebook.Transaction {
    /// Returns the open next instances of repeating tasks.
    fileprivate func openSuccessors(of keys: [RecordKey]) throws -> [Record] {
        try keys.compactMap { key in try types[key.collection].policy.successor(of: key).flatMap { try record($0) } }
            .filter { !$0.deleted && !types[$0.key.collection].isClosed($0.fields) }
    }
}
