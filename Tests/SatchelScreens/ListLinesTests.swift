import Foundation
import Terminal
import TestSupport
import Testing

@testable import Controllers
@testable import LineView
@testable import Records
@testable import SatchelScreens

@Suite("Lists as lines")
struct ListLinesTests {
    private let state = ListScreen.State([
        .task(1, "Buy milk") {
            ($0.due, $0.dueWords, $0.isOverdue) = ("2026-11-20T15:00:00Z", "yesterday 15:00", true)
            ($0.priority, $0.tags, $0.isUnsent, $0.group) = ("H", ["shop", "food"], true, .overdue)
        },
        .task(2, "Write the report") { ($0.project, $0.hasMore, $0.group) = ("work.q4", true, .noDate) },
        .task(3, "Ideas") { ($0.status, $0.collection, $0.group) = (nil, "notes", .notes) },
        .task(10, "Old thing") { ($0.status, $0.group) = ("completed", .done) },
    ])

    @Test("Groups have headings, which rows don't repeat; empty columns are omitted")
    func plain() throws {
        #expect(
            try rendered(ListScreen.self, state) == [
                " #  id     due              pri  project  title               tags",
                "Overdue (1)",
                " 1  ab11   yesterday 15:00  H             Buy milk            +shop +food  *",
                "No date (1)",
                " 2  ab12                         work.q4  Write the report …",
                "Notes (1)",
                " 3  ab13                                  Ideas",
                "Done (1)",
                "10  ab110                                 Old thing",
                "4 records. * unsent.",
            ])
    }

    @Test("Without headings, overdue, completed and notes are readable without colour")
    func marks() throws {
        var rows = state.rows
        for index in rows.indices { rows[index].group = nil }
        let lines = try rendered(ListScreen.self, .init(rows), on: LinePage(columns: 40))
        #expect(lines.contains("    ab11 · late · yesterday 15:00 · H"))
        #expect(lines.contains("    ab13 · note") && lines.contains("    ab110 · done"))
    }

    @Test("An open conflict has a sign that is explained below the list")
    func conflict() throws {
        let row = ListScreen.State.Row.task(1, "Buy milk") { ($0.hasConflict, $0.isUnsent) = (true, true) }
        let lines = try rendered(ListScreen.self, .init([row]))
        #expect(lines.dropFirst() == ["1  ab11  Buy milk  !*", "1 record. ! conflict: see `conflicts`. * unsent."])
    }

    @Test("A part is indented under its parent, which shows the progress; deep levels keep the last indentation")
    func parts() throws {
        let rows = [
            ListScreen.State.Row.task(1, "Move") { $0.progress = .init(done: 1, total: 3) },
            .task(2, "Pack") { $0.depth = 1 }, .task(3, "Tape") { $0.depth = 9 },
        ]
        let lines = try rendered(ListScreen.self, .init(rows))
        #expect(lines[1...3] == ["1  ab11  Move 1/3", "2  ab12    Pack", "3  ab13          Tape"])
    }

    @Test("Under “Today” and “Tomorrow” a deadline shows only its time")
    func times() throws {
        let rows = [
            ListScreen.State.Row.task(1, "Call") {
                ($0.due, $0.dueWords, $0.group) = ("2026-11-21T15:00:00Z", "today 15:00", .today)
            },
            .task(2, "Bread") { ($0.due, $0.dueWords, $0.group) = ("2026-11-21", "today", .today) },
            .task(3, "Milk") { ($0.due, $0.dueWords, $0.group) = ("2026-11-21", "-1d", .tomorrow) },
        ]
        #expect(
            try rendered(ListScreen.self, .init(rows)) == [
                "#  id    due    title", "Today (2)", "1  ab11  15:00  Call", "2  ab12         Bread",
                "Tomorrow (1)", "3  ab13  -1d    Milk", "3 records.",
            ])
    }

    @Test(
        "A repeating task has one sign next to the due date at any width; the plain form has the interval last"
    )
    func repeating() throws {
        let state = ListScreen.State([
            .task(1, "Water plants") {
                ($0.due, $0.dueWords, $0.repeat) = ("2026-11-22T15:00:00Z", "tomorrow 15:00", "weekly")
            }, .task(2, "Imported") { $0.repeat = "2w" },
        ])
        #expect(
            try rendered(ListScreen.self, state) == [
                "#  id    due               title", "1  ab11  tomorrow 15:00 ↻  Water plants",
                "2  ab12  ↻                 Imported", "2 records.",
            ])
        #expect(
            try rendered(ListScreen.self, state, on: LinePage(columns: 40)) == [
                "1  Water plants", "   ab11 · tomorrow 15:00 ↻", "2  Imported", "   ab12 · ↻", "2 records.",
            ])
        let renderer = try renderer(of: ListScreen.self)
        #expect(renderer.plain(state)?.lines.map { $0.hasSuffix("plants\tweekly") } == [true, false])
    }

    @Test("A list without groups has no headings")
    func flat() throws {
        var rows = state.rows
        for index in rows.indices { rows[index].group = nil }
        #expect(try rendered(ListScreen.self, .init(rows)).count == 6)
    }

    @Test("On a narrow page a record has a line for its title, and as many as needed below for the rest")
    func narrow() throws {
        #expect(
            try rendered(ListScreen.self, state, on: LinePage(columns: 40)) == [
                "Overdue (1)", " 1  Buy milk            *", "    ab11 · yesterday 15:00 · H · +shop",
                "    +food", "No date (1)", " 2  Write the report …", "    ab12 · work.q4", "Notes (1)",
                " 3  Ideas", "    ab13", "Done (1)", "10  Old thing", "    ab110",
                "4 records. * unsent.",
            ])
    }

    @Test("No line is wider than the page, and the title has room", arguments: [40, 59, 60, 89, 90, 80, 200])
    func widths(columns: Int) throws {
        var rows = state.rows
        rows.append(
            .task(11, String(repeating: "long ", count: 60)) {
                ($0.project, $0.tags) = (String(repeating: "p", count: 100), [String(repeating: "t", count: 100)])
                ($0.due, $0.dueWords) = ("2026-11-20T15:00:00Z", "yesterday 15:00")
                $0.match = .init(
                    title: [TextPiece($0.title)], excerpt: [TextPiece(String(repeating: "x ", count: 200))])
            })
        let lines = try rendered(ListScreen.self, .init(rows), on: LinePage(columns: columns))
        #expect(lines.allSatisfy { $0.displayWidth <= columns })
        #expect(lines.contains { $0.contains("Buy milk") && $0.hasSuffix("*") })
        #expect(lines.contains { $0.contains("long long") && $0.contains("…") })
        #expect(lines.contains { $0.contains("ab11") })
    }

    @Test("At 80 columns the title has a line of its own above a nested project and two tags")
    func shares() throws {
        let title = "Ask the neighbours whether they want the old apple tree in autumn"
        let row = ListScreen.State.Row.task(1, title) {
            ($0.project, $0.tags) = ("house.garden.shed.roof", ["outside", "neighbours"])
            ($0.due, $0.dueWords, $0.isOverdue) = ("2026-11-20T15:00:00Z", "yesterday 15:00", true)
        }
        #expect(
            try rendered(ListScreen.self, .init([row]), on: LinePage(columns: 80)).dropLast() == [
                "1  " + title, "   ab11 · late · yesterday 15:00 · house.garden.shed.roof · +outside",
                "   +neighbours",
            ])
    }

    @Test(
        "Titles of any script are aligned and cut between characters",
        arguments: [
            "اشترِ الحليب غدًا", "牛乳を買う、それからパンと卵も忘れずに買って帰る", "👩‍👩‍👧‍👦 family 🇨🇭 flag ❤️ heart", "e\u{301}tude nai\u{308}ve",
        ])
    func scripts(title: String) throws {
        let rows = [ListScreen.State.Row.task(1, title) { $0.isUnsent = true }, .task(2, "x") { $0.isUnsent = true }]
        let whole = try rendered(ListScreen.self, .init(rows))
        #expect(whole[1].contains(title))
        #expect(whole[1].displayWidth == whole[2].displayWidth)
        let narrow = try rendered(ListScreen.self, .init(rows), on: LinePage(columns: 24))
        #expect(narrow.dropLast().allSatisfy { $0.displayWidth <= 24 })
        #expect(narrow[0].displayWidth == narrow[2].displayWidth)
    }

    @Test("On a terminal a right-to-left text is between marks, so that its neighbours keep their places")
    func rightToLeft() throws {
        let rows = [ListScreen.State.Row.task(1, "קנה חלב") { $0.tags = ["בית"] }]
        let line = try rendered(ListScreen.self, .init(rows), on: LinePage(columns: 100))[1]
        #expect(line == "1  ab11  \u{200E}קנה חלב\u{200E}  \u{200E}+בית\u{200E}")
        #expect(try rendered(ListScreen.self, .init(rows))[1] == "1  ab11  קנה חלב  +בית")
    }

    @Test("Matches of a search are bold in title and text; without colour they are in brackets in the text")
    func found() throws {
        let row = ListScreen.State.Row.task(1, "Buy milk") {
            $0.match = .init(
                title: [TextPiece("Buy "), TextPiece("milk", isHit: true)],
                excerpt: [TextPiece("oat "), TextPiece("milk", isHit: true), TextPiece("\u{1B}[2J")])
        }
        #expect(try rendered(ListScreen.self, .init([row]))[1...2] == ["1  ab11  Buy milk", "   oat [milk]␛[2J"])
        let coloured = try rendered(ListScreen.self, .init([row]), on: LinePage(isColoured: true))
        #expect(coloured[1].hasSuffix("Buy \u{1B}[1;4mmilk\u{1B}[0m"))
        #expect(coloured[2].contains("\u{1B}[1;4mmilk\u{1B}[0m"))
    }

    @Test(
        "The plain form has a row per record and a column per field, whole and escaped; the omitted rows are counted")
    func plainForm() throws {
        var state = state
        state.rows[1].title = "a\tb\nc"
        let renderer = try renderer(of: ListScreen.self)
        let answer = try #require(renderer.plain(state))
        #expect(
            answer.lines == [
                "1\tid-1\ttasks\tpending\tH\t2026-11-20T15:00:00Z\t\tshop,food\tBuy milk\t",
                "2\tid-2\ttasks\tpending\t\t\twork.q4\t\ta␉b c\t",
                "3\tid-3\tnotes\t\t\t\t\t\tIdeas\t",
                "10\tid-10\ttasks\tcompleted\t\t\t\t\tOld thing\t",
            ])
        #expect(answer.note == nil)
        state.total = 7
        #expect(renderer.plain(state)?.note == "4 of 7 records; use --limit and --offset for more.")
    }

    @Test("Saved filters are shown as they are used and typed")
    func savedLists() throws {
        var state = SavedListsScreen.State()
        #expect(try rendered(SavedListsScreen.self, state).count == 1)
        state.lists = [.init(name: "shopping", words: ["+shop", "due<eow"], filter: "+shop due<eow")]
        #expect(try rendered(SavedListsScreen.self, state) == ["@shopping  +shop due<eow"])
        let renderer = try renderer(of: SavedListsScreen.self)
        #expect(renderer.plain(state)?.lines == ["shopping\t+shop due<eow"])
    }

    @Test("Data can't control the terminal, forge a row or reorder a line")
    func harmless() throws {
        let hostile = "\u{1B}[2J\u{1B}]0;x\u{07}a\nb\r\u{202E}c"
        let row = ListScreen.State.Row.task(1, hostile) {
            ($0.project, $0.tags, $0.status) = (hostile, [hostile], hostile)
        }
        let lines = try rendered(ListScreen.self, .init([row]), on: LinePage(columns: 200))
        #expect(lines.count == 3)
        let controls = lines.joined().unicodeScalars.filter {
            $0.properties.generalCategory == .control || $0 == "\u{202E}"
        }
        #expect(controls.isEmpty)
    }

    @Test("On a coloured page overdue and important tasks are highlighted; the text is the same")
    func coloured() throws {
        let coloured = try rendered(ListScreen.self, state, on: LinePage(isColoured: true))
        #expect(coloured[1] == "\u{1B}[31mOverdue (1)\u{1B}[0m")
        for piece in ["1mBuy milk", "31myesterday 15:00", "31mH"] {
            #expect(coloured[2].contains("\u{1B}[\(piece)\u{1B}[0m"))
        }
        let bare = coloured.map { $0.replacing(/\u{1B}\[[0-9;]+m/, with: "") }
        #expect(try bare == rendered(ListScreen.self, state))
    }

    @Test("The last line shows the count and how to see the rest")
    func summaries() throws {
        #expect(
            try rendered(ListScreen.self, .init(types: .standard))
                == ["No open tasks. `add TITLE` adds a task, and `list all` shows everything."])
        var all = ListScreen.State(types: .standard)
        all.filter = "all"
        #expect(try rendered(ListScreen.self, all) == ["No tasks or notes. `add TITLE` adds a task."])
        #expect(try rendered(ListScreen.self, .init([.task(1, "One")])).last == "1 record.")
        var window = ListScreen.State([.task(3, "Three")])
        window.total = 250
        #expect(try rendered(ListScreen.self, window).last == "1 of 250 records; use --limit and --offset for more.")
        (window.rows, window.offset) = ([], 250)
        #expect(
            try rendered(ListScreen.self, window).last
                == "The list has 250 records, so none follows after --offset 250.")
    }
}
