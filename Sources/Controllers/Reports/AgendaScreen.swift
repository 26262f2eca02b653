public import ControllerKit
public import Notebook
public import Records

/// The screen of the agenda: the records with a deadline, day by day.
public enum AgendaScreen: Screen {
    public static let name = "agenda"
    public static let summary = "The records with a date, day by day."
    public static let verbs: [Verb<Intent>] = AgendaScreen.verbs(for: .standard)

    /// The state that views show.
    public struct State: ScreenState {
        /// The filter as it was typed, without the span.
        public var filter = ""
        /// The days that are shown, after those of the past: `week` and the like.
        public var span = AgendaScreen.spanDefault.rawValue
        /// The context within which the records were found; nil: none.
        public var context: ActiveContext?
        /// Today: `2026-11-23`; empty: nothing was read yet.
        public var today = ""
        /// The first day of the user's week: 1 is Sunday and 7 is Saturday.
        public var firstWeekday = 2
        /// The records whose day is past.
        public var overdue: [Item] = []
        /// The days of the span that have records.
        public var days: [Day] = []
        /// The number of records in the span that `days` omits because there are too many.
        public var hidden = 0
        /// The number of records after the span.
        public var later = 0
        /// The number of records of each day of the current month and the next two that has some.
        public var marks: [Mark] = []
        public var notice: String?

        /// A day with its records.
        public struct Day: Codable, Equatable, Sendable {
            /// The day: `2026-11-25`.
            public var date: String
            /// The day in words: `today`, `Wed 25 Nov`.
            public var words: String
            /// The number of days from today.
            public var distance: Int
            /// Its records.
            public var items: [Item]
        }

        /// A record.
        public struct Item: Codable, Equatable, Sendable {
            /// Its number, which names it until the next list on this terminal; nil: it was found after the agenda was
            /// made.
            public var number: Int?
            /// Its full id.
            public var id: String
            /// The shortest unique prefix of its id.
            public var prefix: String
            /// Its collection: `tasks`.
            public var collection: String
            /// Its title.
            public var title: String
            /// Its deadline: `2026-12-24`, or RFC 3339 in UTC.
            public var due: String
            /// Its deadline in words: `yesterday`, `today 15:00`.
            public var words: String
            /// The time of day; empty: the whole day.
            public var time: String
            /// Its project and its tags, as lists show them.
            public var labels: [String]
            /// Whether it is open and the deadline is past.
            public var isOverdue: Bool
        }

        /// A day with the number of its records.
        public struct Mark: Codable, Equatable, Sendable {
            /// The day: `2026-11-25`.
            public var date: String
            /// The number of its records.
            public var count: Int
        }

        public init() {}

        public var hasNoMatches: Bool { overdue.isEmpty && days.isEmpty && hidden == 0 }
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Show the records with a deadline that match a filter, to the end of a span.
        case show(Agenda.Span, filter: [String])
    }

    /// The span if none is typed.
    public static let spanDefault = Agenda.Span.week

    /// Returns the verbs of a program; none unless records have a deadline.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        let plurals = types.listedTypes.filter { $0.deadline != nil }.map(\.plural)
        if plurals.isEmpty { return [] }
        let spans = Agenda.Span.allCases.map(\.rawValue).joined(separator: ", ")
        return [
            Verb(
                "agenda",
                .rest(
                    .text(
                        "filter", help: "Optionally \(spans); then \(SampleWords(types).filter) words …",
                        completing: .filter)),
                traits: [.readOnly, .finds],
                help: "Show \(plurals.joined(conjunction: "and")) by day, with a calendar.",
                topics: ["filters"], namesElsewhere: ["calendar", "cal"],
                examples: [
                    Example("agenda", "What is overdue, and the next seven days."),
                    Example("agenda month project:house", "The next 31 days of one project."),
                    Example("agenda all", "All days."),
                ]
            ) { intent(of: $0) }
        ]
    }

    /// Returns the intent of the words after `agenda`: the first may be a span.
    static func intent(of words: [String]) -> Intent {
        guard let span = words.first.flatMap({ Agenda.Span(rawValue: $0) }) else {
            return .show(spanDefault, filter: words)
        }
        return .show(span, filter: Array(words.dropFirst()))
    }
}

/// Shows the agenda. Its numbers belong to the last list of the terminal.
public final class AgendaController: Controller {
    public typealias Screen = AgendaScreen
    public let model = Model(AgendaScreen.State())
    private let notebook: Notebook
    /// The last request; nil: there was none yet.
    private var request: Request?
    /// The numbers of the records.
    private var numbers: [RecordKey: Int] = [:]
    /// The number of requests so far. A refresh that began before the last one changes nothing.
    private var generation = 0

    private struct Request {
        let span: Agenda.Span
        let filter: [String]
    }

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: AgendaScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .show(let span, let filter):
            let agenda = try await notebook.agenda(span, filter)
            generation += 1
            request = Request(span: span, filter: filter)
            numbers = Dictionary(
                agenda.entries.compactMap { entry in entry.number.map { (entry.record.key, $0) } }
            ) { first, _ in first }
            show(agenda, Request(span: span, filter: filter))
        }
    }

    public func refresh() async throws {
        guard let request else { return }
        let asked = generation
        let agenda = try await notebook.agenda(request.span, request.filter, keeping: numbers)
        guard asked == generation else { return }
        show(agenda, request)
    }

    private func show(_ agenda: Agenda, _ request: Request) {
        let words = DateWords(notebook.dates)
        var next = AgendaScreen.State()
        next.notice = state.notice
        next.filter = CommandWords.joined(request.filter)
        next.span = request.span.rawValue
        next.context = ActiveContext(agenda.context)
        next.today = agenda.today.description
        next.firstWeekday = agenda.firstWeekday
        next.overdue = agenda.entries.filter { $0.day < agenda.today }.map { item(of: $0, words) }
        next.days = Dictionary(grouping: agenda.entries.filter { $0.day >= agenda.today }, by: \.day)
            .sorted { $0.key < $1.key }
            .map { day, entries in
                AgendaScreen.State.Day(
                    date: day.description, words: words.words(for: .day(day)),
                    distance: day.daysSince1970 - agenda.today.daysSince1970,
                    items: entries.map { item(of: $0, words) })
            }
        next.hidden = agenda.hidden
        next.later = agenda.later
        next.marks = agenda.counts.sorted { $0.key < $1.key }.map { .init(date: $0.key.description, count: $0.value) }
        state = next
    }

    private func item(of entry: Agenda.Entry, _ words: DateWords) -> AgendaScreen.State.Item {
        let type = notebook.types[entry.record.key.collection]
        let due = words.words(for: entry.due)
        // The words of a time are those of its day, then the time of day.
        let time = due.dropFirst(words.words(for: .day(entry.day)).count).drop { $0 == " " }
        return .init(
            number: entry.number, id: entry.record.key.id, prefix: entry.prefix,
            collection: entry.record.key.collection, title: entry.record.titleOrID,
            due: entry.due.withoutZone.description, words: due, time: String(time),
            labels: labels(of: entry.record.fields, type), isOverdue: entry.isOverdue)
    }

    /// Returns the project and the tags of a record, with the signs of their columns.
    private func labels(of fields: JSONObject, _ type: RecordType) -> [String] {
        let groupings: [RecordGrouping] = [.project, .tags]
        return groupings.compactMap { $0.field(of: type) }.flatMap { field in
            let value = fields[field.name]
            let texts = value?.string.map { [$0] } ?? value?.array?.compactMap(\.string) ?? []
            return texts.filter { !$0.isEmpty }.map { (field.column?.sign ?? "") + $0 }
        }
    }
}
