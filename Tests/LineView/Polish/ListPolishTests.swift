@testable import Controllers
import Foundation
import Testing

@testable import LineView

@Suite("Lists as lines")
struct ListPolishTests {
    private let state = ListScreen.State([
        .task(1, "Buy milk") {
            $0.due = "2026-11-20T15:00:00Z"
            ($0.isOverdue, $0.priority, $0.tags, $0.isUnsent) = (true, "H", ["shop", "food"], true)
        },
        .task(2, "Write the report") { ($0.project, $0.hasMore) = ("work.q4", true) },
        .task(3, "Ideas") { $0.status = nil },
        .task(10, "Old thing") { $0.status = "completed" },
    ])

    @Test("What is late, done or a note, and what isn't sent, is read without colour; empty columns are left out")
    func plain() throws {
        let due = LocalTime.short("2026-11-20T15:00:00Z")
        let gap = String(repeating: " ", count: due.count)
        #expect(
            try polished(ListScreen.self, state) == [
                " #  id           due\(gap.dropFirst(3))  pri  project  title               tags",
                " 1  ab11   late  \(due)  H             Buy milk            +shop +food  *",
                " 2  ab12         \(gap)       work.q4  Write the report …",
                " 3  ab13   note  \(gap)                Ideas",
                "10  ab110  done  \(gap)                Old thing",
                "4 records. * not sent yet.",
            ])
    }

    @Test(
        "A narrow page shows number, mark, day and title, and no line is wider than it",
        arguments: [40, 75, 76, 80, 200])
    func narrow(columns: Int) throws {
        var rows = state.rows
        rows.append(
            .task(11, String(repeating: "long ", count: 60)) {
                ($0.project, $0.tags) = (String(repeating: "p", count: 100), [String(repeating: "t", count: 100)])
                $0.due = "2026-11-20T15:00:00Z"
            })
        let lines = try polished(ListScreen.self, .init(rows), on: LinePage(columns: columns))
        #expect(lines.allSatisfy { $0.displayWidth <= columns })
        #expect(lines[1].contains("late") && lines[1].contains("Buy mi") && lines[1].hasSuffix("*"))
        #expect(lines[1].contains("ab11") == (columns >= 76))
        #expect(lines[5].contains("long") && lines[5].contains("…"))
    }

    @Test(
        "Titles of any script line up and are cut within no character",
        arguments: [
            "اشترِ الحليب غدًا", "牛乳を買う、それからパンと卵も忘れずに買って帰る", "👩‍👩‍👧‍👦 family 🇨🇭 flag ❤️ heart", "e\u{301}tude nai\u{308}ve",
        ])
    func scripts(title: String) throws {
        let rows = [ListScreen.State.Row.task(1, title) { $0.isUnsent = true }, .task(2, "x") { $0.isUnsent = true }]
        let whole = try polished(ListScreen.self, .init(rows))
        #expect(whole[1].contains(title))
        #expect(whole[1].displayWidth == whole[2].displayWidth)
        let narrow = try polished(ListScreen.self, .init(rows), on: LinePage(columns: 24))
        #expect(narrow.dropLast().allSatisfy { $0.displayWidth <= 24 })
        #expect(narrow[1].displayWidth == narrow[2].displayWidth)
    }

    @Test("Data can't steer the terminal, forge a row or reorder a line")
    func harmless() throws {
        let hostile = "\u{1B}[2J\u{1B}]0;x\u{07}a\nb\r\u{202E}c"
        let row = ListScreen.State.Row.task(1, hostile) {
            ($0.project, $0.tags, $0.status) = (hostile, [hostile], hostile)
        }
        let lines = try polished(ListScreen.self, .init([row]), on: LinePage(columns: 200))
        #expect(lines.count == 3)
        let controls = lines.joined().unicodeScalars.filter {
            $0.properties.generalCategory == .control || $0 == "\u{202E}"
        }
        #expect(controls.isEmpty)
    }

    @Test("On a coloured page what is late, done and important stands out; the text is the same")
    func coloured() throws {
        let coloured = try polished(ListScreen.self, state, on: LinePage(isColoured: true))
        #expect(coloured[1].contains("\u{1B}[1mBuy milk\u{1B}[0m"))
        #expect(coloured[1].contains("\u{1B}[31m\(LocalTime.short("2026-11-20T15:00:00Z"))\u{1B}[0m"))
        #expect(coloured[4].contains("\u{1B}[32mdone\u{1B}[0m"))
        let bare = coloured.map { $0.replacing(/\u{1B}\[[0-9]+m/, with: "") }
        #expect(try bare == polished(ListScreen.self, state))
    }

    @Test("The last line says how much there is and how to see the rest")
    func summaries() throws {
        #expect(
            try polished(ListScreen.self, .init())
                == ["Nothing fits. `list all` shows everything, `add` makes a task."])
        #expect(try polished(ListScreen.self, .init([.task(1, "One")])).last == "1 record.")
        var window = ListScreen.State([.task(3, "Three")])
        window.total = 250
        #expect(try polished(ListScreen.self, window).last == "1 of 250 records; --limit and --offset show others.")
    }

    @Test(
        "A moment is shown in the person's time zone, without midnight; what is none as it is",
        arguments: [
            ("2026-03-28T23:00:00Z", "2026-03-29"), ("2026-03-29T01:00:00Z", "2026-03-29 03:00"),
            ("2026-11-21T05:20:00.123Z", "2026-11-21 06:20"), ("someday", "someday"), ("", ""),
        ])
    func moments(text: String, shown: String) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(LocalTime.short(text, in: calendar) == shown)
    }
}
