import ControllerKit
import Controllers
import LineView
import Terminal
import WebPageView

enum StatsLines {
    /// The largest width of a bar, in columns. Two of them fit next to the numbers on a page of 80 columns.
    private static let barWidth = 24

    /// Shows a line for each week, with bars for the numbers.
    static let renderer = LineRenderer(StatsScreen.self, plain: { table($0).answer }, table: table) { state, page in
        ActiveContext.lines(state.context, on: page)
            + Table(columns(state), state.weeks.map { .cells(cells($0, state, page)) }).lines(on: page)
            + (EmptyMessage(state)?.lines(on: page) ?? [])
    }

    /// Returns a row for each week. SatchelScreens.docc/Scripting.md documents the columns.
    @Sendable
    private static func table(_ state: StatsScreen.State) -> PlainTable {
        PlainTable(
            columns: ["week", "added", "completed"],
            rows: state.weeks.map { [$0.start, String($0.added), String($0.completed)] })
    }

    private static func columns(_ state: StatsScreen.State) -> [Table.Column] {
        let week = [Table.Column("week of"), Table.Column("added", isTrailing: true), Table.Column("")]
        return week + (state.hasCompleted ? [.init("completed", isTrailing: true), .init("")] : [])
    }

    private static func cells(
        _ week: StatsScreen.State.Week, _ state: StatsScreen.State, _ page: LinePage
    ) -> [Table.Cell] {
        // Both have one scale, so that their bars can be compared.
        let largest = state.largest
        let width = page.columns.map { min(barWidth, max(4, ($0 - 32) / 2)) } ?? barWidth
        let bar = { (count: Int, emphasis: Emphasis) in
            Table.Cell(Bar.counted(count, of: largest, width: width, on: page), emphasis)
        }
        let added = [Table.Cell(week.start), Table.Cell(String(week.added)), bar(week.added, .none)]
        return added + (state.hasCompleted ? [Table.Cell(String(week.completed)), bar(week.completed, .good)] : [])
    }
}

extension StatsScreen.State {
    /// The largest number of a week.
    var largest: Int { weeks.map { max($0.added, hasCompleted ? $0.completed : 0) }.max() ?? 0 }
}

enum StatsPage {
    /// Shows the numbers of the weeks as a drawing and in a table.
    static let renderer = WebRenderer(
        StatsScreen.self, title: "Statistics", place: .elsewhere, placed: [StatsScreen.name],
        reading: reading, isBlank: \.weeks.isEmpty,
        content: { state, frame in frame.templates.html("stats", StatsModel(state, frame)) })

    @Sendable
    private static func reading(_ parameters: Parameters) -> PageReading {
        var values = ReportHead.words(parameters)
        // Anyone can write an address: a text that isn't a number is omitted.
        if let weeks = parameters["weeks"].flatMap({ Int($0) }) { values["weeks"] = .integer(weeks) }
        return PageReading(verb: StatsScreen.name, values: values)
    }
}

/// The numbers of weeks for the template `stats`: an SVG drawing with two bars for each week, and a table.
struct StatsModel {
    let head: [ReportHead]
    /// The note of statistics without a number above 0.
    let empty: [EmptyMessage]
    /// The size of the drawing, in its own units.
    let width: Int
    let height: Int
    let title: String
    let bars: [Bar]
    let marks: [Mark]
    let hasCompleted: Bool
    let weeks: [StatsScreen.State.Week]

    /// A bar.
    struct Bar {
        let kind: String
        let x: Int
        let y: Int
        let width: Int
        let height: Int
        /// The description that browsers show for the bar.
        let text: String
    }

    /// The label of a week.
    struct Mark {
        let x: Int
        let y: Int
        let text: String
    }

    private static let plotHeight = 160
    private static let labelHeight = 20
    private static let weekWidth = 48
    private static let barWidth = 16
    /// The largest number of labels.
    private static let labels = 13

    init(_ state: StatsScreen.State, _ frame: PageFrame) {
        head = [ReportHead(StatsScreen.name, filter: state.filter, state.context, frame)]
        empty = frame.hasFailure ? [] : [EmptyMessage(state)].compactMap(\.self)
        width = max(1, state.weeks.count) * Self.weekWidth
        height = Self.plotHeight + Self.labelHeight
        title = state.hasCompleted ? "Added and completed per week" : "Added per week"
        hasCompleted = state.hasCompleted
        weeks = state.weeks.reversed()
        let largest = max(1, state.largest)
        let step = (state.weeks.count + Self.labels - 1) / Self.labels
        var (bars, marks) = ([Bar](), [Mark]())
        for (index, week) in state.weeks.enumerated() {
            let left = index * Self.weekWidth
            let bar = { (kind: String, count: Int, index: Int) in
                let height = count * (Self.plotHeight - 4) / largest
                return Bar(
                    kind: kind, x: left + 6 + index * (Self.barWidth + 2), y: Self.plotHeight - height,
                    width: Self.barWidth, height: height, text: "\(week.start): \(count) \(kind)")
            }
            bars.append(bar("added", week.added, 0))
            if state.hasCompleted { bars.append(bar("completed", week.completed, 1)) }
            // Month and day; the current week always has a label.
            if (state.weeks.count - 1 - index) % max(1, step) == 0 {
                marks.append(Mark(x: left + Self.weekWidth / 2, y: height - 6, text: String(week.start.dropFirst(5))))
            }
        }
        (self.bars, self.marks) = (bars, marks)
    }
}
