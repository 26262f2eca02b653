public import ControllerKit
public import Notebook
internal import Records
internal import struct Records.Record

/// Adds notes, and changes the texts of records.
public final class WritingController: Controller {
    public typealias Screen = WritingScreen
    public let model = Model(WritingScreen.State())
    private let notebook: Notebook
    private let settings: Settings
    private let notices: ListNotices
    /// The texts of existing notes that became drafts last, as bases for the merge of an edited text.
    private var originals = EditableTexts()

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook, settings: Settings = Settings()) {
        (self.notebook, self.settings) = (notebook, settings)
        notices = ListNotices(notebook)
    }

    public func handle(_ intent: WritingScreen.Intent) async throws {
        (state.notice, state.draft, state.changed) = (nil, nil, [])
        switch intent {
        case .add(let note, let opensEditor): try await add(note, opensEditor: opensEditor)
        case .today(let words, let text, let opensEditor):
            try await today(try Self.text(words, text, for: "today"), opensEditor: opensEditor)
        case .append(let reference, let words, let text, let confirmed):
            try await add(words, text, to: reference, at: .end, .append, confirmed: confirmed)
        case .prepend(let reference, let words, let text, let confirmed):
            try await add(words, text, to: reference, at: .start, .prepend, confirmed: confirmed)
        case .check(let reference, let numbers, let confirmed):
            try await check(reference, numbers, confirmed: confirmed)
        case .pin(let words, let confirmed):
            let pinned = try await notebook.setPinned(
                true, .words(words), command: "pin",
                approving: BulkChange.pin.approval(notebook.types, settings, confirmed: confirmed))
            report(pinned, "Pinned", already: "pinned")
        case .unpin(let words, let confirmed):
            let unpinned = try await notebook.setPinned(
                false, .words(words), command: "unpin",
                approving: BulkChange.unpin.approval(notebook.types, settings, confirmed: confirmed))
            report(unpinned, "Unpinned", already: "unpinned")
        }
    }

    public func refresh() async throws {}

    // MARK: Notes

    private func add(_ note: WritingScreen.NewNote, opensEditor: Bool) async throws {
        if note.text != nil, note.body != nil {
            throw Failure(.usage, "A text contains the whole note, so no body can be given with it.")
        }
        let catalog = notebook.types.catalog(for: Self.type.collection)
        let edit = try Edit(note.words, dates: notebook.dates, catalog: catalog)
        let title = edit.fields[.title]
        let typed = note.body ?? edit.fields[.body]
        let isTyped = note.text != nil || typed != nil
        let template = isTyped ? nil : try await filled(note.template, title: title ?? "")
        let draft = NoteText(title: title, body: typed ?? template)
        if let text = note.text {
            try await add(NoteText(text), note.words)
        } else if opensEditor, typed == nil {
            state.draft = .init(text: draft.editable)
            throw Failure(
                .usage, "The note opens in an editor, but none is available here. Type: note TITLE --body-file FILE")
        } else if title == nil {
            throw Failure(.usage, "The title is missing. Example: note Garden plan --body-file plan.txt")
        } else {
            try await add(draft, note.words)
        }
    }

    /// Adds a note with a title and a body, and the other fields of words.
    private func add(_ text: NoteText, _ words: [String]) async throws {
        guard let title = text.title else {
            // As with other programs, an empty text in the editor cancels.
            state.notice = "The text is empty, so no note was added."
            return
        }
        let added = try await notebook.addNote(words, title: title, body: text.body)
        state.changed = [added.key.id]
        state.notice = notices.added(added, Self.type, words)
    }

    /// Returns the body of a template with the title and the day; nil: no template is named.
    private func filled(_ template: String?, title: String) async throws -> String? {
        guard let template else { return nil }
        let body = try await notebook.template(template)
        return NoteText.filled(body, title: title, day: notebook.today.description)
    }

    private func today(_ text: String?, opensEditor: Bool) async throws {
        let day = notebook.today
        let note = try await notebook.dailyNote(day)
        if opensEditor, text == nil {
            try await showToday(note, day)
        } else if let note, let text, RecordForm.isWhole(text) {
            do {
                let applied = try await notebook.apply(text, to: note.key.id, originals: originals)
                state.changed = [applied.key.id]
                state.notice = applied.notice
            } catch let refused as RefusedText {
                state.draft = .init(text: refused.text, problem: refused.message)
                throw Failure(.rejected, refused.message)
            }
        } else if let text, text.allSatisfy(\.isWhitespace) {
            // As with other programs, an empty text in the editor cancels.
            state.notice = "The text is empty, so nothing was changed."
        } else {
            let added = text.flatMap { note == nil ? Self.body(of: $0, day) : $0 }
            let edited = try await notebook.addDaily(day, text: added)
            state.changed = edited.hasChanged ? [edited.key.id] : []
            state.notice =
                edited.hasChanged
                ? (edited.before.isEmpty ? "Added note “\(edited.title)”." : "Appended to “\(edited.title)”.")
                : "Today's note is “\(edited.title)”. Type: show \"\(edited.title)\""
        }
    }

    /// Makes the daily note the draft.
    private func showToday(_ note: Record?, _ day: CalendarDay) async throws {
        if let note {
            let original = try await notebook.text(of: note.key.id)
            originals.add(original)
            state.draft = .init(text: original.text)
        } else {
            state.draft = .init(text: NoteText(title: day.description, body: nil).editable)
        }
        throw Failure(.usage, "The note opens in an editor, but none is available here. Type: today TEXT")
    }

    /// Returns the body in the text of a new daily note, without the heading that the draft had.
    private static func body(of text: String, _ day: CalendarDay) -> String? {
        let note = NoteText(text)
        return note.title == day.description ? note.body : text
    }

    // MARK: Texts

    private func add(
        _ words: [String], _ text: String?, to reference: String, at position: TextPosition, _ change: BulkChange,
        confirmed: GivenConfirmation
    ) async throws {
        let command = position == .end ? "append" : "prepend"
        guard let text = try Self.text(words, text, for: command) else {
            throw Failure(
                .usage, "The text is missing. Example: \(command) \(CommandWords.joined([reference])) Ask for a quote")
        }
        try await notebook.checkText(words, after: reference, of: command)
        let edited = try await notebook.add(
            text: text, to: notebook.selection(reference), at: position, command: command,
            approving: change.approval(notebook.types, settings, confirmed: confirmed))
        state.changed = edited.changed.map(\.key.id)
        state.notice = edited.notice(position == .end ? "Appended to" : "Prepended to", notebook.types)
    }

    private func check(_ reference: String, _ typed: [String], confirmed: GivenConfirmation) async throws {
        var numbers: Set<Int> = []
        for word in typed.flatMap({ $0.split(separator: ",") }) {
            guard let number = Int(word), number > 0 else {
                throw Failure(.usage, "“\(word)” isn't the number of a check box. Example: check 2 1 3")
            }
            numbers.insert(number)
        }
        if numbers.isEmpty { throw Failure(.usage, "The numbers of the check boxes are missing. Example: check 2 1 3") }
        let toggled = try await notebook.toggleCheckBoxes(
            numbers, in: notebook.selection(reference),
            approving: BulkChange.check.approval(notebook.types, settings, confirmed: confirmed))
        state.changed = toggled.map(\.record.key.id)
        let boxes = toggled.flatMap(\.boxes)
        let records = toggled.map(\.record)
        let subject = records.count == 1 ? "“\(records[0].titleOrID)”" : notebook.types.counted(records)
        state.notice = "\(subject): \(boxes.count(where: \.isChecked)) of \(boxes.count) checked."
    }

    /// Returns the text in words or in a file; nil: there is none.
    private static func text(_ words: [String], _ text: String?, for command: String) throws -> String? {
        if !words.isEmpty, text != nil {
            throw Failure(.usage, "The text of `\(command)` is given twice: as words and as --text. Leave one out.")
        }
        return text ?? (words.isEmpty ? nil : words.joined(separator: " "))
    }

    private func report(_ edited: EditedRecords, _ done: String, already: String) {
        state.changed = edited.changed.map(\.key.id)
        state.notice =
            edited.changed.isEmpty
            ? "Nothing to change: \(notices.already(already, edited.unchanged))."
            : "\(done): \(notices.name(of: edited.changed))."
    }

    private static var type: RecordType { NoteRecord.type }
}

/// The form of a whole record as text.
private enum RecordForm {
    /// Returns whether a text has this form: it begins with the line above the fields.
    static func isWhole(_ text: String) -> Bool {
        let first = text.prefix { !$0.isNewline }
        // `hasSuffix`: some editors put a byte order mark at the beginning.
        return first.hasSuffix("---") && first.count <= 4
    }
}
