import ControllerKit
@testable import Controllers
import Foundation
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Finding tasks and notes", .timeLimit(.minutes(5)))
struct ListTests {
    private func list(_ filter: String..., limit: Int? = nil, offset: Int? = nil) -> ListScreen.Intent {
        .list(filter: filter, limit: limit, offset: offset)
    }

    /// Five tasks, oldest first, and what is special about each.
    private func filled() throws -> Home {
        let home = try Home()
        try home.put([
            "a": ["title": "Buy milk", "tags": ["shop"], "due": "2026-11-22T10:00:00Z", "priority": "L"],
            "b": ["title": "Write report", "project": "work.q4", "due": "2026-11-20T10:00:00Z"],
            "c": ["title": "Café visit", "body": "with Zoë", "priority": "H"],
            "d": ["title": "Old thing", "status": "completed", "end": "2026-11-01T00:00:00Z"],
            "e": ["title": "Waits", "tags": ["shop", "later"]],
        ])
        return home
    }

    @Test("Without a filter: open tasks, the most urgent first, then by priority, then by age")
    func standard() async throws {
        let list = try filled().list()
        try await list.send(self.list())
        #expect(list.state.rows.map(\.id) == ["b", "a", "c", "e"])
        #expect(list.state.rows.map(\.number) == [1, 2, 3, 4])
        #expect((list.state.total, list.state.offset, list.state.filter) == (4, 0, ""))
    }

    @Test(
        "Filters by tag, project, priority, status, date and words",
        arguments: [
            (["+shop"], ["a", "e"]), (["+shop", "-later"], ["a"]), (["project:work"], ["b"]), (["priority:H"], ["c"]),
            (["done"], ["d"]), (["overdue"], ["b"]), (["due:tomorrow"], ["a"]), (["due<today"], ["b"]),
            (["cafe"], ["c"]), (["zoe"], ["c"]), (["all", "sort:-entry"], ["e", "d", "c", "b", "a"]),
            (["sort:priority,due"], ["c", "a", "b", "e"]), (["+nothing"], []),
        ])
    func filters(words: [String], ids: [String]) async throws {
        let list = try filled().list()
        try await list.send(.list(filter: words, limit: nil, offset: nil))
        #expect(list.state.rows.map(\.id) == ids)
        #expect(list.state.filter == words.joined(separator: " "))
        #expect(list.state.total == ids.count)
    }

    @Test(
        "An invalid filter is reported with a suggestion, and the previous list stays",
        arguments: [
            ("porject:home", "project"), ("due:tomorow", "tomorrow"), ("priority:Z", "priority:H"),
            ("sort:", "sort:title"),
        ])
    func badFilter(word: String, hint: String) async throws {
        let list = try filled().list()
        try await list.send(self.list())
        let before = list.state
        let error = await failure { try await list.send(.list(filter: [word], limit: nil, offset: nil)) }
        #expect(error.category == .usage)
        #expect(error.message.contains(hint))
        #expect(list.state == before)
    }

    @Test("A row contains what a list needs, and no more")
    func row() async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(self.list("tag:none"))
        try await list.send(self.list("priority:L"))
        let due = try #require(Timestamp("2026-11-22T10:00:00Z"))
        var wanted = ListScreen.State.Row(
            number: 1, id: "a", prefix: "a", collection: "tasks", title: "Buy milk",
            values: [
                "tags": .texts(["shop"]), "due": .date(.time(due), words: "tomorrow 10:00"),
                "priority": .text("L"), "status": .text("pending"),
            ], isOverdue: false, isDone: false, hasMore: false, isUnsent: false, urgency: 10.854, group: .tomorrow)
        wanted.typed = try #require(list.state.rows.first).typed
        #expect(list.state.rows == [wanted])
        home.clock.advance(by: .seconds(2 * 86_400))
        try await list.send(self.list("priority:L"))
        (wanted.isOverdue, wanted.urgency, wanted.group) = (true, 11.779, .overdue)
        wanted.values["due"] = .date(.time(due), words: "-1d")
        wanted.typed.json["urgency"] = .number(try #require(JSONNumber(11.779)))
        #expect(list.state.rows == [wanted])
    }

    @Test("Parts follow their task in the usual order; a requested order is kept")
    func parts() async throws {
        let home = try Home()
        try home.put([
            "part": ["title": "Pack", "partof": "whole"], "other": ["title": "Other"], "whole": ["title": "Move"],
            "urgent": ["title": "Call", "partof": "whole", "due": "2026-11-21"],
        ])
        let list = home.list()
        try await list.send(self.list())
        let ids = list.state.rows.map(\.id)
        let place = try #require(ids.firstIndex(of: "whole"))
        #expect(ids.first == "urgent" && ids[place + 1] == "part")
        #expect(list.state.rows.map(\.depth) == ids.map { $0 == "part" ? 1 : 0 })
        #expect(list.state.rows[place].progress?.total == 2)
        try await list.send(self.list("sort:title"))
        #expect(list.state.rows.map(\.depth) == [0, 0, 0, 0])
    }

