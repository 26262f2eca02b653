internal import LocalStore
public import Records

/// A record that was added.
public struct AddedRecord: Sendable, Equatable {
    /// Its key.
    public let key: RecordKey
    /// Its fields.
    public let fields: JSONObject
    /// Its short id, see `ShortID`.
    public let prefix: String

    /// Its title.
    public var title: String { fields[.title] ?? key.id }
}

/// A record before and after an edit.
public struct EditedRecord: Sendable, Equatable {
    /// Its key.
    public let key: RecordKey
    /// The fields before; empty: it didn't exist.
    public let before: JSONObject
    /// The fields after.
    public let after: JSONObject

    /// Whether anything changed.
    public var hasChanged: Bool { before != after }
    /// The title after the edit; the id of a record without one.
    public var title: String { after[.title] ?? key.id }
}

/// The records that a command named.
public struct EditedRecords: Sendable, Equatable {
    /// Those that it changed, after the edit.
    public let changed: [Record]
    /// Those that already had the requested values.
    public let unchanged: [Record]
}

extension Notebook {
    /// Adds a record, with the values that the current context requires unless others are typed.
    ///
    /// - Parameters:
    ///   - words: The title, and words such as `+tag` and `due:friday`; `-tag` removes a tag of the context.
    ///   - body: The longer text; nil: that in the words, if any.
    ///   - command: The command as the journal shows it.
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`.
    public func add(
        _ words: [String], to type: RecordType, body: String? = nil, command: String = "add"
    ) async throws -> AddedRecord {
        // Before the transaction, since most errors are found here.
        let typed = try Edit(words, dates: dates, catalog: types.catalog(for: type.collection))
        let initial = type.initialFields(at: timestamp)
        return try await self.command(command) { records in
            let edit = try records.addingDefaults(to: typed, words, of: type)
            let fields = try patch(try records.resolved(edit, of: type), body: body, for: initial, of: type)
            return try records.add(FieldChanges(json: fields), to: type)
        }
    }

    /// Adds a record with fields instead of words.
    ///
    ///     let dune = try await notebook.add([.set(.title, "Dune"), .set(.rating, 5)], to: .book)
    ///
    /// - Parameters:
    ///   - fields: Its fields, in addition to those that every new record of the type has.
    ///   - command: The command as the journal shows it.
    /// - Throws: ``NotebookError/titleMissing``, `InvalidField`.
    public func add(
        _ fields: FieldChanges, to type: RecordType, command: String = "add"
    ) async throws -> AddedRecord {
        try await self.command(command) { try $0.add(fields, to: type) }
    }

    /// Edits one record.
    ///
    /// - Parameters:
    ///   - words: As for `add`; `due:` removes a field.
    ///   - title: The new title; nil: the title in the words.
    ///   - body: The new longer text; empty removes it; nil: that in the words.
    ///   - command: The command as the journal shows it.
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`.
    public func edit(
        _ reference: String, _ words: [String], title: String? = nil, body: String? = nil, command: String = "edit"
    ) async throws -> EditedRecord {
        _ = try checkedTitle(words, title: title, body: body)
        return try await change(command, reference) { record, records in
            try patch(words, title: title, body: body, for: record, in: records)
        }
    }

    /// Edits the records of a selection.
    ///
    /// - Parameters:
    ///   - words: As for `add`; `due:` removes a field.
    ///   - title: The new title; nil: the title in the words.
    ///   - body: The new longer text; empty removes it; nil: that in the words.
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, among them ``NotebookError/titleForSeveral(_:count:)``, `InputError`,
    ///   `InvalidField`, and what `approve` throws.
    public func edit(
        _ selection: Selection, _ words: [String], title: String? = nil, body: String? = nil,
        command: String = "edit", approving approve: @escaping Approval = { _ in }
    ) async throws -> EditedRecords {
        let newTitle = try checkedTitle(words, title: title, body: body)
        return try await self.command(command) { records in
            let selected = try records.select(selection)
            if let newTitle, selected.records.count > 1 {
                throw NotebookError.titleForSeveral(newTitle, count: selected.records.count)
            }
            try approve(selected)
            return try records.edit(selected) { record in
                FieldChanges(json: try patch(words, title: title, body: body, for: record, in: records))
            }
        }
    }

