import ControllerKit
import Controllers
import LocalStore
import Records

extension RecordType {
    /// Bookmarks: two devices' tags are united, their notes merged line by line. Of the other fields (`title`, `url`) the
    /// later edit stays, and both are in `conflicts`.
    public static let bookmark = RecordType(
        collection: "bookmarks", names: ["bookmark", "bookmarks"],
        fields: [
            Field(.title, kind: .title, place: .form), Field(FieldKey<String>("url"), label: "Address"), Field(.tags),
            Field(FieldKey<String>("notes"), kind: .text),
        ])
}

public enum BookmarksScreen: Screen {
    public static let name = "bookmarks"
    public static let summary = "Pages to come back to."

    public struct State: ScreenState {
        public struct Row: Codable, Equatable, Sendable {
            public var number: Int
            public var title: String
            public var url: String
            public var tags: [String]
            public var notes: String?
        }
        public var rows: [Row] = []
        public var notice: String?
    }

    public enum Intent: Sendable {
        case list
        case keep(title: String, url: String, tags: [String])
        case change(Int, url: String?, notes: String?, tag: String?)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb("bookmarks", help: "List the bookmarks.") { .list },
        Verb("bookmark", .text("title"), .text("url"), .rest(.text("tags")), answer: .notice, help: "Keep a page.") {
            .keep(title: $0, url: $1, tags: $2)
        },
        Verb(
            "rebookmark", .integer("number"), .option(.text("url")), .option(.text("notes")), .option(.text("tag")),
            answer: .notice, help: "Change a bookmark: its number in the list."
        ) { .change($0, url: $1, notes: $2, tag: $3) },
    ]
}

public final class BookmarksController: Controller {
    public typealias Screen = BookmarksScreen
    public let model = Model(BookmarksScreen.State())
    private let services: Services
    /// The records behind the rows.
    private var keys: [RecordKey] = []

    public init(_ services: Services) { self.services = services }

    /// What other devices change is shown by itself.
    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: BookmarksScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .list: break
        case .keep(let title, let url, let tags):
            let key = RecordKey(collection: RecordType.bookmark.collection, id: services.makeID())
            try await edit(key, ["title": .string(title), "url": .string(url), "tags": tags.json])
            state.notice = "Kept “\(title)”."
        case .change(let number, let url, let notes, let tag):
            guard keys.indices.contains(number - 1) else {
                throw Failure(.notFound, "There is no bookmark \(number). See `bookmarks`.")
            }
            var patch: JSONObject = [:]
            if let url { patch["url"] = .string(url) }
            if let notes { patch["notes"] = .string(notes) }
            if let tag { patch["tags"] = (state.rows[number - 1].tags + [tag]).json }
            try await edit(keys[number - 1], patch)
            state.notice = "Changed “\(state.rows[number - 1].title)”."
        }
        try await refresh()
    }

    public func refresh() async throws {
        let records = try await services.store.read { try $0.records(in: [RecordType.bookmark.collection]) }
            .sorted { ($0.fields["title"]?.string ?? "", $0.key.id) < ($1.fields["title"]?.string ?? "", $1.key.id) }
        keys = records.map(\.key)
        state.rows = records.enumerated().map { .init(number: $0 + 1, fields: $1.fields) }
    }

    /// One command of the person: one step for `undo`, and what the next sync sends.
    private func edit(_ key: RecordKey, _ patch: JSONObject) async throws {
        try await services.store.command("bookmark") { _ = try $0.edit(key, patch) }
    }
}

extension BookmarksScreen.State.Row {
    fileprivate init(number: Int, fields: JSONObject) {
        self.number = number
        title = fields["title"]?.string ?? ""
        url = fields["url"]?.string ?? ""
        tags = fields["tags"]?.array?.compactMap(\.string) ?? []
        notes = fields["notes"]?.string
    }
}

extension [String] {
    fileprivate var json: JSONValue { .array(map(JSONValue.string)) }
}
