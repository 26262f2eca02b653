import Records
import Testing

@Suite("Queries")
struct QueryTests {
    private let rows: [QueryRow] = [
        task("milk", ["title": "Buy milk", "tags": ["shop"], "due": "2026-11-21T12:00:00Z", "priority": "L"]),
        task("core", ["title": "Fix crash", "project": "core.io", "priority": "H", "due": "2026-11-25T00:00:00Z"]),
        task(
            "done", ["title": "Old", "status": "completed", "tags": ["Shop", "old"], "entry": "2026-01-01T00:00:00Z"]),
        task(
            "café", ["title": "Réserver le CAFÉ", "body": "with milk", "entry": "2026-02-01T00:00:00Z", "estimate": 3]),
        task("late", ["title": "Tax", "due": "2026-11-01T00:00:00Z", "project": "corefoo", "tags": []]),
        QueryRow(
            collection: "notes", id: "note",
            fields: [
                "title": "Ideas",
                "annotations": [["entry": "2026-01-01T00:00:00Z", "description": "see http://x.org"]],
            ]),
    ]

    private static func task(_ id: String, _ fields: JSONObject) -> QueryRow {
        QueryRow(collection: "tasks", id: id, fields: fields)
    }

    private func ids(_ words: [String], scope: Query.Scope = .all) throws -> [String] {
        try Query(words, dates: DateExpressionTests.context(), types: .standard, scope: scope).select(from: rows)
            .map(\.id)
    }

    @Test(
        "words select records",
        arguments: [
            (["+shop"], ["done", "milk"]), (["tag:SHOP"], ["done", "milk"]),
            (["-shop", "task"], ["café", "core", "late"]),
            (["+shop", "-old"], ["milk"]), (["project:core"], ["core"]), (["project:CORE.io"], ["core"]),
            (["project:", "task"], ["café", "done", "milk"]), (["-project:core", "+shop"], ["done", "milk"]),
            (["priority:h"], ["core"]), (["priority:", "task"], ["café", "done", "late"]),
            (["status:completed"], ["done"]),
            (["done"], ["done"]), (["status:done"], ["done"]), (["pending", "+shop"], ["milk"]), (["note"], ["note"]),
            (["due:today"], ["milk"]), (["due<today"], ["late"]), (["due<=today"], ["late", "milk"]),
            (["due>today"], ["core"]),
            (["due>=today"], ["core", "milk"]), (["due:2026-11-21T12:00:00Z"], ["milk"]),
            (["due<eow"], ["late", "milk"]),
            (["due:", "task"], ["café", "done"]), (["not:due:", "task"], ["core", "late", "milk"]),
            (["overdue"], ["late"]), (["-done", "+shop"], ["milk"]), (["-note", "-task"], []),
            (["priority:H,L"], ["core", "milk"]), (["project:core,corefoo"], ["core", "late"]),
            (["tag:old,shop", "-done"], ["milk"]), (["-tag:shop,old", "task"], ["café", "core", "late"]),
            (["-due<eow", "project:core"], ["core"]), (["milk"], ["café", "milk"]), (["cafe"], ["café"]),
            (["reserver le"], ["café"]),
            (["http://x.org"], ["note"]), (["not:milk", "task", "pending"], ["core", "late"]),
            (["title:milk"], ["milk"]),
            (["body:milk"], ["café"]), (["field.estimate:3"], ["café"]),
            (["tags:", "task"], ["café", "core", "late"]),
            (["old"], ["done"]), (["not:not:+old"], ["done"]), (["nothing like it"], []),
        ] as [([String], [String])])
    func choosing(words: [String], expected: [String]) throws {
        #expect(try ids(words).sorted() == expected)
    }

