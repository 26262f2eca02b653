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

    /// The record that was added, with its deadline, or with the date at the end of its title.
    func added(_ added: AddedRecord, _ type: RecordType, _ words: [String]) -> String {
        "Added \(type.noun) \(added.prefix) “\(added.title)”\(deadlineText(of: added.fields, type))"
            + "\(repeatText(of: added.fields, type))\(hidingText(of: added.fields, type))."
            + titleDate(in: words, of: added, type)
    }

    /// How to use the date with which the title ends as the deadline, or the time of day if the deadline is a day without
    /// one; empty: the title ends otherwise.
    private func titleDate(in words: [String], of added: AddedRecord, _ type: RecordType) -> String {
        let catalog = notebook.types.catalog(for: type.collection)
        guard let field = type.deadline, let found = TitleDate.find(in: words, catalog: catalog, dates: notebook.dates)
        else { return "" }
        let (kind, value): (String, String)
        switch added.fields[FieldKey<DateValue>(field.name)] {
        case nil: (kind, value) = ("date", found.text)
        case .day(let day)? where found.isTime: (kind, value) = ("time", "\(day) \(found.text)")
        case .day?, .time?: return ""
        }
        let command = ["edit", added.prefix, "\(field.name):\(value)", "--title", found.title]
        return " The title ends with a \(kind): “\(found.text)”. To use it: \(CommandWords.joined(command))"
    }

    /// How a deadline was parsed: `, due today 15:00 (in the past)`; empty: none was given.
    private func deadlineText(of fields: JSONObject, _ type: RecordType) -> String {
        guard let field = type.deadline, let due = fields[FieldKey<DateValue>(field.name)] else { return "" }
        let words = ", \(field.label.lowercased()) " + DateWords(notebook.dates).words(for: due)
        return Horizon(notebook.dates).isOverdue(due) ? words + " (in the past)" : words
    }

    /// How an interval was parsed: `, repeats every 2 weeks`; empty: none was given.
    private func repeatText(of fields: JSONObject, _ type: RecordType) -> String {
        guard let rule = fields[.repeating] else { return "" }
        return ", repeats " + rule.words
    }

    /// Until when lists omit the record: `, hidden until Sat 28 Nov`; empty: they show it.
    private func hidingText(of fields: JSONObject, _ type: RecordType) -> String {
        guard let field = type.catalog.fields.first(where: { $0.role == .hiddenUntil }),
            let until = fields[FieldKey<DateValue>(field.name)]
        else { return "" }
        return ", hidden until " + DateWords(notebook.dates).words(for: until)
    }

    /// The next instances of repeating records; nil: there are none.
    func next(_ records: [Record]) -> String? {
        guard let first = records.first, let field = notebook.types[first.key.collection].deadline,
            let due = first.fields[FieldKey<DateValue>(field.name)]
        else { return nil }
        let next = DateWords(notebook.dates).words(for: due)
        return records.count == 1 ? "Next: \(next)." : "\(records.count) of them repeat."
    }

    /// The open parts of completed records; nil: there are none.
    func open(_ parts: [Record], of completed: [Record]) -> String? {
        let whole = completed.count == 1 ? "it" : "them"
        return switch parts.count {
        case 0: nil
        case 1: "One part of \(whole) is still open: \(name(of: parts))."
        default: "\(parts.count) parts of \(whole) are still open."
        }
    }

    /// The reason why no work was ended.
    func notStarted(_ records: [Record]) -> String {
        "\(name(of: records)) \(records.count == 1 ? "isn't" : "aren't") started"
    }

    /// The time spent on a record so far; nil: there are several, or there is no such time.
    func timeSpent(_ records: [Record]) -> String? {
        guard records.count == 1, let record = records.first else { return nil }
        return notebook.types[record.key.collection].work?.words(for: record.fields).map { "Time spent: \($0)." }
    }

    /// The reason why nothing changed: `“Buy milk” is already done`.
    func already(_ state: String, _ records: [Record]) -> String {
        "\(name(of: records)) \(records.count == 1 ? "is" : "are") already \(state)"
    }

    /// The reason why no tags changed: `“Buy milk” already has the tag “shop”`.
    func unchanged(_ records: [Record], by tags: Edit) -> String {
        let isOne = records.count == 1
        let names = { (tags: [String], conjunction: String) in
            (tags.count == 1 ? "tag " : "tags ") + tags.map { "“\($0)”" }.joined(conjunction: conjunction)
        }
        let had = tags.addedTags.isEmpty ? nil : "already \(isOne ? "has" : "have") the \(names(tags.addedTags, "and"))"
        let lacked =
            tags.removedTags.isEmpty ? nil : "\(isOne ? "has" : "have") no \(names(tags.removedTags, "or"))"
        return name(of: records) + " " + [had, lacked].compactMap(\.self).joined(separator: " and ")
    }

    /// The title of one record, or the number of several.
    func name(of records: [Record]) -> String {
        records.count == 1 ? "“\(records[0].titleOrID)”" : notebook.types.counted(records)
    }
}

/// The words of `tag`: records, and tags to add and to remove, such as `3 4 +shop -later`. A filter word at the beginning
/// selects records: `+shop +soon` adds the second tag to those with the first one.
struct TagWords {
    /// The tags.
    let tags: Edit
    private let selection: Selection

    /// Parses the words.
    ///
    /// - Throws: `Failure` of category `usage`, `InputError`.
    init(_ words: [String], _ notebook: Notebook) throws {
        let isTag = { (word: String) in word.hasPrefix("+") || word.hasPrefix("-") }
        let first = words.first ?? ""
        let beginsWithFilter = isTag(first)
        let rest = words.dropFirst()
        let others = rest.filter { !isTag($0) }
        let tagWords = rest.filter(isTag)
        if beginsWithFilter, let other = others.first { throw Self.invalid(other) }
        if let word = Edit.invalidTag(in: (beginsWithFilter && rest.isEmpty ? [first] : []) + tagWords) {
            throw Self.invalid(word)
        }
        selection =
            others.isEmpty
            ? .first(first, filter: notebook.filterWords(in: first))
            : .references([first] + others)
        tags = try Edit(tagWords, dates: notebook.dates, catalog: notebook.types.catalog)
        if let other = tags.fields[.title] { throw Self.invalid(other) }
        if first.isEmpty || tags.addedTags.isEmpty && tags.removedTags.isEmpty {
            throw Failure(.usage, "Which records and tags? Examples: tag 3 4 +shop -later; tag @errands +soon")
        }
    }

    private static func invalid(_ word: String) -> Failure {
        Failure(
            .usage,
            "“\(word)” can't be a tag. Write the records first, then + or - and a word that begins with a letter: "
                + "tag 3 4 +shop -later")
    }

    /// Adds and removes the tags.
    ///
    /// - Throws: `ConfirmationNeeded`, `NotebookError`, `InputError`, `InvalidField`.
    func tag(in notebook: Notebook, approving approve: @escaping Approval) async throws -> EditedRecords {
        try await notebook.tag(
            selection, adding: tags.addedTags, removing: tags.removedTags, approving: approve)
    }
}
