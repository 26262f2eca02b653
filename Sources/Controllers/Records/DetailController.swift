public import ControllerKit
public import Notebook
internal import Records

/// Shows a record and edits it.
public final class DetailController: Controller {
    public typealias Screen = DetailScreen
    public let model = Model(DetailScreen.State())
    private let notebook: Notebook
    private let settings: Settings
    private var keys: [RecordKey] = []
    /// The texts that were shown last, as bases for the merge of an edited text.
    private var originals = EditableTexts()

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook, settings: Settings = Settings()) {
        (self.notebook, self.settings) = (notebook, settings)
    }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: DetailScreen.Intent) async throws {
        let isDraft = state.draft != nil
        (state.notice, state.draft) = (nil, nil)
        switch intent {
        case .show(let reference):
            let keys = try await notebook.keys(of: notebook.selection(reference))
            guard keys.count <= DetailScreen.maximumShown else {
                throw Failure(
                    .usage,
                    "“\(reference)” names \(keys.count) records; `show` shows at most \(DetailScreen.maximumShown). "
                        + "Use `list` to show them one per line.")
            }
            self.keys = keys
        case .edit(let reference, nil, nil, let words, nil, _) where words.isEmpty:
            try await showText(of: reference)
        case .edit(_, nil, nil, let words, let text?, _)
        where words.isEmpty && isDraft && text.allSatisfy(\.isWhitespace):
            // As with other programs, an empty text in the editor cancels.
            state.notice = "The text is empty, so nothing was changed. `rm` deletes a record."
        case .edit(let reference, nil, nil, let words, let text?, _) where words.isEmpty:
            try await apply(text, to: reference)
        case .edit(_, _, _, _, _?, _):
            throw Failure(.usage, "A text replaces the whole record, so nothing else can be given with it.")
        case .edit(let reference, let title, let body, let words, nil, let confirmed):
            try await checkSubstitution(reference, words)
            // Before the records are looked up: the first reference alone may be valid.
            try await checkTitle(
                reference, words,
                titleWords: Edit.titleWords(of: words, catalog: notebook.types.catalog, dates: notebook.dates))
            let edited = try await notebook.edit(
                notebook.selection(reference), words, title: title, body: body,
                approving: BulkChange.edit.approval(notebook.types, settings, confirmed: confirmed))
            show(edited, "Changed")
        case .annotate(let reference, let text, let confirmed):
            try await notebook.checkText(text, after: reference, of: "annotate")
            let annotated = try await notebook.annotate(
                notebook.selection(reference), text.joined(separator: " "),
                approving: BulkChange.annotate.approval(notebook.types, settings, confirmed: confirmed))
            show(annotated, "Annotated")
        }
        try await refresh()
    }

    public func refresh() async throws {
        let keys = keys
        var shown: [DetailScreen.State.Shown] = []
        for key in keys {
            guard let local = try await notebook.localRecord(key), !local.record.deleted else { continue }
            let relations = try await notebook.relations(of: local.record)
            shown.append(.init(local, relations, types: notebook.types, dates: notebook.dates))
        }
        // Other records may have been requested during the wait.
        guard keys == self.keys, !keys.isEmpty else { return }
        let gone = ([state.record].compactMap(\.self) + state.others).first { before in
            keys.contains { $0.id == before.id } && !shown.contains { $0.id == before.id }
        }
        if let gone { state.notice = "“\(gone.title)” has been deleted." }
        state.record = shown.first
        state.others = Array(shown.dropFirst())
    }

    /// Shows the record that was edited, or the number of several.
    private func show(_ edited: EditedRecords, _ done: String) {
        let all = edited.changed + edited.unchanged
        if all.count == 1 { keys = [all[0].key] }
        state.notice = edited.notice(done, notebook.types)
    }

    /// Puts the record's text into the state as a draft to be edited.
    ///
    /// - Throws: Always; `Failure` of category `usage`, which a view shows if it can't edit the draft.
    private func showText(of reference: String) async throws {
        let original: EditableText
        do { original = try await notebook.text(of: reference) } catch NotebookError.severalReferences(_, let count) {
            throw Self.changesMissing(reference, "\(count) records")
        } catch NotebookError.filterForOne(_) {
            throw Self.changesMissing(reference, "these records")
        }
        originals.add(original)
        state.draft = .init(record: original.key.id, text: original.text)
        throw Failure(
            .usage,
            "No change is given. Example: edit \(reference) --title \"Buy oat milk\"; at a terminal, "
                + "`edit \(reference)` alone opens your editor.")
    }

    /// Applies an edited text. A text that can't be read becomes the draft again, with the errors at the top.
    private func apply(_ text: String, to reference: String) async throws {
        do {
            let applied = try await notebook.apply(text, to: reference, originals: originals)
            keys = [applied.key]
            state.notice = applied.notice
        } catch let refused as RefusedText {
            state.draft = .init(record: reference, text: refused.text, problem: refused.message)
            throw Failure(.rejected, refused.message)
        }
    }

    private static func changesMissing(_ reference: String, _ records: String) -> Failure {
        Failure(
            .usage,
            "What should change in \(records)? Example: " + CommandWords.joined(["edit", reference, "priority:H"]))
    }

    /// Refuses `/from/to/`, which other programs replace in the title; here it would be the title.
    private func checkSubstitution(_ reference: String, _ words: [String]) async throws {
        guard let word = words.prefix(while: { $0 != "--" }).first(where: { $0.hasPrefix("/") && $0.count > 2 }),
            case let parts = word.split(separator: "/", omittingEmptySubsequences: false), parts.count == 4,
            ["", "g"].contains(parts[3]), !parts[1].isEmpty
        else { return }
        let record = try await notebook.localRecord(notebook.key(of: reference))?.record
        let title = record?[.title]?.replacing(parts[1], with: parts[2]) ?? String(parts[2])
        throw Failure(
            .usage,
            "`edit` doesn't substitute text, so “\(word)” was not applied. Nothing was changed. To replace the title, type: "
                + CommandWords.joined(["edit", reference, "--title", title]))
    }

    /// Refuses title words that all look like references to further records, as in `edit cafe 2 priority:H`. Otherwise
    /// the record would get the title "2".
    private func checkTitle(_ reference: String, _ words: [String], titleWords: [String]) async throws {
        // After `--` the words are a title without doubt; one word that isn't a reference makes all of them a title.
        guard !words.contains("--"), !titleWords.isEmpty, try await notebook.areReferences(titleWords) else { return }
        let changes = words.filter { !titleWords.contains($0) }
        let title = titleWords.joined(separator: " ")
        let several = ["edit", ([reference] + titleWords).joined(separator: ",")] + changes
        throw Failure(
            .usage,
            "Is “\(title)” the title, or are these records? Nothing was changed. To change all these records, type:\n    "
                + CommandWords.joined(several) + "\nTo change the title, type:\n    "
                + CommandWords.joined(["edit", reference, "--title", title] + changes))
    }
}

extension AppliedEdit {
    /// The message for the user.
    var notice: String {
        switch outcome {
        case .unchanged: "Nothing changed in “\(title)”."
        case .edited: "Changed “\(title)”."
        case .revived: "“\(title)” was deleted in the meantime; your edit restored it."
        case .merged(let conflicts):
            "Changed “\(title)”, which was also changed elsewhere; "
                + (conflicts.isEmpty
                    ? "both changes are kept."
                    : conflicts.joined(separator: " and ")
                        + (conflicts.count == 1 ? " has a conflict" : " have conflicts")
                        + ": see `conflicts`.")
        }
    }
}
