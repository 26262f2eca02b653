import ControllerKit
import Controllers
import Notebook
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
    private let notebook: Notebook

    public init(_ notebook: Notebook) { self.notebook = notebook }

    /// Shows what other devices change.
    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: BookmarksScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .list: break
        case .keep(let title, let url, let tags):
            let key = RecordKey(collection: RecordType.bookmark.collection, id: notebook.makeID())
            try await notebook.command("bookmark") { records in
                try records.edit(key, ["title": .string(title), "url": .string(url), "tags": tags.json])
            }
            state.notice = "Kept “\(title)”."
        case .change(let number, let url, let notes, let tag):
            let changed = try await notebook.edit(["\(number)"], command: "rebookmark") { bookmark in
                var patch: JSONObject = [:]
                if let url { patch["url"] = .string(url) }
                if let notes { patch["notes"] = .string(notes) }
                // The tags of the record as it is now, which a sync may have changed.
                if let tag { patch["tags"] = ((bookmark[.tags] ?? []) + [tag]).json }
                return patch
            }
            state.notice = "Changed “\(changed.first?.titleOrID ?? "")”."
        }
        try await refresh()
    }

    public func refresh() async throws {
        state.rows = try await notebook.list(["bookmark"]).rows.map { .init(number: $0.number, $0.record) }
    }
}

extension BookmarksScreen.State.Row {
    fileprivate init(number: Int, _ bookmark: Record) {
        self.number = number
        title = bookmark.titleOrID
        url = bookmark.fields["url"]?.string ?? ""
        tags = bookmark[.tags] ?? []
        notes = bookmark.fields["notes"]?.string
    }
}

extension [String] {
    fileprivate var json: JSONValue { .array(map(JSONValue.string)) }
}
