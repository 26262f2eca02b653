import Records
import Terminal
import Testing

@testable import Controllers
@testable import LineView
@testable import SatchelScreens

@Suite("Reports as lines")
struct ReportLinesTests {
    private let page = LinePage(columns: 80)

    @Test("Bars show each count above 0, and are full only for all of it")
    func bars() {
        let ascii = LinePage(columns: 80, drawsBlocks: false)
        #expect(Bar.counted(10, of: 10, width: 4, on: page) == "████")
        #expect(Bar.counted(1, of: 1_000, width: 4, on: page) == "▏")
        #expect(Bar.counted(0, of: 10, width: 4, on: page) == "")
        #expect(Bar.counted(1, of: 1_000, width: 4, on: ascii) == "#")
        #expect(Bar.filled(1, width: 4, on: page) == "████")
        #expect(Bar.filled(0.99, width: 4, on: page) == "███░")
        #expect(Bar.filled(0.5, width: 4, on: ascii) == "##..")
    }

    private func row(_ name: String, level: Int = 0, open: Int, done: Int) -> GroupingReportState.Row {
        var row = GroupingReportState.Row()
        (row.name, row.lastLevel, row.level) = (name, String(name.split(separator: ".").last ?? ""), level)
        (row.open, row.done) = (open, done)
        return row
    }

    @Test("Projects are indented below others, and have the progress in the summary")
    func labels() throws {
        var state = GroupingReportState()
        state.rows = [
            row("home", open: 1, done: 3), row("home.garden", level: 1, open: 1, done: 0), row("", open: 0, done: 1),
        ]
        state.all = row("", open: 1, done: 4)
        #expect(
            try rendered(ProjectsScreen.self, state, on: page) == [
                "          open  done",
                "home         1     3",
                "  garden     1",
                "(none)             1",
                "all          1     4",
            ])
        #expect(
            try rendered(SummaryScreen.self, state, on: page) == [
                "          open  done",
                "home         1     3   75 %  ███████████████░░░░░",
                "  garden     1          0 %  ░░░░░░░░░░░░░░░░░░░░",
                "(none)             1  100 %  ████████████████████",
                "all          1     4   80 %  ████████████████░░░░",
            ])
    }

    @Test("The agenda marks the days of the month, today in brackets, and lists the days")
    func agenda() throws {
        var state = AgendaScreen.State()
        (state.today, state.firstWeekday, state.later) = ("2026-11-18", 2, 2)
        state.marks = [.init(date: "2026-11-18", count: 1), .init(date: "2026-11-20", count: 2)]
        let item = AgendaScreen.State.Item(
            number: 1, id: "id", prefix: "ab1", collection: "tasks", title: "Call Bob", due: "2026-11-18T15:00:00Z",
            words: "today 15:00", time: "15:00", labels: ["home", "+phone"], isOverdue: false)
        state.days = [.init(date: "2026-11-18", words: "today", distance: 0, items: [item])]
        #expect(
            try rendered(AgendaScreen.self, state, on: page) == [
                "November 2026", " Mo  Tu  We  Th  Fr  Sa  Su", "                          1",
                "  2   3   4   5   6   7   8", "  9  10  11  12  13  14  15", " 16  17 [18* 19  20* 21  22",
                " 23  24  25  26  27  28  29", " 30", "", "Today (1)", "1  ab1  15:00  Call Bob  home +phone",
                "2 later; `agenda all` shows them.",
            ])
    }

    @Test("Statistics have a line for each week, which fits 80 columns")
    func stats() throws {
        var state = StatsScreen.State()
        state.hasCompleted = true
        state.weeks = [
            .init(start: "2026-11-09", added: 12, completed: 0), .init(start: "2026-11-16", added: 3, completed: 6),
        ]
        let lines = try rendered(StatsScreen.self, state, on: page)
        #expect(
            lines == [
                "week of     added                            completed",
                "2026-11-09     12  ████████████████████████          0",
                "2026-11-16      3  ██████                            6  ████████████",
            ])
    }

    @Test("A list, a count and the prompt show the context")
    func context() throws {
        let context = ActiveContext(name: "house", filter: "project:house")
        var list = ListScreen.State([.task(1, "Paint")])
        list.context = context
        #expect(try rendered(ListScreen.self, list).first == "Context house: project:house")
        var count = CountScreen.State()
        (count.count, count.context) = (3, context)
        #expect(try rendered(CountScreen.self, count) == ["Context house: project:house", "3"])
    }
}
