internal import LocalStore
public import Records

/// An edit as it was typed: the words of `add` and `edit`, and what was given next to them.
public struct TypedEdit: Sendable {
    /// The words.
    public let words: Edit
    /// The new title; nil: the title in the words.
    public let title: String?
    /// The new body; empty removes it; nil: the body in the words.
    public let body: String?

    /// The patch that carries it out on a record with these fields.
    func patch(for fields: JSONObject) throws(InputError) -> JSONObject {
        var patch = try words.patch(for: fields)
        if let title { patch[.title] = title }
        if let body { patch[FieldKey.body.name] = body.isEmpty ? .null : .string(body) }
        return patch
    }
}

/// A record that was added.
public struct AddedRecord: Sendable, Equatable {
    /// Its key.
    public let key: RecordKey
    /// Its title.
    public let title: String
    /// The beginning of its id that no other id has.
    public let prefix: String
}

/// A record before and after an edit.
public struct EditedRecord: Sendable, Equatable {
    /// Its key.
    public let key: RecordKey
    /// The fields before; empty if it was not there.
    public let before: JSONObject
    /// The fields after.
    public let after: JSONObject

    /// Whether anything changed.
    public var hasChanged: Bool { before != after }
    /// The title after the edit; the id of a record without one.
    public var title: String { after[.title] ?? key.id }
}

/// Tasks whose status changed.
public struct CompletedTasks: Sendable, Equatable {
    /// The tasks.
    public let changed: [Record]
    /// The next instances of the repeating tasks among them, those that are open.
    public let next: [Record]
}

extension Notebook {
    /// Reads the words of `add`, `note` and `edit`, and what was given next to them.
    ///
    /// - Throws: ``NotebookError`` if something is given in both ways; `InputError`.
    public func typedEdit(_ words: [String], title: String? = nil, body: String? = nil) throws -> TypedEdit {
        let edit = try Edit(words, dates: dates, catalog: types.catalog)
        if title != nil, let other = edit.fields[.title] { throw NotebookError.titleTwice(other) }
        if body != nil, edit.fields[FieldKey.body.name] != nil { throw NotebookError.bodyTwice }
        return TypedEdit(words: edit, title: title, body: body)
    }

    /// Adds a record.
    ///
    /// - Parameters:
    ///   - type: Its type.
    ///   - fields: The fields that it has besides those of the edit, such as the time of entry.
    ///   - command: The command as the journal shows it.
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`.
    public func add(
        _ edit: TypedEdit, to type: RecordType, with fields: JSONObject = [:], command: String = "add"
    ) async throws -> AddedRecord {
        let whole = fields.applying(try edit.patch(for: fields))
        guard let title = edit.title ?? edit.words.fields[.title] else { throw NotebookError.titleMissing }
        let key = RecordKey(collection: type.collection, id: makeID())
        return try await self.command(command) { records in
            try records.edit(key, whole)
            return AddedRecord(key: key, title: title, prefix: try records.cache.index.shortPrefix(of: key.id))
        }
    }

    /// Adds a record from the words of a person.
    ///
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`.
    public func add(_ words: [String], to type: RecordType) async throws -> AddedRecord {
        try await add(try typedEdit(words), to: type)
    }