    /// Returns the new title in an option or in the words. Refuses a title or a body that is given twice and a word that
    /// isn't a tag, before the record is looked up.
    private func checkedTitle(_ words: [String], title: String?, body: String?) throws -> String? {
        if let word = Edit.invalidTag(in: words) { throw InputError.notATag(word) }
        // An error is ignored: words that only the record's own type can parse are parsed again later.
        guard let edit = try? Edit(words, dates: dates, catalog: types.catalog) else { return title }
        if title != nil, let other = edit.fields[.title] { throw NotebookError.titleTwice(other) }
        if body != nil, edit.fields[FieldKey.body.name] != nil { throw NotebookError.bodyTwice }
        return title ?? edit.fields[.title]
    }

    /// Returns the patch for the typed words, title and body on a record.
    private func patch(
        _ words: [String], title: String?, body: String?, for record: Record, in records: Transaction
    ) throws -> JSONObject {
        let type = types[record.key.collection]
        let edit = try Edit(words, dates: records.notebook.dates, catalog: types.catalog(for: type.collection))
        return try patch(try records.resolved(edit, of: type), title: title, body: body, for: record.fields, of: type)
    }

    /// Returns the patch for an edit, a title and a body on a record with these fields.
    private func patch(
        _ edit: Edit, title: String? = nil, body: String?, for fields: JSONObject, of type: RecordType
    ) throws -> JSONObject {
        try checkOwned(edit, on: fields, by: type)
        var patch = try edit.patch(for: fields)
        // A record without the value would be open all the same; other programs expect one.
        if let closing = type.closing, patch[closing.field] == .null { patch[closing.field] = .string(closing.open) }
        if let title {
            if let other = edit.fields[.title] { throw NotebookError.titleTwice(other) }
            patch[.title] = title
        }
        if let body {
            if edit.fields[type.body.name] != nil { throw NotebookError.bodyTwice }
            patch[type.body.name] = body.isEmpty ? .null : .string(body)
        }
        return patch
    }

    /// Refuses values for fields that only another type declares: a note with `due:` would never be due. A value that the
    /// record has already may be changed.
    func checkOwned(_ edit: Edit, on fields: JSONObject, by type: RecordType) throws {
        for name in edit.namesOfValues where fields[name] == nil && type.catalog[name] == nil {
            // An undeclared type belongs to another program, whose fields are unknown.
            guard types.declares(type.collection),
                let owner = types.listedTypes.first(where: { $0.catalog[name]?.isTyped == true })
            else { continue }
            let isDefault = owner.collection == types.listedTypes.first?.collection
            throw NotebookError.fieldOfOtherType(
                name, plural: type.pluralTitle, owner: owner.noun,
                command: isDefault ? "add" : "add --type \(owner.noun)")
        }
    }

    /// Adds a dated annotation to a record.
    ///
    /// - Parameter command: The command as the journal shows it.
    /// - Throws: ``NotebookError``, `InvalidField`.
    public func annotate(
        _ reference: String, _ text: String, command: String = "annotate"
    ) async throws -> EditedRecord {
        if text.allSatisfy(\.isWhitespace) { throw NotebookError.emptyAnnotation }
        let now = timestamp
        return try await change(command, reference) { record, _ in record.annotating(text, at: now) }
    }