    @Test(
        "a tag that begins with a digit is selected, and so is a text that contains the word",
        arguments: [
            (["+123"], ["both", "phone", "tag"]), (["-123"], ["phone"]), (["+1"], ["phone"]), (["not:+123"], []),
            (["+123,2026"], ["both", "tag"]), (["-2026"], ["phone", "tag"]), (["+123", "+2026"], ["both"]),
        ] as [([String], [String])])
    func numericTags(words: [String], expected: [String]) throws {
        let rows = [
            Self.task("tag", ["title": "One", "tags": ["123"]]),
            Self.task("both", ["title": "Two", "tags": ["123", "2026"]]),
            Self.task("phone", ["title": "Call +123 456"]),
        ]
        let query = try Query(words, dates: DateExpressionTests.context(), types: .standard, scope: .all)
        #expect(query.select(from: rows).map(\.id).sorted() == expected)
    }

    @Test("a search looks for a number with a sign as text")
    func searchedNumber() throws {
        let search = try SearchQuery(["+123"], dates: DateExpressionTests.context(), types: .standard)
        #expect(search.words == ["+123"])
    }

    @Test("a list shows open records, unless a word says otherwise")
    func scope() throws {
        #expect(try !ids([], scope: .open).contains("done"))
        #expect(try !ids([], scope: .open).contains("note"))
        #expect(try ids([], scope: .open).count == 4)
        #expect(try ids(["not:due:"], scope: .open).count == 3)
        #expect(try ids(["all"], scope: .open).count == 6)
        #expect(try ids(["status:completed"], scope: .open) == ["done"])
        #expect(try ids(["not:done", "+shop"], scope: .open) == ["milk"])
    }

    @Test("a completed task isn't overdue")
    func overdue() throws {
        let fields: JSONObject = ["due": "2026-11-01T00:00:00Z", "status": "completed"]
        let overdue = try Query(["overdue"], dates: DateExpressionTests.context(), types: .standard)
        #expect(!overdue.matches(Self.task("x", fields)))
    }

    @Test("a task due today without a time isn't overdue before the end of the day")
    func dueToday() throws {
        let overdue = try Query(["overdue"], dates: DateExpressionTests.context(), types: .standard)
        for (due, isOverdue) in [("2026-11-20T23:00:00Z", false), ("2026-11-20T23:00:01Z", true)] {
            #expect(overdue.matches(Self.task("x", ["due": .string(due)])) == isOverdue)
        }
    }

    @Test("a task that Taskwarrior deleted or keeps as a template isn't open")
    func closed() throws {
        let open = try Query([], dates: DateExpressionTests.context(), types: .standard, scope: .open)
        for (status, isOpen) in [("pending", true), ("waiting", true), ("deleted", false), ("recurring", false)] {
            #expect(open.matches(Self.task("x", ["status": .string(status)])) == isOpen)
        }
    }

    @Test(
        "the most urgent is first: due date, tasks before notes, priority, age, then id; completed ones are last")
    func standardOrder() throws {
        #expect(try ids(["all"]) == ["late", "milk", "core", "café", "note", "done"])
    }

