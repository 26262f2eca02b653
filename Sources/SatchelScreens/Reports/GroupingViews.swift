import ControllerKit
import Controllers
import LineView
import Terminal
import WebPageView

/// How a report by project or by tag is shown: with the numbers of records, or with the progress.
enum GroupingView {
    case numbers, progress

    /// The width of a bar, in columns.
    private static let barWidth = 20

    /// Returns the width of a bar, which is shorter below 60 columns, so that no row is wrapped.
    private static func barWidth(on page: LinePage) -> Int {
        page.columns.map { max(4, min(barWidth, $0 - 40)) } ?? barWidth
    }
    /// The name of the records without a project or a tag.
    static let none = "(none)"

    /// Returns the renderers of a report.
    ///
    /// - Parameter filter: Returns the filter of the records of a row; nil: there is none.
    func renderers<S: Screen>(
        _ screen: S.Type, _ words: GroupingWords, title: String, filter: @escaping @Sendable (String) -> String?
    ) -> [any ScreenRenderer<S>] where S.State == GroupingReportState {
        [lines(screen, words), page(screen, words, title: title, filter: filter)]
    }

    /// Returns the renderer for lines.
    private func lines<S: Screen>(_ screen: S.Type, _ words: GroupingWords) -> LineRenderer<S>
    where S.State == GroupingReportState {
        LineRenderer(screen, plain: { table($0).answer }, table: table) { state, page in
            let heading = ActiveContext.lines(state.context, on: page)
            let empty = EmptyMessage(state, words)?.lines(on: page) ?? []
            if state.rows.isEmpty { return heading + empty }
            let rows = state.rows.map { Table.Row.cells(cells($0, name: Self.name($0), page)) }
            let sum = Table.Row.cells(cells(state.all, name: "all", page))
            let more = state.hidden > 0 ? page.lines("and \(state.hidden) more", .faint) : []
            return heading + Table(columns(state), rows + [sum]).lines(on: page) + more + empty
        }
    }

    private static func name(_ row: GroupingReportState.Row) -> String {
        String(repeating: "  ", count: row.level) + (row.name.isEmpty ? none : row.lastLevel)
    }

    private func columns(_ state: GroupingReportState) -> [Table.Column] {
        let name = Table.Column("", canShrink: true, isMain: true)
        let numbers = ["open", "done"].map { Table.Column($0, isTrailing: true) }
        return switch self {
        case .numbers: [name] + numbers + [.init(state.others, isTrailing: true)]
        case .progress: [name] + numbers + [.init("overdue", isTrailing: true), .init("", isTrailing: true), .init("")]
        }
    }

    private func cells(_ row: GroupingReportState.Row, name: String, _ page: LinePage) -> [Table.Cell] {
        let number = { (count: Int, emphasis: Emphasis) in Table.Cell(count == 0 ? "" : String(count), emphasis) }
        let common = [Table.Cell(name), number(row.open, .none), number(row.done, .good)]
        switch self {
        case .numbers: return common + [number(row.other, .none)]
        case .progress:
            let share = row.completion ?? 0
            return common + [
                number(row.overdue, .bad), Table.Cell("\(Self.percent(row)) %"),
                Table.Cell(Bar.filled(share, width: Self.barWidth(on: page), on: page), .good),
            ]
        }
    }

    /// The completed share in whole percent, rounded down, so that only a complete project has 100.
    static func percent(_ row: GroupingReportState.Row) -> Int { Int((row.completion ?? 0) * 100) }

    /// Returns a row for each project or tag. SatchelScreens.docc/Scripting.md documents the columns.
    @Sendable
    private func table(_ state: GroupingReportState) -> PlainTable {
        let rows = state.rows.map { row in
            let numbers = [row.open, row.done] + (self == .numbers ? [row.other] : [row.overdue, Self.percent(row)])
            return [row.name] + numbers.map { String($0) }
        }
        let numbers = ["open", "done"] + (self == .numbers ? ["other"] : ["overdue", "percent"])
        return PlainTable(
            columns: ["name"] + numbers, rows: rows, note: state.hidden > 0 ? "and \(state.hidden) more" : nil)
    }

    /// Returns the renderer for the page.
    private func page<S: Screen>(
        _ screen: S.Type, _ words: GroupingWords, title: String, filter: @escaping @Sendable (String) -> String?
    ) -> WebRenderer<S> where S.State == GroupingReportState {
        WebRenderer(
            screen, title: title, place: .elsewhere, placed: [S.name], reading: { ReportHead.reading(S.name, $0) },
            isBlank: \.rows.isEmpty,
            content: { state, frame in
                frame.templates.html("groups", GroupingModel(state, self, words, S.name, frame, filter: filter))
            })
    }
}

/// A report by project or by tag for the template `groups`.
struct GroupingModel {
    let head: [ReportHead]
    let isEmpty: Bool
    /// The message of a report without rows.
    let empty: [EmptyMessage]
    let showsProgress: Bool
    let others: String
    let hasOthers: Bool
    let rows: [Row]
    let more: String
    let hasMore: Bool

    /// A project or a tag.
    struct Row {
        let name: String
        let href: String
        let hasLink: Bool
        /// The class of the indentation.
        let level: String
        let open: Int
        let done: Int
        let overdue: Int
        let other: Int
        let total: Int
        let percent: Int
    }

    init(
        _ state: GroupingReportState, _ view: GroupingView, _ words: GroupingWords, _ verb: String, _ frame: PageFrame,
        filter: (String) -> String?
    ) {
        head = [ReportHead(verb, filter: state.filter, state.context, frame)]
        isEmpty = state.rows.isEmpty
        // After a filter that could not be parsed, an empty report doesn't mean that there are no projects or tags.
        empty = frame.hasFailure ? [] : [EmptyMessage(state, words)].compactMap(\.self)
        showsProgress = view == .progress
        others = state.others.capitalisedFirst
        hasOthers = !state.others.isEmpty
        rows = state.rows.map { row in
            let href = filter(row.name).map {
                PageAddress(screen: ListScreen.name, Parameters([("filter", $0)])).text
            }
            return Row(
                name: row.name.isEmpty ? GroupingView.none : row.lastLevel, href: href ?? "", hasLink: href != nil,
                level: "level-\(min(row.level, 4))", open: row.open, done: row.done, overdue: row.overdue,
                other: row.other, total: max(1, row.open + row.done), percent: GroupingView.percent(row))
        }
        more = "and \(state.hidden) more"
        hasMore = state.hidden > 0
    }
}