    /// Adds a dated annotation to the records of a selection.
    ///
    /// - Parameters:
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`, and what `approve` throws.
    public func annotate(
        _ selection: Selection, _ text: String, command: String = "annotate",
        approving approve: @escaping Approval = { _ in }
    ) async throws -> EditedRecords {
        if text.allSatisfy(\.isWhitespace) { throw NotebookError.emptyAnnotation }
        let now = timestamp
        return try await edit(selection, command: command, approving: approve) {
            FieldChanges(json: $0.annotating(text, at: now))
        }
    }

    /// Finds a record and changes it in one transaction, so that no other process changes it in between.
    private func change(
        _ command: String, _ reference: String, _ patch: @escaping @Sendable (Record, Transaction) throws -> JSONObject
    ) async throws -> EditedRecord {
        try await self.command(command) { records in
            let key = try records.key(of: reference)
            let before = try records.record(key) ?? Record(key: key)
            let after = try records.edit(key, try patch(before, records), on: before.fields)
            return EditedRecord(key: key, before: before.fields, after: after.fields)
        }
    }

    /// Edits several records.
    ///
    /// - Parameters:
    ///   - command: The command as the journal shows it.
    ///   - changes: Returns the changes of a record. A record that has all the values already is unchanged.
    /// - Throws: ``NotebookError``, `InvalidField`, and what `changes` throws.
    public func edit(
        _ references: [String], command: String, _ changes: @escaping @Sendable (Record) throws -> FieldChanges
    ) async throws -> EditedRecords {
        try await edit(.references(references), command: command, changes)
    }

    /// Edits the records of a selection.
    ///
    /// - Parameters:
    ///   - scope: The records among which a filter selects.
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    ///   - changes: Returns the changes of a record. A record that has all the values already is unchanged.
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`, and what `approve` and `changes` throw.
    public func edit(
        _ selection: Selection, among scope: SelectedRecords.Scope = .listed, command: String,
        approving approve: @escaping Approval = { _ in },
        _ changes: @escaping @Sendable (Record) throws -> FieldChanges
    ) async throws -> EditedRecords {
        try await self.command(command) { records in
            let selected = try records.select(selection, among: scope)
            try approve(selected)
            return try records.edit(selected, changes)
        }
    }

    /// Adds tags to records, and removes tags from them. A tag in both lists is added.
    ///
    /// - Parameter command: The command as the journal shows it.
    /// - Throws: ``NotebookError``, `InvalidField`.
    public func tag(
        _ references: [String], adding added: [String] = [], removing removed: [String] = [], command: String = "tag"
    ) async throws -> EditedRecords {
        try await tag(.references(references), adding: added, removing: removed, command: command)
    }

    /// Adds tags to the records of a selection, and removes tags from them. A tag in both lists is added.
    ///
    /// - Parameters:
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`, and what `approve` throws.
    public func tag(
        _ selection: Selection, adding added: [String] = [], removing removed: [String] = [], command: String = "tag",
        approving approve: @escaping Approval = { _ in }
    ) async throws -> EditedRecords {
        if selection.words.isEmpty || (added.isEmpty && removed.isEmpty) { throw NotebookError.recordsOrTagsMissing }
        return try await edit(selection, command: command, approving: approve) { record in
            var tagged = record.fields
            tagged.tag(adding: added, removing: removed)
            return FieldChanges(json: tagged.patch(from: record.fields))
        }
    }

    /// Deletes records.
    ///
    /// - Parameter command: The command as the journal shows it.
    /// - Returns: The records as they were.
    /// - Throws: ``NotebookError``.
    public func delete(_ references: [String], command: String = "rm") async throws -> [Record] {
        try await delete(.references(references), command: command)
    }

    /// Deletes the records of a selection.
    ///
    /// - Parameters:
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are deleted.
    /// - Returns: The records as they were.
    /// - Throws: ``NotebookError``, `InputError`, and what `approve` throws.
    public func delete(
        _ selection: Selection, command: String = "rm", approving approve: @escaping Approval = { _ in }
    ) async throws -> [Record] {
        try await self.command(command) { records in
            let selected = try records.select(selection)
            try approve(selected)
            for record in selected.records { try records.delete(record.key) }
            return selected.records
        }
    }
}

extension Record {
    /// Returns the change that adds an annotation.
    fileprivate func annotating(_ text: String, at moment: Timestamp) -> JSONObject {
        var annotated = fields
        annotated.annotate(text, at: moment)
        return annotated.patch(from: fields)
    }
}