    @Test("Unsent edits are marked only in a home with an account")
    func unsentMark() async throws {
        for (username, isUnsent) in [(nil, false), ("ada", true)] as [(String?, Bool)] {
            let home = try Home(signedInAs: username)
            try home.put(["a": ["title": "Buy milk"]])
            let list = home.list()
            try await list.send(self.list())
            #expect(list.state.rows.map(\.isUnsent) == [isUnsent])
        }
    }

    @Test("In JSON a row has its values under the fields' names and survives a round trip")
    func json() async throws {
        let chest = RecordType(
            collection: "chests", names: ["chest"],
            fields: [
                Field(.title, kind: .title, place: .form),
                Field(FieldKey<Double>("number"), column: Field.Column("number")),
                Field(FieldKey<Bool>("locked"), column: Field.Column("locked")),
                Field(FieldKey<Timestamp>("found"), column: Field.Column("found")),
            ])
        let home = try Home(types: .standard.adding(chest))
        try home.put(["a": ["title": "Buy milk", "tags": ["shop"], "due": "2026-11-22T10:00:00Z", "repeat": "weekly"]])
        let list = home.list()
        try await list.send(
            .add(["Gold", "number:7", "locked:true", "found:2026-11-20"], body: nil, type: "chest"))
        try await list.send(self.list("all"))
        let text = try JSONEncoder.stateText(of: list.state)
        let rows = try #require(try JSONValue(parsing: text).object?["rows"]?.array?.compactMap(\.object))
        #expect(
            Set(rows[0].names) == [
                "number", "id", "prefix", "collection", "title", "tags", "due", "dueWords", "isOverdue", "status",
                "repeat", "repeatCanonical",
                "hasMore", "isUnsent", "hasConflict", "depth", "urgency", "group", "isDone", "values",
            ])
        #expect(rows[0]["tags"] == ["shop"] && rows[0]["dueWords"] == "tomorrow 10:00")
        #expect((rows[1]["number"], rows[1]["field.number"], rows[1]["locked"]) == (2, 7, true))
        #expect((rows[1]["group"], rows[1]["mark"], rows[1]["isDone"]) == ("chests", "chest", nil))
        let read = try JSONDecoder().decode(ListScreen.State.self, from: Data(text.utf8))
        #expect(read.rows == list.state.rows)
    }

    @Test("A type that is not declared is refused; the message names the declared ones")
    func unknownType() async throws {
        let list = try Home().list()
        let error = await failure { try await list.send(.add(["x"], body: nil, type: "chest")) }
        #expect(error.category == .usage && error.message == "Unknown type “chest”. Known types: task, note.")
    }

    @Test("A day in a filter is a day of the user's time zone, also when daylight saving makes it 23 hours long")
    func daylightSaving() async throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let dayBefore = try Date("2026-03-28T12:00:00Z", strategy: .iso8601)
        let home = try Home(clock: ManualClock(start: dayBefore), timeZone: berlin)
        try home.put([
            "before": ["title": "Before", "due": "2026-03-28T22:59:59Z"],
            "first": ["title": "First second", "due": "2026-03-28T23:00:00Z"],
            "last": ["title": "Last second", "due": "2026-03-29T21:59:59Z"],
            "after": ["title": "After", "due": "2026-03-29T22:00:00Z"],
        ])
        let list = home.list()
        try await list.send(self.list("due:tomorrow"))
        #expect(list.state.rows.map(\.id) == ["first", "last"])
        home.clock.advance(by: .seconds(86_400))
        try await list.send(self.list("due:today"))
        #expect(list.state.rows.map(\.id) == ["first", "last"])
        try await list.send(.add(["Call", "due:tomorrow"], body: nil))
        let id = try #require(list.state.changed.first)
        #expect(try home.task(id)?["due"] == "2026-03-30")
    }

    @Test("Rows have groups by the days of the user's calendar, in order; other orders have no groups")
    func groups() async throws {
        let home = try filled()
        try home.put([
            "f": ["title": "Whole day", "due": "2026-11-21T00:00:00Z"],
            "g": ["title": "Next year", "due": "2027-11-21T00:00:00Z"],
        ])
        let list = home.list()
        try await list.send(.add(["Ideas"], body: nil, type: "note"))
        try await list.send(self.list("all"))
        #expect(
            list.state.rows.map(\.group) == [
                .overdue, .today, .tomorrow, .later, .noDate, .noDate, .notes, .done,
            ])
        #expect(list.state.rows.map(\.isOverdue) == [true] + Array(repeating: false, count: 7))
        let today = try #require(Timestamp("2026-11-21T00:00:00Z"))
        #expect(list.state.rows[1].values["due"] == .date(.time(today), words: "today"))
        try await list.send(.add(["Later"], body: nil))
        #expect(list.state.rows.last?.group == .new)
        try await list.send(self.list("sort:due"))
        #expect(list.state.rows.allSatisfy { $0.group == nil })
    }

    @Test("Notes with and without a due date are in one group")
    func datedNote() async throws {
        let home = try filled()
        let list = home.list()
        // An earlier version accepted such notes.
        try home.services.store.writeNow { cache in
            let fields: JSONObject = ["title": "Ideas", "due": "2026-11-21T00:00:00Z"]
            _ = try cache.edit(RecordKey(collection: "notes", id: "n1"), fields)
        }
        try await list.send(.add(["Plan"], body: nil, type: "note"))
        try await list.send(self.list("all"))
        let groups = list.state.rows.compactMap(\.group)
        #expect(groups.suffix(3) == [.notes, .notes, .done])
    }

    @Test("In a program without tasks and notes, `add` adds a record of its first type, whose plural is the heading")
    func otherType() async throws {
        let book = RecordType(
            collection: "shelf", names: ["book", "books"], fields: [Field(.title, kind: .title, place: .form)])
        let list = try Home(types: RecordTypes([book])).list()
        try await list.send(.add(["Dune"], body: nil))
        #expect(list.state.notice?.hasPrefix("Added book ") == true)
        try await list.send(self.list())
        #expect(list.state.rows.map(\.mark) == ["book"])
        #expect(list.state.rows.first?.group?.title(list.state.types.types) == "Books")
        let error = await failure { try await list.send(.add(["Ideas"], body: nil, type: "note")) }
        #expect(error == Failure(.usage, "Unknown type “note”. Known types: book."))
    }

    @Test("A record stays in its group while it changes, until the next list")
    func staysInGroup() async throws {
        let list = try filled().list()
        try await list.send(self.list())
        try await list.send(.complete(["1"]))
        #expect(list.state.rows.first?.group == .overdue)
        #expect(list.state.rows.first?.isOverdue == false)
        try await list.send(self.list("all"))
        #expect(list.state.rows.suffix(2).map(\.group) == [.done, .done])
    }

    @Test("A filter is shown as it would be typed")
    func shownFilter() async throws {
        let list = try filled().list()
        try await list.send(self.list("Old thing", "all"))
        #expect(list.state.filter == "\"Old thing\" all")
        #expect(list.state.rows.map(\.id) == ["d"])
    }

    @Test("sort:edited is the order of the last edits")
    func edited() async throws {
        let list = try filled().list()
        try await list.send(self.list())
        try await list.send(.tag(["1", "+x"]))
        try await list.send(self.list("sort:-edited"))
        #expect(list.state.rows.first?.id == "b")
        try await list.send(self.list("sort:edited"))
        #expect(list.state.rows.last?.id == "b")
    }

    @Test("`limit:` sets the size of the window, unless an option does")
    func limitWord() async throws {
        let list = try filled().list()
        try await list.send(.list(filter: ["limit:2"], limit: nil, offset: 1))
        #expect(list.state.rows.map(\.id) == ["a", "c"])
        #expect((list.state.total, list.state.offset) == (4, 1))
        try await list.send(.list(filter: ["limit:2"], limit: 3, offset: nil))
        #expect(list.state.rows.count == 3)
    }

    @Test("A letter after - is refused, unless it is a tag in use")
    func letters() async throws {
        let home = try filled()
        let list = home.list()
        let error = await failure { try await list.send(.list(filter: ["-n", "3"], limit: nil, offset: nil)) }
        #expect(
            error
                == Failure(
                    .usage,
                    "“-n” is not an option, and no record has the tag “n”. Write options in full, such as --limit 3; for "
                        + "records without the tag, write not:+n."))
        try home.put(["n": ["title": "Tagged", "tags": ["n"]]])
        try await list.send(.list(filter: ["-n"], limit: nil, offset: nil))
        #expect(list.state.total == 4)
        try await list.send(.list(filter: ["not:+x"], limit: nil, offset: nil))
        #expect(list.state.total == 5)
    }

    @Test("A window has its limit and offset; the numbers start after the offset")
    func window() async throws {
        let list = try filled().list()
        try await list.send(self.list(limit: 2, offset: 1))
        #expect(list.state.rows.map(\.id) == ["a", "c"])
        #expect(list.state.rows.map(\.number) == [2, 3])
        #expect((list.state.total, list.state.offset) == (4, 1))
        try await list.send(self.list(limit: 2, offset: 9))
        #expect(list.state.rows.isEmpty)
        #expect(list.state.total == 4)
    }

    @Test(
        "An invalid limit or offset is refused",
        arguments: [(0, nil), (-1, nil), (10_001, nil), (5, -1), (5, Int.max)] as [(Int, Int?)])
    func badWindow(limit: Int, offset: Int?) async throws {
        let error = await failure { try await filled().list().send(self.list(limit: limit, offset: offset)) }
        #expect(error.category == .usage)
        let isAboutLimit = !(1...10_000).contains(limit)
        #expect(error.message.hasPrefix(isAboutLimit ? "The limit must be" : "The offset must be"))
    }

    @Test("Of 10,000 records a state contains a window, and each of them can be reached")
    func many() async throws {
        let home = try Home()
        try home.services.store.writeNow { cache in
            for index in 0..<10_000 {
                let task = TaskRecord(title: "Task \(index)", entry: Timestamp(seconds: 1_700_000_000 + Int64(index)))
                try cache.edit(RecordKey(collection: "tasks", id: "id-\(index)"), task.fields)
            }
        }
        let list = home.list()
        try await list.send(self.list())
        #expect((list.state.rows.count, list.state.total) == (100, 10_000))
        try await list.send(self.list(limit: 10, offset: 9_990))
        #expect(list.state.rows.map(\.number) == Array(9_991...10_000))
        #expect(list.state.rows.last?.id == "id-9999")
        try await list.send(.complete(["10000"]))
        #expect(list.state.changed == ["id-9999"])
    }

    @Test("A search finds whole words and prefixes anywhere, in notes and completed tasks too, titles first")
    func search() async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(.add(["Report", "of", "Zoë"], body: "the old numbers", type: "note"))
        try await list.send(.search(["rep"], limit: nil))
        #expect(Set(list.state.rows.map(\.title)) == ["Report of Zoë", "Write report"])
        try await list.send(.search(["old"], limit: nil))
        #expect(list.state.rows.map(\.title) == ["Old thing", "Report of Zoë"])
        try await list.send(.search(["zoe", "numbers"], limit: nil))
        #expect(list.state.rows.map(\.title) == ["Report of Zoë"])
        #expect(list.state.rows.map { $0.values["status"] } == [nil])
        try await list.send(.search(["o"], limit: 1))
        #expect(list.state.rows.count == 1)
    }

    @Test("A search result shows where its words are; filters narrow it, and a sort changes its order")
    func narrowedSearch() async throws {
        let home = try filled()
        try home.put([
            "f": [
                "title": "Call plumber", "tags": ["house"], "body": "about\nthe Café's tap",
                "due": "2026-11-25T00:00:00Z",
            ],
            "g": ["title": "Pay plumber", "tags": ["house"], "due": "2026-11-23T00:00:00Z"],
            "h": ["title": "Thank plumber", "tags": ["later"], "status": "completed"],
        ])
        let list = home.list()
        try await list.send(.search(["plumb", "+house", "cafe"], limit: nil))
        #expect(list.state.rows.map(\.id) == ["f"])
        #expect(
            list.state.rows.first?.match
                == .init(
                    title: [TextPiece("Call "), TextPiece("plumber", isHit: true)],
                    excerpt: [TextPiece("about the "), TextPiece("Café", isHit: true), TextPiece("'s tap")]))
        #expect(list.state.rows.first?.group == nil)
        try await list.send(.search(["plumber", "sort:due"], limit: nil))
        #expect(list.state.rows.map(\.id) == ["g", "f", "h"])
        try await list.send(.search(["plumber", "due<eom", "-tag:later"], limit: nil))
        #expect(Set(list.state.rows.map(\.id)) == ["f", "g"])
        try await list.send(.search(["+house"], limit: nil))
        #expect(list.state.rows.map(\.id) == ["g", "f"])
        #expect(list.state.rows.first?.match == .init(title: [TextPiece("Pay plumber")], excerpt: []))
    }

    @Test(
        "A search term is always text, never an expression",
        arguments: ["\"", "AND", "title:x", "*", "(", "'; DROP TABLE records", "\u{0}", "🙈"])
    func hostileSearch(word: String) async throws {
        let list = try filled().list()
        try await list.send(.search([word], limit: nil))
        #expect(list.state.rows.isEmpty)
    }
}