    /// Edits one record.
    ///
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`.
    public func edit(_ reference: String, _ edit: TypedEdit) async throws -> EditedRecord {
        try await change("edit", reference) { try edit.patch(for: $0) }
    }

    /// Adds a dated annotation to a record.
    ///
    /// - Throws: ``NotebookError``, `InvalidField`.
    public func annotate(_ reference: String, _ text: String) async throws -> EditedRecord {
        if text.allSatisfy(\.isWhitespace) { throw NotebookError.emptyAnnotation }
        let now = timestamp
        return try await change("annotate", reference) { fields in
            var task = TaskRecord(fields: fields)
            task.annotate(text, at: now)
            return task.fields.patch(from: fields)
        }
    }

    /// Finds a record and changes it in one transaction, so that it still exists when it is changed.
    private func change(
        _ command: String, _ reference: String, _ patch: @escaping @Sendable (JSONObject) throws -> JSONObject
    ) async throws -> EditedRecord {
        try await self.command(command) { records in
            let key = try records.resolve(reference)
            let before = try records.record(key)?.fields ?? [:]
            return EditedRecord(key: key, before: before, after: try records.edit(key, try patch(before)).fields)
        }
    }

    /// Edits several records.
    ///
    /// - Parameter patch: The fields to change in a record; none if there is nothing to change.
    /// - Returns: The records that changed.
    /// - Throws: ``NotebookError``, `InvalidField`, and what `patch` throws.
    public func edit(
        _ references: [String], command: String, _ patch: @escaping @Sendable (Record) throws -> JSONObject
    ) async throws -> [Record] {
        try await self.command(command) { try $0.edit(references, patch) }
    }

    /// Adds and removes tags: `3 4 +shop -later`.
    ///
    /// - Returns: The records that changed.
    /// - Throws: ``NotebookError``, `InputError`.
    public func tag(_ words: [String]) async throws -> [Record] {
        let isTag = { (word: String) in word.hasPrefix("+") || word.hasPrefix("-") }
        let references = words.filter { !isTag($0) }
        let tags = try Edit(words.filter(isTag), dates: dates, catalog: types.catalog)
        if let other = tags.fields[.title] { throw NotebookError.notATag(other) }
        guard !references.isEmpty, !tags.isEmpty else { throw NotebookError.recordsOrTagsMissing }
        return try await edit(references, command: "tag") { try tags.patch(for: $0.fields) }
    }

    /// Completes tasks. A repeating task gets its next instance.
    ///
    /// - Throws: ``NotebookError``.
    public func complete(_ references: [String]) async throws -> CompletedTasks {
        let now = timestamp
        return try await changeTasks(references, command: "done") { $0.complete(at: now) }
    }

    /// Opens completed tasks again.
    ///
    /// - Throws: ``NotebookError``.
    public func reopen(_ references: [String]) async throws -> CompletedTasks {
        try await changeTasks(references, command: "undone") { $0.reopen() }
    }

    private func changeTasks(
        _ references: [String], command: String, _ change: @escaping @Sendable (inout TaskRecord) -> Void
    ) async throws -> CompletedTasks {
        try await self.command(command) { records in
            let changed = try records.edit(references) { record in
                guard record.key.collection == TaskRecord.type.collection else {
                    throw NotebookError.notATask(title: record.titleOrID)
                }
                var task = TaskRecord(fields: record.fields)
                let status = task.status
                change(&task)
                return status == task.status ? [:] : task.fields.patch(from: record.fields)
            }
            return CompletedTasks(changed: changed, next: try records.openSuccessors(of: changed.map(\.key)))
        }
    }

    /// Deletes records.
    ///
    /// - Returns: The records as they were.
    /// - Throws: ``NotebookError``.
    public func delete(_ references: [String]) async throws -> [Record] {
        try await command("rm") { records in
            try records.resolve(references).compactMap { key in
                let record = try records.record(key)
                try records.delete(key)
                return record
            }
        }
    }
}

extension Notebook.Transaction {
    /// Makes a record or edits it, and carries out what the policy of its type says follows, if every field and the record as a
    /// whole are within their limits. A deleted record is revived.
    ///
    /// - Parameter patch: The fields to change; `null` removes one.
    /// - Returns: The record after the edit.
    /// - Throws: `InvalidField`, ``NotebookError/recordTooLarge(bytes:limit:isFormer:)``, and what the policy throws.
    @discardableResult
    public func edit(_ key: RecordKey, _ patch: JSONObject) throws -> Record { try edit(key, patch, moments: [:]) }

    /// The same with the clocks of fields that a merge has made.
    ///
    /// - Parameters:
    ///   - moments: The clocks of these fields; all others get the current time.
    ///   - isFormer: Whether the record had these values before; then only its whole size is checked.
    @discardableResult
    func edit(_ key: RecordKey, _ patch: JSONObject, moments: [String: HLC], isFormer: Bool = false) throws -> Record {
        if !isFormer { try FieldLimits.check(patch, types.catalog(for: key.collection)) }
        let policy = types[key.collection].policy
        let mayHaveConsequences = !policy.triggers.isDisjoint(with: patch.names)
        let before = mayHaveConsequences ? try record(key) : nil
        let record = try cache.edit(key, patch, moments: moments)
        let size = record.fields.text.utf8.count
        // Thrown inside the transaction, which undoes the edit.
        guard size <= FieldLimits.fieldsBytes else {
            throw NotebookError.recordTooLarge(bytes: size, limit: FieldLimits.fieldsBytes, isFormer: isFormer)
        }
        // An import applies what the file has.
        if !isFormer, patch[Record.importMarkField] == nil { try policy.check(record, after: patch) }
        if mayHaveConsequences { try cache.followUp(from: before, to: record) }
        return record
    }

    /// Edits several records.
    ///
    /// - Returns: The records that changed.
    public func edit(_ references: [String], _ patch: (Record) throws -> JSONObject) throws -> [Record] {
        try resolve(references).compactMap { key in
            guard let record = try record(key) else { return nil }
            let patch = try patch(record)
            return patch.isEmpty ? nil : try edit(key, patch)
        }
    }

    /// Deletes a record.
    public func delete(_ key: RecordKey) throws { try cache.delete(key) }

    /// Gives a record these fields and no others, whether it is live, deleted or unknown.
    @discardableResult
    func revive(_ key: RecordKey, _ fields: JSONObject) throws -> Record {
        try cache.edit(key, fields.patch(from: try record(key)?.fields ?? [:]))
    }

    /// The next instances of repeating tasks, those that are open.
    fileprivate func openSuccessors(of keys: [RecordKey]) throws -> [Record] {
        try keys.compactMap { key in try types[key.collection].policy.successor(of: key).flatMap { try record($0) } }
            .filter { !$0.deleted && TaskRecord(fields: $0.fields).status.isOpen }
    }
}
