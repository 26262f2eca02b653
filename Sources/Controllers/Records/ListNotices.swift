internal import ControllerKit
internal import Foundation
internal import LocalStore
internal import Notebook
internal import Records

/// The notices of the list screen.
struct ListNotices {
    private let notebook: Notebook

    init(_ notebook: Notebook) { self.notebook = notebook }

    /// Why the numbers of a list are unknown to the next command; nil: they are stored.
    var unstoredNumbers: String? {
        // Without this notice, the next command would use the numbers of an earlier list.
        notebook.store.obstacle.map {
            "Use ids in the next command, since the numbers of this list can't be stored: \($0.obstacle)."
        }
    }

    /// The record that was added, with its deadline.
    func added(_ added: AddedRecord, _ type: RecordType) -> String {
        "Added \(type.noun) \(added.prefix) “\(added.title)”\(deadlineText(of: added.fields, type))."
    }

    /// How a deadline was parsed: `, due today 15:00 (in the past)`; empty: none was given.
    private func deadlineText(of fields: JSONObject, _ type: RecordType) -> String {
        guard let field = type.deadline, let due = fields[FieldKey<Timestamp>(field.name)] else { return "" }
        let words = ", \(field.label.lowercased()) " + DateWords(notebook.dates).words(for: due)
        return Horizon(notebook.dates).isOverdue(due) ? words + " (in the past)" : words
    }

    /// The next instances of repeating records; nil: there are none.
    func next(_ records: [Record]) -> String? {
        guard let first = records.first, let field = notebook.types[first.key.collection].deadline,
            let due = first.fields[FieldKey<Timestamp>(field.name)]
        else { return nil }
        let next = LocalTime.short(due.date, in: LocalTime.calendar(in: notebook.calendar.timeZone))
        return records.count == 1 ? "Next: \(next)." : "\(records.count) of them repeat."
    }

    /// The reason why nothing changed: `“Buy milk” is already done`.
    func already(_ state: String, _ records: [Record]) -> String {
        "\(name(of: records)) \(records.count == 1 ? "is" : "are") already \(state)"
    }

    /// The reason why no tags changed.
    func alreadyTagged(_ records: [Record]) -> String {
        "\(name(of: records)) already \(records.count == 1 ? "has" : "have") the requested tags"
    }

    /// The title of one record, or the number of several.
    func name(of records: [Record]) -> String {
        records.count == 1 ? "“\(records[0].titleOrID)”" : "\(records.count) records"
    }
}

/// The words of `tag`: references to records, and tags to add and to remove, such as `3 4 +shop -later`.
struct TagWords {
    private let notebook: Notebook
    private let references: [String]
    private let tags: Edit

    /// Parses the words.
    ///
    /// - Throws: `Failure` of category `usage`, `InputError`.
    init(_ words: [String], _ notebook: Notebook) throws {
        let isTag = { (word: String) in word.hasPrefix("+") || word.hasPrefix("-") }
        self.notebook = notebook
        references = words.filter { !isTag($0) }
        tags = try Edit(words.filter(isTag), dates: notebook.dates, catalog: notebook.types.catalog)
        if let other = tags.fields[.title] {
            throw Failure(.usage, "“\(other)” isn't a tag. Write + or - and a word that begins with a letter: +shop")
        }
    }

    /// Adds and removes the tags.
    ///
    /// - Throws: `Failure` of category `usage`, `NotebookError`, `InvalidField`.
    func tag() async throws -> EditedRecords {
        do {
            return try await notebook.tag(references, adding: tags.addedTags, removing: tags.removedTags)
        } catch NotebookError.recordsOrTagsMissing {
            throw Failure(.usage, "Which records and tags? Example: tag 3 4 +shop -later")
        }
    }
}
