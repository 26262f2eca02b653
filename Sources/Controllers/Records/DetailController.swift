public import ControllerKit
internal import LocalStore
internal import Records

/// Shows a record and changes it.
public final class DetailController: Controller {
    public typealias Screen = DetailScreen
    public let model = Model(DetailScreen.State())
    let services: Services
    private var key: RecordKey?
    /// The texts that were offered last.
    var offers = OfferedTexts()

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: DetailScreen.Intent) async throws {
        (state.notice, state.draft) = (nil, nil)
        switch intent {
        case .show(let reference):
            let terminal = services.terminal
            key = try await services.store.read { try $0.resolve(reference, terminal: terminal) }
        case .edit(let reference, nil, nil, let words, nil) where words.isEmpty: try await offer(reference)
        case .edit(let reference, nil, nil, let words, let text?) where words.isEmpty:
            try await take(text, of: reference)
        case .edit(_, _, _, _, _?):
            throw Failure(.usage, "A text replaces the whole record, so nothing else can be given with it.")
        case .edit(let reference, let title, let body, let words, nil):
            try await edit(reference, title: title, body: body, words: words)
        case .annotate(let reference, let text):
            try await annotate(reference, text.joined(separator: " "))
        }
        try await refresh()
    }

    public func refresh() async throws {
        guard let key else { return }
        let cached = try await services.store.read { try $0.cached(key) }
        // Another record may have been asked for meanwhile.
        guard key == self.key else { return }
        let record = cached.flatMap { $0.record.deleted ? nil : DetailScreen.State.Shown($0, types: services.types) }
        if record == nil, let gone = state.record { state.notice = "“\(gone.title)” has been deleted." }
        state.record = record
    }

    /// Has this record shown from the next refresh on.
    func show(_ key: RecordKey) { self.key = key }

    private func edit(_ reference: String, title: String?, body: String?, words: [String]) async throws {
        let edit = try services.edit(words, title: title, body: body)
        try Self.checkSingle(reference, words, titleWords: edit.words.titleWords)
        try await change("edit", reference, "Changed") { try edit.patch(for: $0) }
    }

    /// Refuses a list of records, and title words that look like references to further records: `edit 1 2 3 priority:H`.
    private static func checkSingle(_ reference: String, _ words: [String], titleWords: [String]) throws(Failure) {
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

    /// How many commands a refusal spells out.
    private static let mostNamed = 5

    private func annotate(_ reference: String, _ text: String) async throws {
        if text.allSatisfy(\.isWhitespace) { throw Failure(.usage, "The remark is empty: give it some text.") }
        let now = services.timestamp
        try await change("annotate", reference, "Annotated") { fields in
            var task = TaskRecord(fields: fields)
            task.annotate(text, at: now)
            return task.fields.patch(from: fields)
        }
    }

    /// Finds the record and changes it in one transaction, so that it is still there when it is changed.
    private func change(
        _ command: String, _ reference: String, _ done: String,
        _ patch: @escaping @Sendable (JSONObject) throws -> JSONObject
    ) async throws {
        let terminal = services.terminal
        let (changed, before, after) = try await services.store.command(command) { cache in
            let key = try cache.resolve(reference, terminal: terminal)
            let before = try cache.cached(key)?.record.fields ?? [:]
            return (key, before, try cache.checkedEdit(key, try patch(before)).fields)
        }
        show(changed)
        let title = after[.title] ?? changed.id
        state.notice = after == before ? "Nothing to change in “\(title)”." : "\(done) “\(title)”."
    }
}
