public import ControllerKit
internal import LocalStore
internal import Records
internal import struct Records.Record

/// One record, whole.
public enum DetailScreen: Screen {
    public static let name = "detail"
    public static let summary = "One task or note, whole."

    /// What a view shows.
    public struct State: ScreenState {
        /// The record that is shown; nil before the first `show`.
        public var record: Shown?
        public var notice: String?

        /// A record as a view shows it. Times are RFC 3339 in UTC.
        public struct Shown: Codable, Equatable, Sendable {
            /// Its id, whole.
            public var id: String
            /// Its collection: `tasks`, `notes`, or one that this version doesn't know.
            public var collection: String
            /// What it is about; a task's description.
            public var title: String
            /// Its text; nil where it has none.
            public var body: String?
            /// The other fields by name, but what an import and a series of repeats remember; texts as they are, lists of them with commas,
            /// anything else as JSON.
            public var fields: [Field]
            /// The remarks on it.
            public var annotations: [Remark]
            /// Its version on the server; 0: it isn't there yet.
            public var version: Int64
            /// Whether it has edits that the server hasn't acknowledged.
            public var isUnsent: Bool
            /// Why the server refused it, if it did.
            public var rejection: String?
            /// When it was last edited, and on which device.
            public var editedAt: String?
            /// That device's id.
            public var editedBy: String?
        }

        /// A field's name and value.
        public struct Field: Codable, Equatable, Sendable {
            /// The field's name as on the wire.
            public var name: String
            /// What is shown of it.
            public var value: String
        }

        /// A remark on a task.
        public struct Remark: Codable, Equatable, Sendable {
            /// When it was made.
            public var at: String
            /// What it says.
            public var text: String
        }

        public init() {}
    }

    /// What a person can do; records are named by number or id.
    public enum Intent: Sendable {
        /// Show this record.
        case show(String)
        /// Change a record: `words` are those of `add`.
        case edit(String, title: String?, body: String?, words: [String])
        /// Add a remark.
        case annotate(String, text: [String])
    }

    public static let verbs: [Verb<Intent>] = [
        Verb("show", .record("record"), help: "Show a record, whole.") { .show($0) },
        Verb(
            "edit", .record("record"), .option(.text("title", help: "The new title.")),
            .option(.contents("body", help: "The file with the new body; - is the standard input.")),
            .rest(
                .text(
                    "words", help: "As with add: +tag -tag due:friday due: (removes) … or a new title.",
                    completing: .words)),
            answer: .notice, help: "Change a record."
        ) { .edit($0, title: $1, body: $2, words: $3) },
        Verb(
            "annotate", .record("record"), .rest(.text("text"), isRequired: true), answer: .notice,
            help: "Add a remark to a record, with the time."
        ) { .annotate($0, text: $1) },
    ]
}

/// Shows a record and changes it.
public final class DetailController: Controller {
    public typealias Screen = DetailScreen
    public let model = Model(DetailScreen.State())
    private let services: Services
    private var key: RecordKey?

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: DetailScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .show(let reference):
            let terminal = services.terminal
            key = try await services.store.read { try $0.resolve(reference, terminal: terminal) }
        case .edit(let reference, let title, let body, let words):
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
        let record = cached.flatMap { $0.record.deleted ? nil : DetailScreen.State.Shown($0) }
        if record == nil, let gone = state.record { state.notice = "“\(gone.title)” has been deleted." }
        state.record = record
    }

    private func edit(_ reference: String, title: String?, body: String?, words: [String]) async throws {
        if title == nil, body == nil, words.isEmpty {
            throw Failure(.usage, "What shall change? For instance: edit 3 --title \"Buy oat milk\" due:friday +shop")
        }
        let edit = try services.edit(words, title: title, body: body)
        try await change("edit", reference, "Changed") { edit.patch(for: $0) }
    }

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
        _ patch: @escaping @Sendable (JSONObject) -> JSONObject
    ) async throws {
        let terminal = services.terminal
        let (changed, before, after) = try await services.store.command(command) { cache in
            let key = try cache.resolve(reference, terminal: terminal)
            let before = try cache.cached(key)?.record.fields ?? [:]
            return (key, before, try cache.checkedEdit(key, patch(before)).fields)
        }
        key = changed
        let title = after["title"]?.string ?? changed.id
        state.notice = after == before ? "Nothing changed in “\(title)”: it was so already." : "\(done) “\(title)”."
    }
}

extension DetailScreen.State.Shown {
    init(_ cached: CachedRecord) {
        let record = cached.record
        let notAmongFields = TaskRecord.RepeatField.inner.union([
            "title", "body", "annotations", Record.importMarkField,
        ])
        let latest = record.clock.latest
        self.init(
            id: record.key.id, collection: record.key.collection, title: record.fields["title"]?.string ?? "",
            body: record.fields["body"]?.string,
            fields: record.fields.sortedNames.filter { !notAmongFields.contains($0) }.map {
                .init(name: $0, value: record.fields[$0].map(Self.text) ?? "")
            },
            annotations: TaskRecord(fields: record.fields).annotations.map {
                .init(at: $0.entry.description, text: $0.description)
            },
            version: cached.seen?.version ?? 0, isUnsent: cached.pending != nil,
            rejection: cached.pending?.rejection?.reason,
            editedAt: latest.map { Timestamp(seconds: Int64($0.milliseconds / 1_000)).description },
            editedBy: latest?.device)
    }

    /// A value as people read it: a text as it is, a list of texts with commas, anything else as JSON.
    private static func text(_ value: JSONValue) -> String {
        if let texts = value.array?.compactMap(\.string), texts.count == value.array?.count {
            return texts.joined(separator: ", ")
        }
        return value.string ?? value.text
    }
}
