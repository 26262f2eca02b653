public import ControllerKit
public import Notebook
public import Records

/// The screen of statistics: how many records were added and completed in each week.
public enum StatsScreen: Screen {
    public static let name = "stats"
    public static let summary = "How many records were added and completed in each week."
    public static let verbs: [Verb<Intent>] = StatsScreen.verbs(for: .standard)

    /// The state that views show.
    public struct State: ScreenState {
        /// The filter as it was typed.
        public var filter = ""
        /// The context within which the records were counted; nil: none.
        public var context: ActiveContext?
        /// The weeks. The current week is last.
        public var weeks: [Week] = []
        /// Whether there are records that can be completed.
        public var hasCompleted = false
        public var notice: String?

        /// A week.
        public struct Week: Codable, Equatable, Sendable {
            /// Its first day: `2026-11-23`.
            public var start: String
            /// The number of records that were added in it.
            public var added: Int
            /// The number of records that were completed in it.
            public var completed: Int
        }

        public init() {}

        public var hasNoMatches: Bool { weeks.allSatisfy { $0.added == 0 && $0.completed == 0 } }
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Show the numbers of the last weeks, for the records that match a filter.
        case show(filter: [String], weeks: Int?)
    }

    /// The default number of weeks.
    public static let weeksDefault = 12

    private static let namesElsewhere = [
        "report", "burndown", "burndown.daily", "burndown.weekly", "burndown.monthly", "ghistory", "ghistory.daily",
        "ghistory.weekly", "ghistory.monthly", "ghistory.annual", "history.daily", "history.weekly", "history.monthly",
        "history.annual",
    ]

    /// Returns the verbs of a program; none unless records have the time of their creation or completion.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        let roles = types.listedTypes.flatMap(\.catalog.fields).compactMap(\.role)
        guard roles.contains(.created) || roles.contains(.closed) else { return [] }
        let plurals = types.listedNames(\.plural, conjunction: "and")
        return [
            Verb(
                "stats", .filter(of: types),
                .option(
                    .integer(
                        "weeks", help: "Number of weeks; default \(weeksDefault), at most \(WeeklyReport.maximumWeeks)."
                    )),
                traits: [.readOnly, .finds], help: "Show how many \(plurals) were added and completed per week.",
                topics: ["filters"],
                namesElsewhere: namesElsewhere,
                examples: [
                    Example("stats", "The last \(weeksDefault) weeks."),
                    Example("stats +shop --weeks 52", "The last year of the records with a tag."),
                ]
            ) { .show(filter: $0, weeks: $1) }
        ]
    }
}

/// Counts records by weeks.
public final class StatsController: Controller {
    public typealias Screen = StatsScreen
    public let model = Model(StatsScreen.State())
    private let notebook: Notebook
    /// The last request; nil: there was none yet.
    private var request: Request?

    private struct Request: Equatable {
        let filter: [String]
        let weeks: Int
    }

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: StatsScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .show(let filter, let weeks):
            let weeks = weeks ?? StatsScreen.weeksDefault
            guard (1...WeeklyReport.maximumWeeks).contains(weeks) else {
                throw Failure(.usage, "The number of weeks must be 1 to \(WeeklyReport.maximumWeeks), not \(weeks).")
            }
            try await show(Request(filter: filter, weeks: weeks))
        }
    }

    public func refresh() async throws {
        if let request { try await show(request) }
    }

    private func show(_ asked: Request) async throws {
        request = asked
        let report = try await notebook.weeklyReport(asked.filter, weeks: asked.weeks)
        // Another report was requested during the wait.
        guard request == asked else { return }
        state.filter = CommandWords.joined(asked.filter)
        state.context = ActiveContext(report.context)
        state.weeks = report.weeks.map {
            .init(start: $0.start.description, added: $0.added, completed: $0.completed)
        }
        state.hasCompleted = notebook.types.listedTypes.contains { $0.closing != nil }
    }
}