    @Test("a record stays in its group, whatever fields of other types or programs it has")
    func groups() throws {
        let rows = [
            QueryRow(collection: "notes", id: "dated note", fields: ["due": "2026-11-01T00:00:00Z"]),
            QueryRow(collection: "notes", id: "plain note", fields: [:]),
            QueryRow(collection: "notes", id: "note with a status", fields: ["status": "completed"]),
            Self.task("reopened", ["due": "2026-11-25T00:00:00Z", "end": "2026-11-02T00:00:00Z"]),
            Self.task("in the evening", ["due": "2026-11-24T23:00:00+02:00"]),
            Self.task("without a date", ["due": "someday"]),
            Self.task("done", ["status": "completed", "end": "2026-11-02T00:00:00Z"]),
        ]
        let query = try Query([], dates: DateExpressionTests.context(), types: .standard)
        #expect(
            query.select(from: rows).map(\.id) == [
                "in the evening", "reopened", "without a date", "dated note", "note with a status", "plain note",
                "done",
            ])
    }

    @Test("a record is closed only by the values of its own type")
    func otherStates() throws {
        let states = FieldKind.choice([
            Choice("reported", names: ["open"]), Choice("fixed", names: ["done"], isClosed: true),
        ])
        let bug = RecordType(
            collection: "bugs", names: ["bug", "bugs"],
            fields: [
                Field(.title, kind: .title), Field(FieldKey<String>("status"), kind: states),
                Field(FieldKey<Timestamp>("milestone"), role: .deadline),
            ])
        let types = RecordTypes.standard.adding(bug)
        let rows = [
            QueryRow(collection: "bugs", id: "closed", fields: ["status": "fixed"]),
            QueryRow(collection: "bugs", id: "next", fields: ["milestone": "2026-11-22T00:00:00Z"]),
            QueryRow(collection: "bugs", id: "other word", fields: ["status": "completed"]),
            Self.task("first", ["due": "2026-11-21T00:00:00Z"]), Self.task("done", ["status": "completed"]),
        ]
        let ids = { (words: [String]) in
            try Query(words, dates: DateExpressionTests.context(), types: types, scope: .open).select(from: rows)
                .map(\.id)
        }
        #expect(try ids([]) == ["first", "next", "other word"])
        #expect(try ids(["fixed"]) == ["closed"])
        #expect(try ids(["bug", "done"]) == ["closed"])
        #expect(try ids(["task", "done"]) == ["done"])
    }

    @Test("sort: selects other orders; records without the field are last in both directions")
    func sorting() throws {
        #expect(try ids(["sort:priority", "task"]).prefix(2) == ["core", "milk"])
        #expect(try ids(["sort:-due", "task"]).prefix(3) == ["core", "milk", "late"])
        #expect(try ids(["sort:title"]) == ["milk", "core", "note", "done", "café", "late"])
        #expect(try ids(["sort:-entry,title"]).prefix(3) == ["café", "done", "milk"])
        #expect(try ids(["sort:-priority", "task"]).prefix(2) == ["milk", "core"])
        #expect(try ids(["sort:created", "task"]).prefix(2) == ["done", "café"])
    }

    @Test("sort:edited uses the time of the last edit; an unknown time and an empty text are last in both directions")
    func edited() throws {
        let times: [(String, UInt64?)] = [("b", 2), ("none", nil), ("a", 1)]
        let rows = times.map { id, time in
            QueryRow(
                collection: "tasks", id: id, fields: ["project": time == nil ? "" : .string(id)],
                edited: time.map { HLC(milliseconds: $0, device: "d") })
        }
        let query = { (word: String) in
            try Query([word], dates: DateExpressionTests.context(), types: .standard)
        }
        #expect(try query("sort:edited").readsEdits && !query("sort:due").readsEdits)
        for (word, ids) in [
            ("sort:edited", ["a", "b", "none"]), ("sort:-edited", ["b", "a", "none"]),
            ("sort:project", ["a", "b", "none"]), ("sort:-project", ["b", "a", "none"]),
        ] {
            #expect(try query(word).select(from: rows).map(\.id) == ids, "\(word)")
        }
    }

    @Test(
        "an invalid query is refused, and the message says what to do",
        arguments: [
            (["porject:x"], "Did you mean “project:”?"), (["due<tomorow"], "Did you mean “tomorrow”?"),
            (["priority:X"], "priority:H"), (["project<x"], "Write “project:value”."), (["sort:"], "sort:title"),
            (["sort:-"], "sort:title"), (["sort:deu"], "Did you mean “sort:due”?"),
            (["sort:-due,nonsense"], "“sort:field.nonsense”"), (["due<"], "Can't read “” as a date"),
            (["not:du:x"], "Did you mean “due:”?"), (["recur:weekly"], "Did you mean “repeat:”?"),
        ] as [([String], String)])
    func refused(words: [String], hint: String) throws {
        let dates = try DateExpressionTests.context()
        let error = try #require(throws: InputError.self) { try Query(words, dates: dates, types: .standard) }
        #expect(error.description.contains(hint), "\(error)")
    }
}
