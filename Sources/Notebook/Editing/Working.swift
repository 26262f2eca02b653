internal import Records

extension Notebook {
    /// Notes that work on the records of a selection begins now. Only open records of types with a `WorkRule` can be
    /// started; a filter selects open records that can be completed.
    ///
    /// - Parameters:
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, `InputError`, and what `approve` throws.
    public func start(
        _ selection: Selection, command: String = "start", approving approve: @escaping Approval = { _ in }
    ) async throws -> EditedRecords {
        let now = timestamp
        return try await edit(selection, among: .open, command: command, approving: approve) { record in
            let type = types[record.key.collection]
            let work = try work(of: record)
            if type.isClosed(record.fields) { throw NotebookError.startsClosed(title: record.titleOrID) }
            return FieldChanges(json: work.starting(record.fields, at: now))
        }
    }

    /// Notes that work on the records of a selection ends now, and adds its time to the time spent. A filter selects
    /// open records that can be completed.
    ///
    /// - Parameters:
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, `InputError`, and what `approve` throws.
    public func stop(
        _ selection: Selection, command: String = "stop", approving approve: @escaping Approval = { _ in }
    ) async throws -> EditedRecords {
        let now = timestamp
        return try await edit(selection, among: .open, command: command, approving: approve) { record in
            FieldChanges(json: try work(of: record).stopping(record.fields, at: now))
        }
    }

    private func work(of record: Record) throws -> WorkRule {
        let type = types[record.key.collection]
        guard let work = type.work else {
            throw NotebookError.notStartable(title: record.titleOrID, noun: type.noun)
        }
        return work
    }
}
