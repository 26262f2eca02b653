public import ControllerKit
public import Notebook
internal import Records
internal import struct Records.Record

/// Adds notes, and changes the texts of records.
public final class NotesController: Controller {
    public typealias Screen = NotesScreen
    public let model = Model(NotesScreen.State())
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

    public func handle(_ intent: NotesScreen.Intent) async throws {
        (state.notice, state.draft, state.changed) = (nil, nil, [])
        switch intent {
        case .add(let note, let opensEditor): try await add(note, opensEditor: opensEditor)
        case .today(let words, let text, let opensEditor):
            try await today(try Self.text(words, text, for: "today"), opensEditor: opensEditor)
        case .append(let reference, let words, let text):
            try await add(words, text, to: reference, at: .end, "append", "Appended to")
        case .prepend(let reference, let words, let text):
            try await add(words, text, to: reference, at: .start, "prepend", "Prepended to")
        case .check(let reference, let numbers): try await check(reference, numbers)
        case .pin(let words, let confirmed):
            let pinned = try await notebook.pin(
                .words(words), approving: BulkChange.pin.approval(notebook.types, settings, confirmed: confirmed))
            report(pinned, "Pinned", already: "pinned")
        case .unpin(let words, let confirmed):
            let unpinned = try await notebook.pin(
                .words(words), false, command: "unpin",
                approving: BulkChange.unpin.approval(notebook.types, settings, confirmed: confirmed))
            report(unpinned, "Unpinned", already: "unpinned")
        }
    }

    public func refresh() async throws {}

    // MARK: Notes

    private func add(_ note: NotesScreen.NewNote, opensEditor: Bool) async throws {
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
            throw Failure(.usage, "The note is edited first. Without an editor: note TITLE --body-file FILE")
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
                : "The note of today is “\(edited.title)”: show \"\(edited.title)\""
        }
    }

    /// Makes the note of a day the draft.
    private func showToday(_ note: Record?, _ day: CalendarDay) async throws {
        if let note {
            let original = try await notebook.text(of: note.key.id)
            originals.add(original)
            state.draft = .init(text: original.text)
        } else {
            state.draft = .init(text: NoteText(title: day.description, body: nil).editable)
        }
        throw Failure(.usage, "The note is edited first. Without an editor: today TEXT")
    }

    /// Returns the body in the text of a new note of a day, without the heading that the draft had.
    private static func body(of text: String, _ day: CalendarDay) -> String? {
        let note = NoteText(text)
        return note.title == day.description ? note.body : text
    }

    // MARK: Texts

    private func add(
        _ words: [String], _ text: String?, to reference: String, at end: TextEnd, _ command: String, _ done: String
    ) async throws {
        guard let text = try Self.text(words, text, for: command) else {
            throw Failure(.usage, "Which text? Example: \(command) \(CommandWords.joined([reference])) Ask for a quote")
        }
        let edited = try await notebook.add(text: text, to: reference, at: end, command: command)
        state.changed = [edited.key.id]
        state.notice = "\(done) “\(edited.title)”."
    }

    private func check(_ reference: String, _ typed: [String]) async throws {
        var numbers: Set<Int> = []
        for word in typed.flatMap({ $0.split(separator: ",") }) {
            guard let number = Int(word), number > 0 else {
                throw Failure(.usage, "“\(word)” isn't the number of a check box. Example: check 2 1 3")
            }
            numbers.insert(number)
        }
        if numbers.isEmpty { throw Failure(.usage, "Which check boxes? Example: check 2 1 3") }
        let toggled = try await notebook.toggleCheckBoxes(numbers, in: reference)
        let checked = toggled.boxes.count(where: \.isChecked)
        state.changed = [toggled.record.key.id]
        state.notice = "“\(toggled.record.titleOrID)”: \(checked) of \(toggled.boxes.count) checked."
    }

    /// Returns the text in words or in a file; nil: there is none.
    private static func text(_ words: [String], _ text: String?, for command: String) throws -> String? {
        if !words.isEmpty, text != nil {
            throw Failure(.usage, "The text of `\(command)` is given twice. Leave one out.")
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
