public import ControllerKit
public import Notebook
internal import Records

/// The screen of saved filters, which `list @NAME` uses.
public enum SavedListsScreen: Screen {
    public static let name = "lists"
    public static let summary = "Saved filters."

    /// The state that views show: all saved filters.
    public struct State: ScreenState {
        /// The saved filters, sorted by name.
        public var lists: [Saved] = []
        public var notice: String?

        /// A saved filter.
        public struct Saved: Codable, Equatable, Sendable {
            /// Its name, without `@`.
            public var name: String
            /// Its words.
            public var words: [String]
            /// Its words as one text, quoted as in a command.
            public var filter: String
        }

        public init() {}
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// List the saved filters.
        case show
        /// Save a filter under a name. A filter that has this name is replaced.
        case save(name: String, filter: [String])
        /// Delete saved filters.
        case forget([String])
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "lists", traits: .readOnly, help: "List the saved filters.",
            examples: [Example("lists", "The names and the filters.")]
        ) { .show },
        Verb(
            "save", .text("name", help: "The name, for `list @NAME`.", completing: .lists),
            .rest(
                .text("filter", help: "The words of the filter, as for `list`.", completing: .filter), isRequired: true),
            answer: .notice,
            help: "Save a filter under a name.", topics: ["filters"],
            examples: [
                Example("save shopping +shop \"due<=eow\"", "The filter of `list @shopping`."),
                Example("save plumbing plumb pipe", "Records with both words."),
            ]
        ) { .save(name: $0, filter: $1) },
        Verb(
            "forget",
            .rest(
                .text("names", help: "Names of saved filters.", completing: .lists).listed(by: "lists"),
                isRequired: true),
            answer: .notice, help: "Delete saved filters. Records stay as they are.",
            examples: [Example("forget shopping", "Delete the saved filter shopping.")]
        ) { .forget($0) },
    ]
}

/// Lists, saves and deletes saved filters. They are records, so they sync (Records.docc/0003).
public final class SavedListsController: Controller {
    public typealias Screen = SavedListsScreen
    public let model = Model(SavedListsScreen.State())
    private let notebook: Notebook

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: SavedListsScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .show: break
        case .save(let name, let filter): try await save(Self.bare(name), filter)
        case .forget(let names): try await forget(names.map(Self.bare))
        }
        try await refresh()
    }

    public func refresh() async throws {
        state.lists = try await notebook.savedLists().map {
            .init(name: $0.name, words: $0.words, filter: CommandWords.joined($0.words))
        }
    }

    private func save(_ name: String, _ filter: [String]) async throws {
        let before = try await notebook.saveList(name, filter)
        let replaced = before.flatMap { $0.words == filter ? nil : " (before: \(CommandWords.joined($0.words)))" } ?? ""
        state.notice = "Saved: `list @\(name)` shows \(CommandWords.joined(filter))\(replaced)"
    }

    private func forget(_ names: [String]) async throws {
        try await notebook.forgetLists(names)
        state.notice = "Forgotten: \(names.map { "@" + $0 }.joined(separator: ", "))."
    }

    private static func bare(_ name: String) -> String { name.hasPrefix("@") ? String(name.dropFirst()) : name }
}
