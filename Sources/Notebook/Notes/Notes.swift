internal import LocalStore
public import Records

extension Notebook {
    /// Adds a note.
    ///
    /// - Parameters:
    ///   - words: Words such as `+tag`. `title` and `body` take precedence over a title and a body in the words.
    ///   - title: The title.
    ///   - body: The body; nil: none.
    ///   - command: The command as the journal shows it.
    /// - Throws: ``NotebookError``, `InputError`, `InvalidField`.
    public func addNote(
        _ words: [String], title: String, body: String?, command: String = "note"
    ) async throws -> AddedRecord {
        let type = NoteRecord.type
        let edit = try Edit(words, dates: dates, catalog: types.catalog(for: type.collection))
        if let tag = edit.removedTags.first { throw NotebookError.tagOfNewRecord(tag) }
        let initial = type.initialFields(at: timestamp)
        try checkOwned(edit, on: initial, by: type)
        return try await self.command(command) { records in
            var fields = try records.resolved(edit, of: type).patch(for: initial)
            fields[.title] = title
            fields[type.body.name] = body.flatMap { $0.isEmpty ? nil : .string($0) }
            return try records.add(FieldChanges(json: fields), to: type)
        }
    }

    /// Adds text to the bodies of the records of a selection, in lines of its own. Concurrent additions of two devices
    /// are merged.
    ///
    /// - Parameters:
    ///   - position: Where it is added to the body.
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, among them ``NotebookError/emptyText``; `InputError`, `InvalidField`, and what
    ///   `approve` throws.
    public func add(
        text: String, to selection: Selection, at position: TextPosition, command: String,
        approving approve: @escaping Approval = { _ in }
    ) async throws -> EditedRecords {
        if text.allSatisfy(\.isWhitespace) { throw NotebookError.emptyText }
        return try await edit(selection, command: command, approving: approve) { record in
            FieldChanges(json: record.adding(text, to: types[record.key.collection].body, at: position))
        }
    }

    /// Changes the state of check boxes in the bodies of the records of a selection.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the check boxes in each body, from 1.
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, among them ``NotebookError/unknownCheckBox(_:title:count:)``; `InputError`, and what
    ///   `approve` throws. No record is changed then.
    /// - Returns: The records with their check boxes afterwards.
    public func toggleCheckBoxes(
        _ numbers: Set<Int>, in selection: Selection, command: String = "check",
        approving approve: @escaping Approval = { _ in }
    ) async throws -> [ToggledCheckBoxes] {
        try await self.command(command) { records in
            let selected = try records.select(selection)
            try approve(selected)
            return try selected.records.map { try records.toggleCheckBoxes(numbers, in: $0) }
        }
    }

    /// Pins the records of a selection, so that lists show them first, or unpins them.
    ///
    /// - Parameters:
    ///   - isPinned: Whether the records are pinned afterwards.
    ///   - command: The command as the journal shows it.
    ///   - approve: Approves the records before they are changed.
    /// - Throws: ``NotebookError``, `InputError`, and what `approve` throws.
    public func setPinned(
        _ isPinned: Bool, _ selection: Selection, command: String,
        approving approve: @escaping Approval = { _ in }
    ) async throws -> EditedRecords {
        try await edit(selection, command: command, approving: approve) { record in
            let type = types[record.key.collection]
            guard let name = type.catalog.name(of: .pinned) else {
                throw NotebookError.notPinnable(title: record.titleOrID, noun: type.noun)
            }
            let isPinnedNow = record.fields[name]?.bool ?? false
            var changes = FieldChanges()
            if isPinnedNow != isPinned { changes[FieldKey<Bool>(name)] = isPinned ? true : nil }
            return changes
        }
    }

    /// Returns the body of the note that serves as a template: the note with this title, of several those with the tag
    /// `template` first.
    ///
    /// - Throws: ``NotebookError/unknownTemplate(_:)``.
    public func template(_ title: String) async throws -> String {
        try await read { records in
            let named = try records.records(of: NoteRecord.type).filter {
                $0[.title]?.lowercased() == title.lowercased()
            }
            let isTemplate = { (note: Record) in note[.tags]?.contains("template") ?? false }
            // The smallest id decides, so that the same note is used each time.
            let ordered = named.sorted {
                isTemplate($0) == isTemplate($1) ? $0.key.id < $1.key.id : isTemplate($0)
            }
            guard let note = ordered.first else { throw NotebookError.unknownTemplate(title) }
            return note[.body] ?? ""
        }
    }

    // MARK: The daily note

    /// Today, in the time zone of the user.
    public var today: CalendarDay { CalendarDay(now(), in: calendar) }

    /// Returns the daily note of a day: the one that ``addDaily(_:text:command:)`` makes, or a note with the day as its title;
    /// nil: there is none.
    public func dailyNote(_ day: CalendarDay) async throws -> Record? { try await read { try $0.dailyNote(day) } }

    /// Adds text to the daily note of a day, which is made if there is none. Its title is the day: `2026-11-23`.
    ///
    /// - Parameters:
    ///   - text: The text; nil: the note is made without a text, or isn't changed.
    ///   - command: The command as the journal shows it.
    /// - Throws: `InvalidField`, ``NotebookError``.
    public func addDaily(_ day: CalendarDay, text: String?, command: String = "today") async throws -> EditedRecord {
        try await self.command(command) { records in
            if let note = try records.dailyNote(day) {
                guard let text, !text.allSatisfy(\.isWhitespace) else {
                    return EditedRecord(key: note.key, before: note.fields, after: note.fields)
                }
                let changes = note.adding(text, to: NoteRecord.type.body, at: .end)
                let after = try records.edit(note.key, changes, on: note.fields)
                return EditedRecord(key: note.key, before: note.fields, after: after.fields)
            }
            let key = NoteRecord.dailyKey(day)
            var fields = NoteRecord.type.initialFields(at: timestamp)
            fields[.title] = day.description
            fields[.body] = text
            let made = try records.edit(key, FieldChanges(json: fields))
            return EditedRecord(key: key, before: [:], after: made.fields)
        }
    }
}

/// A record after a change of its check boxes.
public struct ToggledCheckBoxes: Sendable, Equatable {
    /// The record.
    public let record: Record
    /// All check boxes of its body.
    public let boxes: [CheckBox]
}

extension Notebook.Transaction {
    fileprivate func toggleCheckBoxes(_ numbers: Set<Int>, in record: Record) throws -> ToggledCheckBoxes {
        let body = types[record.key.collection].body
        let text = record.fields[body.name]?.string ?? ""
        guard let toggled = CheckBox.toggling(numbers, in: text) else {
            let count = CheckBox.all(in: text).count
            let unknown = numbers.filter { !(1...max(count, 1)).contains($0) || count == 0 }.min()
            throw NotebookError.unknownCheckBox(unknown ?? 1, title: record.titleOrID, count: count)
        }
        let after = try edit(record.key, [body.name: .string(toggled)], on: record.fields)
        return ToggledCheckBoxes(record: after, boxes: CheckBox.all(in: toggled))
    }

    fileprivate func dailyNote(_ day: CalendarDay) throws -> Record? {
        if let note = try record(NoteRecord.dailyKey(day)), !note.deleted { return note }
        let notes = try records(of: NoteRecord.type).filter { $0[.title] == day.description }
        return notes.min { $0.key.id < $1.key.id }
    }
}

extension Record {
    /// Returns the change that adds text to its body.
    fileprivate func adding(_ text: String, to body: Field, at position: TextPosition) -> JSONObject {
        [body.name: .string(position.adding(text, to: fields[body.name]?.string ?? ""))]
    }
}
