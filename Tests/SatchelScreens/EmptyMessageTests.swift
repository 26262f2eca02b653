import Records
import Terminal
import Testing

@testable import Controllers
@testable import LineView
@testable import SatchelScreens

@Suite("What a screen shows without rows")
struct EmptyMessageTests {
    @Test("A list names its filter and how to see everything")
    func list() throws {
        var state = ListScreen.State(types: .standard)
        state.filter = "+shop"
        #expect(try rendered(ListScreen.self, state) == ["No matches for “+shop”. `list all` shows everything."])
        state.context = ActiveContext(name: "house", filter: "project:house")
        #expect(
            try rendered(ListScreen.self, state).last
                == "No matches for “+shop”. `list all` shows everything. `context none` shows records outside the context."
        )
    }

    @Test("A list of one type names the command that adds a record of it")
    func listOfType() throws {
        var state = ListScreen.State(types: .standard)
        state.filter = "note"
        #expect(
            try rendered(ListScreen.self, state)
                == ["No matches for “note”. `note TITLE` adds a note, and `list all` shows everything."])
    }

    @Test("A report by project or tag says how to add the first one, also if records have none")
    func labels() throws {
        var state = GroupingReportState()
        let projects = "No projects. `add TITLE project:NAME` adds a record with a project."
        #expect(try rendered(ProjectsScreen.self, state) == [projects])
        #expect(try rendered(SummaryScreen.self, state) == [projects])
        #expect(
            try rendered(TagsScreen.self, state) == ["No tags. `add TITLE +NAME` adds a record with a tag."])
        state.rows = [GroupingReportState.Row()]
        state.rows[0].open = 3
        #expect(try rendered(ProjectsScreen.self, state).last == projects)
        state.filter = "+shop"
        #expect(
            try rendered(ProjectsScreen.self, state).last
                == "No projects for “+shop”. `projects` shows all of them.")
        state.rows[0].name = "home"
        #expect(try !rendered(ProjectsScreen.self, state).contains { $0.hasPrefix("No projects") })
    }

    @Test("An agenda says how to add a date, or where the dates are")
    func agenda() throws {
        var state = AgendaScreen.State()
        #expect(
            try rendered(AgendaScreen.self, state)
                == ["Nothing with a date. `add TITLE due:tomorrow` adds a record with a date."])
        state.filter = "+shop"
        #expect(
            try rendered(AgendaScreen.self, state)
                == ["Nothing with a date for “+shop”. `agenda all` shows everything with a date."])
        state.later = 2
        #expect(
            try rendered(AgendaScreen.self, state) == ["Nothing in these days. 2 later; `agenda all` shows them."])
    }

    @Test("Statistics without a number above 0 say so")
    func stats() throws {
        var state = StatsScreen.State()
        state.hasCompleted = true
        state.weeks = [.init(start: "2026-11-16", added: 0, completed: 0)]
        let note = "Nothing added or completed in these weeks. Records that you add with `add TITLE` are counted here."
        #expect(try rendered(StatsScreen.self, state).last == note)
        state.weeks[0].added = 1
        #expect(try rendered(StatsScreen.self, state).last != note)
    }

    @Test("A page has the text of the lines, with commands as code")
    func pieces() {
        let note = EmptyMessage.contexts
        #expect(note.text.hasPrefix("No contexts. ") && note.text.hasSuffix(" defines one."))
        #expect(note.pieces.filter(\.isCommand).map(\.text) == ["context define NAME FILTER"])
        #expect(note.pieces.last == EmptyMessage.Piece(text: " defines one.", isCommand: false))
    }
}
