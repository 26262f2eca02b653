internal import LocalStore
public import Records

extension Notebook.Transaction {
    /// Creates or edits a record, and carries out the consequences that the policy of its type defines. A deleted record
    /// is revived. The values must be of the kinds of their fields and within the limits of the fields and the record.
    ///
    ///     try records.edit(key, [.set(.rating, 4), .remove(.review)])
    ///
    /// - Returns: The record after the edit.
    /// - Throws: `InvalidField`, ``NotebookError/recordTooLarge(bytes:limit:isFormer:)``, and what the policy throws.
    @discardableResult
    public func edit(_ key: RecordKey, _ changes: FieldChanges) throws -> Record {
        try edit(key, changes.json, on: try record(key)?.fields ?? [:])
    }

    /// Edits a record as the public method does.
    ///
    /// - Parameter fields: The present fields of the record.
    func edit(_ key: RecordKey, _ patch: JSONObject, on fields: JSONObject) throws -> Record {
        try FieldLimits.checkKinds(of: patch, on: fields, types.catalog(for: key.collection))
        try checkLinks(of: key, patch)
        return try edit(key, patch, moments: [:])
    }

    /// Edits a record as the public method does, but with values of any kind: those of imports, merges and conflicts
    /// may come from other clients.
    ///
    /// - Parameters:
    ///   - moments: The clocks of these fields, which a merge has made; all others get the current time.
    ///   - isFormer: Whether the record had these values before; then only its total size is checked.
    @discardableResult
    func edit(_ key: RecordKey, _ patch: JSONObject, moments: [String: HLC], isFormer: Bool = false) throws -> Record {
        try edit(cache.entry(key), patch, moments: moments, isFormer: isFormer)
    }

    /// Edits a record that this transaction has read and not changed since, as the method above does.
    @discardableResult
    func edit(
        _ entry: CacheEntry, _ patch: JSONObject, moments: [String: HLC], isFormer: Bool = false
    ) throws -> Record {
        let type = types[entry.key.collection]
        if !isFormer { try FieldLimits.check(patch, types.catalog(for: type.collection)) }
        // An undo restores the former titles itself.
        let patch = isFormer ? patch : try keepingFormerTitle(of: entry.record, patch)
        let record = try cache.edit(entry, patch, moments: moments)
        // Checked after the edit, since only then the whole record is known. The error rolls back the transaction.
        if let size = record.fields.textBytes(above: FieldLimits.fieldsBytes) {
            throw NotebookError.recordTooLarge(bytes: size, limit: FieldLimits.fieldsBytes, isFormer: isFormer)
        }
        // The policy doesn't check imports, which store what the file has.
        if !isFormer, patch[Record.importMarkField] == nil { try type.policy.check(record, after: patch) }
        if !type.policy.triggers.isDisjoint(with: patch.names) {
            try cache.followUp(from: entry.record, to: record)
        }
        return record
    }

    /// Adds a record of a type.
    ///
    ///     try await notebook.command("add") { try $0.add([.set(.title, "Bread")], to: TaskRecord.type) }
    ///
    /// - Parameter fields: Its fields, in addition to those that every new record of the type has.
    /// - Throws: As `edit`, and ``NotebookError/titleMissing``.
    @discardableResult
    public func add(_ fields: FieldChanges, to type: RecordType) throws -> AddedRecord {
        let initial = type.initialFields(at: notebook.timestamp)
        let all = initial.applying(fields.json)
        guard all[.title] != nil else { throw NotebookError.titleMissing }
        let key = RecordKey(collection: type.collection, id: notebook.makeID())
        let record = try edit(key, all, on: initial)
        return AddedRecord(key: key, fields: record.fields, prefix: try cache.index.shortPrefix(of: key.id))
    }

    /// Edits several records.
    ///
    /// - Parameter changes: Returns the changes of a record. A record that has all the values already is unchanged.
    /// - Throws: As ``edit(_:_:)``, ``NotebookError``, and what `changes` throws.
    public func edit(_ references: [String], _ changes: (Record) throws -> FieldChanges) throws -> EditedRecords {
        try edit(try select(.references(references)), changes)
    }

    /// Edits the records of a selection, as the public method does.
    func edit(
        _ selected: SelectedRecords, _ changes: (Record) throws -> FieldChanges
    ) throws -> EditedRecords {
        var changed: [Record] = []
        var unchanged: [Record] = []
        for record in selected.records {
            let patch = record.fields.applying(try changes(record).json).patch(from: record.fields)
            if patch.isEmpty {
                unchanged.append(record)
            } else {
                changed.append(try edit(record.key, patch, on: record.fields))
            }
        }
        return EditedRecords(changed: changed, unchanged: unchanged)
    }

    /// Deletes a record.
    public func delete(_ key: RecordKey) throws { try cache.delete(key) }

    /// Gives a record exactly these fields, whether it is live, deleted or unknown.
    @discardableResult
    func revive(_ key: RecordKey, _ fields: JSONObject) throws -> Record {
        // An edit keeps the fields that it doesn't name, so the patch removes all others.
        try cache.edit(key, fields.patch(from: try record(key)?.fields ?? [:]))
    }
}
