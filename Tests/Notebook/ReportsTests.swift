import Foundation
import LocalStore
import Notebook
import Records
import Testing

@Suite("Reports", .timeLimit(.minutes(5)))
struct ReportsTests {
    private let notebook: Notebook

    /// The time is Wednesday 2026-11-18, 14:13:20 in UTC.
    init() throws {
        let store = try LocalStore(inMemoryWithWall: { 1_795_011_200_000 }, types: .standard)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        calendar.firstWeekday = 2
        notebook = Notebook(
            store: store, now: { Date(timeIntervalSince1970: 1_795_011_200) }, calendar: calendar,
            makeID: Counter().next, terminal: "test")
    }

    private func add(_ words: String...) async throws {
        _ = try await notebook.add(words, to: TaskRecord.type)
    }

    @Test("Projects count their own records and those below them; records without a project are last")
    func projects() async throws {
        try await add("A", "project:home.garden", "due:2026-11-01")
        try await add("B", "project:home")
        try await add("C", "project:home-office")
        try await add("D")
        _ = try await notebook.add(["Plan", "project:home"], to: NoteRecord.type)
        _ = try await notebook.complete(.words(["title:b"]))
        let report = try await notebook.groupingReport(by: .project)
        #expect(report.rows.map(\.name) == ["home", "home.garden", "home-office", ""])
        #expect(report.rows.map(\.level) == [0, 1, 0, 0])
        #expect(report.rows[1].lastLevel == "garden")
        #expect(report.rows.map(\.open) == [1, 1, 1, 1])
        #expect(report.rows.map(\.done) == [1, 0, 0, 0])
        #expect(report.rows.map(\.overdue) == [1, 1, 0, 0])
        #expect(report.rows.map(\.other) == [1, 0, 0, 0])
        #expect((report.all.open, report.all.done, report.all.other) == (3, 1, 1))
        let tasks = try await notebook.groupingReport(by: .project, ["project:home"], onlyCompletable: true)
        #expect(tasks.rows.map(\.name) == ["home", "home.garden"])
        #expect(tasks.all.other == 0)
    }

    @Test("A record counts for each of its tags, and once in all")
    func tags() async throws {
        try await add("A", "+x", "+y")
        try await add("B", "+x")
        let report = try await notebook.groupingReport(by: .tags)
        #expect(report.rows.map(\.name) == ["x", "y"])
        #expect(report.rows.map(\.open) == [2, 1])
        #expect(report.all.open == 2)
    }

    @Test("The agenda has the past first, then the days to the end of the span, and numbers its records")
    func agenda() async throws {
        try await add("Later", "due:2026-12-01")
        try await add("Friday", "due:2026-11-20")
        try await add("Past", "due:2026-11-16")
        try await add("Today", "due:2026-11-18T15:00Z")
        try await add("No date")
        let agenda = try await notebook.agenda(.week)
        #expect(agenda.entries.map(\.record.titleOrID) == ["Past", "Today", "Friday"])
        #expect(agenda.entries.map(\.number) == [1, 2, 3])
        #expect(agenda.entries.map(\.isOverdue) == [true, false, false])
        #expect(agenda.later == 1)
        #expect(agenda.counts.count == 4)
        #expect(try await notebook.complete(.words(["3"])).changed.map(\.titleOrID) == ["Friday"])
        #expect(try await notebook.agenda(.today).entries.map(\.record.titleOrID) == ["Past", "Today"])
        #expect(try await notebook.agenda(.all, ["later"]).entries.map(\.record.titleOrID) == ["Later"])
    }

    @Test("An agenda that is read again keeps the numbers, and gives new records none")
    func kept() async throws {
        try await add("A", "due:2026-11-19")
        let first = try await notebook.agenda(.week)
        try await add("B", "due:2026-11-18")
        let key = try #require(first.entries.first?.record.key)
        let again = try await notebook.agenda(.week, keeping: [key: 1])
        #expect(again.entries.map(\.record.titleOrID) == ["B", "A"])
        #expect(again.entries.map(\.number) == [nil, 1])
        #expect(try await notebook.key(of: "1") == key)
    }

    @Test("Records count for the week in which they were added and completed")
    func weeks() async throws {
        try await add("A")
        try await add("B")
        _ = try await notebook.complete(.words(["title:a"]))
        let report = try await notebook.weeklyReport(weeks: 3)
        #expect(report.weeks.map(\.start.description) == ["2026-11-02", "2026-11-09", "2026-11-16"])
        #expect(report.weeks.map(\.added) == [0, 0, 2])
        #expect(report.weeks.map(\.completed) == [0, 0, 1])
        #expect(try await notebook.weeklyReport(["title:b"], weeks: 1).weeks.map(\.completed) == [0])
    }
}
