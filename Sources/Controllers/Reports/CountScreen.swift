public import ControllerKit
public import Notebook
public import Records

/// The screen that counts records.
public enum CountScreen: Screen {
    public typealias Intent = ReportIntent
    public static let name = "count"
    public static let summary = "The number of records that a filter selects."
    public static let verbs: [Verb<Intent>] = CountScreen.verbs(for: .standard)

    /// The state that views show.
    public struct State: ScreenState {
        /// The filter as it was typed.
        public var filter = ""
        /// The context within which the records were counted; nil: none.
        public var context: ActiveContext?
        /// The number of records.
        public var count = 0
        public var notice: String?

        public var hasNoMatches: Bool { count == 0 }

        public init() {}
    }

    /// Returns the verbs of a program with these record types.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        let plurals = types.listedNames(\.plural, conjunction: "and")
        return [
            Verb(
                "count", .filter(of: types), traits: [.readOnly, .finds],
                help:
                    "Count the \(plurals) that `list` with the same words would show, or without words all open ones; "
                    + "`default-list` isn't used.", topics: ["filters"],
                examples: [
                    Example("count", "What is open."), Example("count overdue +shop", "What a filter selects."),
                    Example("count all", "Everything."),
                ]
            ) { .show(filter: $0) }
        ]
    }
}

/// Counts the records of a filter.
public final class CountController: Controller {
    public typealias Screen = CountScreen
    public let model = Model(CountScreen.State())
    private let notebook: Notebook
    /// The filter; nil: nothing was counted yet.
    private var filter: [String]?

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: ReportIntent) async throws {
        state.notice = nil
        switch intent {
        case .show(let filter): try await show(filter)
        }
    }

    public func refresh() async throws {
        if let filter { try await show(filter) }
    }

    private func show(_ words: [String]) async throws {
        filter = words
        let counted = try await notebook.count(words)
        // Another count was requested during the wait.
        guard filter == words else { return }
        state.filter = CommandWords.joined(words)
        (state.count, state.context) = (counted.count, ActiveContext(counted.context))
    }
}
