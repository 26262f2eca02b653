public import ControllerKit
public import Notebook
public import Records

/// The state of a report by project or by tag: the numbers of records of each.
public struct GroupingReportState: ScreenState {
    /// The filter as it was typed.
    public var filter = ""
    /// The context within which the records were counted; nil: none.
    public var context: ActiveContext?
    /// The projects or the tags, sorted by name; records without one are last.
    public var rows: [Row] = []
    /// The number of groups that `rows` omits because there are too many.
    public var hidden = 0
    /// The counts of all records, each counted once; its name is empty.
    public var all = Row()
    /// The name of the records that can't be completed: `notes`; empty: all can be.
    public var others = ""
    public var notice: String?

    /// A project or a tag with its counts.
    public struct Row: Codable, Equatable, Sendable {
        /// Its name: `home` or `home.garden`; empty: records without one.
        public var name = ""
        /// Its last level, which a view indents.
        public var lastLevel = ""
        /// The number of levels above it.
        public var level = 0
        /// The number of open records.
        public var open = 0
        /// The number of completed records.
        public var done = 0
        /// The number of open records whose deadline is past.
        public var overdue = 0
        /// The number of records that can't be completed.
        public var other = 0

        /// The completed share of the records that can be completed: 0 to 1; nil: there are none.
        public var completion: Double? { open + done == 0 ? nil : Double(done) / Double(open + done) }
    }

    public init() {}

    public var hasNoMatches: Bool { rows.isEmpty && hidden == 0 }
}

extension GroupingReportState.Row {
    init(_ counts: GroupCounts) {
        (name, lastLevel, level) = (counts.name, counts.lastLevel, counts.level)
        (open, done, overdue, other) = (counts.open, counts.done, counts.overdue, counts.other)
    }
}

/// The intents of a report. New cases may be added.
public enum ReportIntent: Sendable {
    /// Show the report of the records that match a filter.
    case show(filter: [String])
}

/// The screen of projects: the values of the field with the role `project`.
public enum ProjectsScreen: Screen {
    public typealias State = GroupingReportState
    public typealias Intent = ReportIntent
    public static let name = "projects"
    public static let summary = "The projects in use, with the numbers of their records."
    public static let verbs: [Verb<Intent>] = ProjectsScreen.verbs(for: .standard)

    /// Returns the verbs of a program; none without a field of the role `project`.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        guard let field = types.field(of: .project) else { return [] }
        let label = field.label.lowercased()
        return [
            Verb(
                "projects", .filter(of: types), traits: [.readOnly, .finds],
                help: "List each \(label) with the numbers of its records.", topics: ["filters"],
                namesElsewhere: ["lsprj", "listproj", "notebooks"],
                examples: [
                    Example("projects", "All of them; levels below others are indented."),
                    Example("projects +shop", "The numbers of the records with a tag."),
                ]
            ) { .show(filter: $0) }
        ]
    }
}

/// The screen of tags.
public enum TagsScreen: Screen {
    public typealias State = GroupingReportState
    public typealias Intent = ReportIntent
    public static let name = "tags"
    public static let summary = "The tags in use, with the numbers of their records."
    public static let verbs: [Verb<Intent>] = TagsScreen.verbs(for: .standard)

    /// Returns the verbs of a program; none without tags.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        guard types.field(of: .tags) != nil else { return [] }
        return [
            Verb(
                "tags", .filter(of: types), traits: [.readOnly, .finds],
                help: "List the tags with the numbers of their records.", topics: ["filters"],
                namesElsewhere: ["lsc", "listcon"],
                examples: [
                    Example("tags", "All of them."),
                    Example("tags project:house", "Those of one project."),
                ]
            ) { .show(filter: $0) }
        ]
    }
}

/// The screen of progress: the projects of records that can be completed, with their completed share.
public enum SummaryScreen: Screen {
    public typealias State = GroupingReportState
    public typealias Intent = ReportIntent
    public static let name = "summary"
    public static let summary = "The progress of each project."
    public static let verbs: [Verb<Intent>] = SummaryScreen.verbs(for: .standard)

    /// Returns the verbs of a program; none unless records that can be completed have a field of the role `project`.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        let completable = types.listedTypes.filter { $0.closing != nil }
        guard let field = completable.lazy.compactMap({ RecordGrouping.project.field(of: $0) }).first else { return [] }
        return [
            Verb(
                "summary", .filter(of: types), traits: [.readOnly, .finds],
                help: "Show what is open, done and overdue for each \(field.label.lowercased()).", topics: ["filters"],
                examples: [
                    Example("summary", "With a bar for the part that is done."),
                    Example("summary project:house", "One project and those below it."),
                ]
            ) { .show(filter: $0) }
        ]
    }
}

extension Argument where Value == [String] {
    /// The words of a filter after the name of a report.
    static func filter(of types: RecordTypes) -> Self {
        .rest(.text("filter", help: SampleWords(types).filter + " words …", completing: .filter))
    }
}

extension RecordTypes {
    /// Returns the first field of listed types by which records are grouped; nil: they have none.
    func field(of grouping: RecordGrouping) -> Field? {
        listedTypes.lazy.compactMap { grouping.field(of: $0) }.first
    }
}

/// Shows a report by project or by tag.
public final class GroupingReportController<Screen: ControllerKit.Screen>: Controller
where Screen.State == GroupingReportState, Screen.Intent == ReportIntent {
    public let model = Model(GroupingReportState())
    private let notebook: Notebook
    private let grouping: RecordGrouping
    private let onlyCompletable: Bool
    /// The filter of the report; nil: it wasn't read yet.
    private var filter: [String]?

    /// Creates a controller on a notebook.
    ///
    /// - Parameter onlyCompletable: Whether records that can't be completed are omitted.
    public init(_ notebook: Notebook, by grouping: RecordGrouping, onlyCompletable: Bool = false) {
        (self.notebook, self.grouping, self.onlyCompletable) = (notebook, grouping, onlyCompletable)
    }

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
        let report = try await notebook.groupingReport(by: grouping, words, onlyCompletable: onlyCompletable)
        // Another report was requested during the wait.
        guard filter == words else { return }
        var next = GroupingReportState()
        next.filter = CommandWords.joined(words)
        next.context = ActiveContext(report.context)
        next.rows = report.rows.map { GroupingReportState.Row($0) }
        next.hidden = report.hidden
        next.all = GroupingReportState.Row(report.all)
        next.others = others
        next.notice = state.notice
        state = next
    }

    /// The name of the records that can't be completed.
    private var others: String {
        if onlyCompletable { return "" }
        let types = notebook.types.listedTypes.filter { $0.closing == nil && grouping.field(of: $0) != nil }
        return types.count > 1 ? "others" : types.first?.plural ?? ""
    }
}
