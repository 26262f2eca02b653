import ControllerKit
import Controllers
import Foundation
import Records
import Terminal
import Testing

@testable import LineView
@testable import SatchelScreens
@testable import WebPageView

@Suite("Columns of a list that the user chose")
struct ListColumnsTests {
    private func state(_ columns: [String]) -> ListScreen.State {
        var state = ListScreen.State(types: .standard, columns: columns)
        state.rows = [
            .task(1, "Buy milk") {
                ($0.due, $0.dueWords, $0.isOverdue) = ("2026-11-20T15:00:00Z", "yesterday 15:00", true)
                ($0.priority, $0.tags, $0.project, $0.urgency) = ("H", ["shop"], "home", 15.7)
            }, .task(2, "Ideas"),
        ]
        state.total = 2
        return state
    }

    @Test("A list has these columns in this order, between the number with the state and the signs")
    func order() throws {
        #expect(
            try rendered(ListScreen.self, state(["priority", "title", "due"])) == [
                "#        pri  title     due", "1  late  H    Buy milk  yesterday 15:00", "2             Ideas",
                "2 records.",
            ])
        #expect(
            try rendered(ListScreen.self, state(["priority", "title", "due"]), on: LinePage(columns: 40)) == [
                "1  Buy milk", "   late · H · yesterday 15:00", "2  Ideas", "2 records.",
            ])
    }

    @Test("The title is last if it isn't named; the id, the urgency and the state may have another place")
    func places() throws {
        #expect(
            try rendered(ListScreen.self, state(["urgency", "id", "status", "number"])) == [
                "#  urgency  id          title", "1     15.7  ab11  late  Buy milk", "2           ab12        Ideas",
                "2 records.",
            ])
    }

    @Test("A chosen column is shown even if the filter names its value; that of repeating tasks has words, not a sign")
    func chosen() throws {
        var state = self.state(["project", "repeat", "wait"])
        state.filter = "project:home"
        state.rows.removeLast()
        state.rows[0].repeat = "FREQ=MONTHLY;BYDAY=-1FR"
        state.rows[0].additional["wait"] = .date(try #require(DateValue("2026-11-20")), words: "-1d")
        let lines = try rendered(ListScreen.self, state)
        #expect(
            lines.prefix(2) == [
                "#        project  repeats   wait  title", "1  late  home     last Fri  -1d   Buy milk",
            ])
    }

    @Test("The columns of scripts stay the same")
    func plain() throws {
        let renderer = try renderer(of: ListScreen.self)
        let chosen = try #require(renderer.plain(state(["due"])))
        let usual = try #require(renderer.plain(state([])))
        #expect(chosen.lines == usual.lines)
    }

    @MainActor
    @Test("A row of the page has the chosen fields in their order, and the word of a pinned note")
    func page() throws {
        let frame = PageFrame(
            try Catalog([]), design: .satchel, templates: try Templates(PageDesign.satchel.templates),
            address: PageAddress(screen: "list"), csrf: "token", clock: PageClock(now: .now, timeZone: .gmt))
        var state = self.state(["project", "pinned", "tags"])
        #expect(ListRowModel(state.rows[0], state.types, frame).chips.map(\.text) == ["home", "+shop"])
        state.rows[0].isPinned = true
        #expect(ListRowModel(state.rows[0], state.types, frame).chips.map(\.text) == ["home", "+shop", "pinned"])
    }

    @Test("A pinned note has a word, alone under the heading of the notes and next to the name of its type elsewhere")
    func pinned() throws {
        let note = ListScreen.State.Row.task(1, "Garden plan") {
            ($0.status, $0.collection, $0.group, $0.isPinned) = (nil, "notes", .notes, true)
        }
        #expect(
            try rendered(ListScreen.self, .init([note])) == [
                "#  id            title", "Notes (1)", "1  ab11  pinned  Garden plan", "1 record.",
            ])
        var elsewhere = note
        elsewhere.group = nil
        #expect(try rendered(ListScreen.self, .init([elsewhere]))[1] == "1  ab11  note pinned  Garden plan")
        var state = ListScreen.State([note])
        state.rows[0].typed.json["pinned"] = true
        let renderer = try renderer(of: ListScreen.self)
        let table = try #require(renderer.table(state))
        #expect(try table.selecting(["pinned", "title"]).lines == ["true\tGarden plan"])
    }
}
