public import ControllerKit
public import Notebook
internal import Records

/// The screen of contexts: filters of which one applies to all lists and reports of the home.
public enum ContextScreen: Screen {
    public static let name = "context"
    public static let summary = "A filter that applies to all lists and reports of this home."

    /// The state that views show: all contexts.
    public struct State: ScreenState {
        /// The current context; nil: none.
        public var current: ActiveContext?
        /// All contexts, sorted by name.
        public var contexts: [Defined] = []
        public var notice: String?

        /// A context.
        public struct Defined: Codable, Equatable, Sendable {
            /// Its name.
            public var name: String
            /// The words of its filter.
            public var words: [String]
            /// Its filter, quoted as in a command.
            public var filter: String
        }

        public init() {}
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Show the contexts.
        case show
        /// Make a context the current one; nil: none.
        case use(String?)
        /// Store a filter under a name. A context of this name is replaced.
        case define(name: String, filter: [String])
        /// Delete contexts.
        case delete([String])
        /// Refuse words that have no meaning.
        case refuse([String])
    }

    /// The words with a meaning of their own after `context`; no context has such a name.
    public static let subcommands = ["define", "delete", "list", "none"]

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "context",
            .optional(.text("name", help: "A name, or \(subcommands.joined(separator: ", ")).", completing: .contexts)),
            .rest(
                .text(
                    "words", help: "After define: a name and a filter; after delete: names.",
                    completing: .contextWords)),
            help: "Show or change the filter that applies to all lists.", topics: ["filters"],
            examples: [
                Example("context", "Which contexts there are, and which one applies."),
                Example("context define house project:house", "Define a context by the words of a filter."),
                Example("context house", "From now on, lists and reports show its records, and `add` sets its values."),
                Example("context none", "Lists show all records again."),
                Example("context delete house", "Delete the context; records stay as they are."),
            ]
        ) { intent(of: $0, $1) },
        Verb(
            "contexts", traits: .readOnly, help: "List the contexts.",
            examples: [Example("contexts", "The names and the filters.")]
        ) { .show },
    ]

    /// Returns the intent of the words after `context`.
    static func intent(of name: String?, _ words: [String]) -> Intent {
        switch (name, words.first) {
        case (nil, nil), ("list", nil): .show
        case ("none", nil): .use(nil)
        case ("define", let name?): .define(name: name, filter: Array(words.dropFirst()))
        case ("delete", _?): .delete(words)
        case ("define", nil), ("delete", nil): .refuse([name].compactMap(\.self))
        case (let name?, nil): .use(name)
        case (_, _?): .refuse([name].compactMap(\.self) + words)
        }
    }
}

/// Shows and changes the contexts of the home.
public final class ContextController: Controller {
    public typealias Screen = ContextScreen
    public let model = Model(ContextScreen.State())
    private let notebook: Notebook

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: ContextScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .show: try await refresh()
        case .use(let name):
            try await notebook.useContext(name)
            try await refresh()
            state.notice =
                state.current.map { "Context \($0.name): lists show \($0.filter)" }
                ?? "No context: lists show all records."
        case .define(let name, let filter): try await define(name, filter)
        case .delete(let names):
            try await notebook.deleteContexts(names)
            try await refresh()
            state.notice = "Deleted: \(names.joined(separator: ", "))."
        case .refuse(let words): throw Self.refusal(of: words)
        }
    }

    public func refresh() async throws {
        let contexts = try await notebook.contexts()
        state.current = ActiveContext(contexts.current)
        state.contexts = contexts.defined.map {
            .init(name: $0.name, words: $0.words, filter: CommandWords.joined($0.words))
        }
    }

    private func define(_ name: String, _ filter: [String]) async throws {
        if ContextScreen.subcommands.contains(name.lowercased()) {
            throw Failure(.usage, "“\(name)” can't be the name of a context, since `context \(name)` is a command.")
        }
        if filter.isEmpty { throw Self.refusal(of: ["define", name]) }
        let before = try await notebook.defineContext(name, filter)
        try await refresh()
        let replaced = before.flatMap { $0.words == filter ? nil : " (before: \(CommandWords.joined($0.words)))" } ?? ""
        let isCurrent = state.current?.name.lowercased() == name.lowercased()
        state.notice =
            "Defined: \(name) is \(CommandWords.joined(filter))\(replaced)"
            + (isCurrent ? "" : ". `context \(name)` applies it.")
    }

    private static func refusal(of words: [String]) -> Failure {
        let usage = "Write `context define NAME FILTER`, `context delete NAME`, `context NAME` or `context none`."
        switch words.first {
        case "define" where words.count < 3: return Failure(.usage, "The name or the filter is missing. " + usage)
        case "delete" where words.count < 2: return Failure(.usage, "The name is missing. " + usage)
        default:
            return Failure(.usage, "“\(words.joined(separator: " "))” has no meaning after `context`. " + usage)
        }
    }
}
