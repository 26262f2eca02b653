public import ControllerKit
public import Notebook
internal import Records

/// Shows a record and edits it.
public final class DetailController: Controller {
    public typealias Screen = DetailScreen
    public let model = Model(DetailScreen.State())
    private let notebook: Notebook
    private var key: RecordKey?
    /// The texts that were shown last, as bases for the merge of an edited text.
    private var originals = EditableTexts()

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: DetailScreen.Intent) async throws {
        (state.notice, state.draft) = (nil, nil)
        switch intent {
        case .show(let reference): key = try await notebook.key(of: reference)
        case .edit(let reference, nil, nil, let words, nil) where words.isEmpty:
            try await showText(of: reference)
        case .edit(let reference, nil, nil, let words, let text?) where words.isEmpty:
            try await apply(text, to: reference)
        case .edit(_, _, _, _, _?):
            throw Failure(.usage, "A text replaces the whole record, so nothing else can be given with it.")
        case .edit(let reference, let title, let body, let words, nil):
            try await edit(reference, title: title, body: body, words: words)
        case .annotate(let reference, let text):
            show(try await notebook.annotate(reference, text.joined(separator: " ")), "Annotated")
        }
        try await refresh()
    }

    public func refresh() async throws {
        guard let key else { return }
        let local = try await notebook.localRecord(key)
        // Another record may have been requested during the wait.
        guard key == self.key else { return }
        let record = local.flatMap {
            $0.record.deleted ? nil : DetailScreen.State.Shown($0, types: notebook.types, dates: notebook.dates)
        }
        if record == nil, let gone = state.record { state.notice = "“\(gone.title)” has been deleted." }
        state.record = record
    }

    private func edit(_ reference: String, title: String?, body: String?, words: [String]) async throws {
        // Before the record is looked up: the first reference alone may be valid.
        try Self.checkSingle(
            reference, words, titleWords: Edit.titleWords(of: words, catalog: notebook.types.catalog))
        show(try await notebook.edit(reference, words, title: title, body: body), "Changed")
    }

    private func show(_ edited: EditedRecord, _ done: String) {
        key = edited.key
        state.notice =
            edited.hasChanged
            ? "\(done) “\(edited.title)”." : "Nothing to change: “\(edited.title)” already has these values."
    }

    /// Puts the record's text into the state as a draft to be edited.
    ///
    /// - Throws: Always; `Failure` of category `usage`, which a view shows if it can't edit the draft.
    private func showText(of reference: String) async throws {
        let original = try await notebook.text(of: reference)
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
            key = applied.key
            state.notice = applied.notice
        } catch let refused as RefusedText {
            state.draft = .init(record: reference, text: refused.text, problem: refused.message)
            throw Failure(.rejected, refused.message)
        }
    }

    /// Refuses a list of records, and title words that look like references to further records, as in
    /// `edit 1 2 3 priority:H`. Otherwise record 1 would get the title "2 3".
    private static func checkSingle(_ reference: String, _ words: [String], titleWords: [String]) throws {
        // After `--` the words are a title without doubt; one word that is no reference makes all of them a title.
        let more = words.contains("--") || !titleWords.allSatisfy(Reference.isLikely) ? [] : titleWords
        var references: [String] = []
        for word in [reference] + more { references += try Reference.several(word) ?? [word] }
        guard references.count > 1 else { return }
        let changes = words.filter { !more.contains($0) }
        let command = { (words: [String]) in "\n    " + CommandWords.joined(["edit"] + words + changes) }
        let lines = references.prefix(mostNamed).map { command([$0]) }
        let rest = references.count > mostNamed ? "\n    … and so on for \(references.count - mostNamed) more" : ""
        let title = more.joined(separator: " ")
        let retitling =
            more.isEmpty ? "" : "\nIf “\(title)” is the new title, type:" + command([reference, "--title", title])
        throw Failure(
            .usage,
            "`edit` changes one record at a time. Nothing was changed. Type one command for each:" + lines.joined()
                + rest + retitling)
    }

    /// The maximum number of commands in a message.
    private static let mostNamed = 5
}

extension AppliedEdit {
    /// The message for the user.
    fileprivate var notice: String {
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
