public import ControllerKit
public import Notebook
public import Records

/// The state of a report by label: the numbers of records of each project, or of each tag.
public struct LabelReportState: ScreenState {
    /// The filter as it was typed.
    public var filter = ""
    /// The context within which the records were counted; nil: none.
    public var context: ActiveContext?
    /// The labels, sorted; records without one are last.
    public var rows: [Row] = []
    /// The number of labels that `rows` omits because there are too many.
    public var hidden = 0
    /// The counts of all records, each counted once; its name is empty.
    public var all = Row()
    /// The name of the records that can't be completed: `notes`; empty: all can be.
    public var others = ""
    public var notice: String?

    /// A label with its counts.
    public struct Row: Codable, Equatable, Sendable {
        /// The label: `home` or `home.garden`; empty: records without one.
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

extension LabelReportState.Row {
    init(_ counts: LabelCounts) {
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
    public typealias State = LabelReportState
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
    public typealias State = LabelReportState
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
    public typealias State = LabelReportState
    public typealias Intent = ReportIntent
    public static let name = "summary"
    public static let summary = "The progress of each project."
    public static let verbs: [Verb<Intent>] = SummaryScreen.verbs(for: .standard)

    /// Returns the verbs of a program; none unless records that can be completed have a field of the role `project`.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        let completable = types.listedTypes.filter { $0.closing != nil }
        guard let field = completable.lazy.compactMap({ RecordLabel.project.field(of: $0) }).first else { return [] }
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
    /// Returns the first field with a label of listed records; nil: they have none.
    func field(of label: RecordLabel) -> Field? { listedTypes.lazy.compactMap { label.field(of: $0) }.first }
}

/// Shows a report by label.
public final class LabelReportController<Screen: ControllerKit.Screen>: Controller
where Screen.State == LabelReportState, Screen.Intent == ReportIntent {
    public let model = Model(LabelReportState())
    private let notebook: Notebook
    private let label: RecordLabel
    private let onlyCompletable: Bool
    /// The filter of the report; nil: it wasn't read yet.
    private var filter: [String]?

    /// Creates a controller on a notebook.
    ///
    /// - Parameter onlyCompletable: Whether records that can't be completed are omitted.
    public init(_ notebook: Notebook, by label: RecordLabel, onlyCompletable: Bool = false) {
        (self.notebook, self.label, self.onlyCompletable) = (notebook, label, onlyCompletable)
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
        let report = try await notebook.labelReport(by: label, words, onlyCompletable: onlyCompletable)
        // Another report was requested during the wait.
        guard filter == words else { return }
        var next = LabelReportState()
        next.filter = CommandWords.joined(words)
        next.context = ActiveContext(report.context)
        next.rows = report.rows.map { LabelReportState.Row($0) }
        next.hidden = report.hidden
        next.all = LabelReportState.Row(report.all)
        next.others = others
        next.notice = state.notice
        state = next
    }

    /// The name of the records that can't be completed.
    private var others: String {
        if onlyCompletable { return "" }
        let types = notebook.types.listedTypes.filter { $0.closing == nil && label.field(of: $0) != nil }
        return types.count > 1 ? "others" : types.first?.plural ?? ""
    }
}
