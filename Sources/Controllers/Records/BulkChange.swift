internal import ControllerKit
internal import Notebook
internal import Records

/// A change that is confirmed before it changes many records.
enum BulkChange: Sendable {
    case complete, reopen, start, stop, delete, tag, edit, annotate, append, prepend, check, pin, unpin

    /// The maximum number of titles in a question, and of characters in each.
    private static let titles = 3
    private static let titleLength = 60

    /// Returns the approval of a change. It throws `ConfirmationNeeded` for more records than
    /// `Settings.confirmationLimit`, for a deletion by a filter, and for several records that were found by words alone,
    /// such as a part of a title, unless the user has confirmed it. An answer confirms only the records of its question:
    /// for any others, `ConfirmationNeeded` is thrown again.
    func approval(_ types: RecordTypes, _ settings: Settings, confirmed: GivenConfirmation) -> Approval {
        { selected in
            let count = selected.records.count
            let hasChanged: Bool
            switch confirmed {
            case .inAdvance: return
            case .answer(let token):
                if token == selected.identity { return }
                hasChanged = true
            case .notGiven:
                let limit = settings.confirmationLimit ?? .max
                let free = self == .delete && selected.isByFilter ? 0 : selected.isByText ? min(1, limit) : limit
                if count <= free { return }
                hasChanged = false
            }
            let titles = selected.records.prefix(Self.titles).map { "“\($0.titleOrID.prefix(Self.titleLength))”" }
            let more = count > Self.titles ? " and \(count - Self.titles) more" : ""
            throw ConfirmationNeeded(
                types.counted(selected.records) + ": " + titles.joined(separator: ", ") + more,
                action: action(on: count == 1 ? "it" : "them"), token: selected.identity, hasChanged: hasChanged)
        }
    }

    private func action(on pronoun: String) -> String {
        switch self {
        case .complete: "mark \(pronoun) as done"
        case .reopen: "reopen \(pronoun)"
        case .start: "start \(pronoun)"
        case .stop: "stop \(pronoun)"
        case .delete: "delete \(pronoun)"
        case .tag: "change \(pronoun == "it" ? "its" : "their") tags"
        case .edit: "change \(pronoun)"
        case .annotate: "annotate \(pronoun)"
        case .append: "append to \(pronoun)"
        case .prepend: "prepend to \(pronoun)"
        case .check: "change \(pronoun == "it" ? "its" : "their") check boxes"
        case .pin: "pin \(pronoun)"
        case .unpin: "unpin \(pronoun)"
        }
    }
}

extension RecordTypes {
    /// The number of records with their noun: `1 task`, `3 notes`; of several types: `4 records`.
    func counted(_ records: [Record]) -> String {
        let collections = Set(records.map(\.key.collection))
        let type = collections.count == 1 ? collections.first.map { self[$0] } : nil
        let noun = records.count == 1 ? type?.noun ?? "record" : type?.plural ?? "records"
        return "\(records.count) \(noun)"
    }
}

extension EditedRecords {
    /// The message for the user: the record that was changed, or the number of several.
    ///
    /// - Parameter done: What was done: `Changed`, `Appended to`.
    func notice(_ done: String, _ types: RecordTypes) -> String {
        switch (changed.count, unchanged.count) {
        case (0, 1): "Nothing to change: “\(unchanged[0].titleOrID)” already has these values."
        case (0, _): "Nothing to change: \(types.counted(unchanged)) already have these values."
        case (1, 0): "\(done) “\(changed[0].titleOrID)”."
        case (_, 0): "\(done) \(types.counted(changed))."
        case (1, _): "\(done) “\(changed[0].titleOrID)”; \(unchanged.count) had these values already."
        default: "\(done) \(types.counted(changed)); \(unchanged.count) had these values already."
        }
    }
}

extension Notebook {
    /// Returns the selection of a command whose first word names the records.
    func selection(_ reference: String) -> Selection { .first(reference, filter: filterWords(in: reference)) }

    /// Refuses a text whose first word is the id of a record, as in `append wkxp yonl Ask for a quote`: it is a text or
    /// a second record.
    ///
    /// - Parameter reference: The record before the text.
    func checkText(_ words: [String], after reference: String, of command: String) async throws {
        // Words that look like references are records already, see `Argument.listed(while:)`.
        guard words.count > 1, !Reference.isLikely(words[0]), try await areReferences([words[0]]) else { return }
        let several = [command, "\(reference),\(words[0])"] + words.dropFirst()
        let text = [command, reference, words.joined(separator: " ")]
        throw Failure(
            .usage,
            "“\(words[0])” is the id of a record, but could also be text. Nothing was changed. To change both records, "
                + "type:\n    "
                + CommandWords.joined(several) + "\nIf it is text, type:\n    " + CommandWords.joined(text))
    }
}

extension Argument where Value == String {
    /// The records of a command whose other words aren't records. In a line, words that look like references continue
    /// the first one.
    static var records: Self {
        .record("record", help: recordsHelp, completing: .selection)
            .listed(while: WordTest("reference") { Reference.isLikely($0) })
    }
}
