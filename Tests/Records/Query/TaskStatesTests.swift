import Records
import Testing

@Suite("States of records that follow from times and from other records")
struct TaskStatesTests {
    /// The present time of `DateExpressionTests` is on 2026-11-21.
    private let rows: [QueryRow] = [
        task("plain", [:]),
        task("waits", ["wait": "2026-12-01T00:00:00Z"]),
        task("waited", ["wait": "2026-11-01T00:00:00Z"]),
        task("later", ["scheduled": "2026-12-01T00:00:00Z"]),
        task("started", ["start": "2026-11-20T00:00:00Z"]),
        task("paint", ["depends": ["buy", "gone"]]),
        task("buy", ["depends": ["done"]]),
        task("done", ["status": "completed", "wait": "2026-12-01T00:00:00Z", "depends": ["plain"]]),
        QueryRow(collection: "notes", id: "note", fields: ["wait": "2026-12-01T00:00:00Z", "depends": ["plain"]]),
    ]

    private static func task(_ id: String, _ fields: JSONObject) -> QueryRow {
        QueryRow(collection: "tasks", id: id, fields: fields)
    }

    private func ids(_ words: [String], scope: Query.Scope = .open) throws -> [String] {
        try Query(words, dates: DateExpressionTests.context(), types: .standard, scope: scope).select(from: rows)
            .map(\.id).sorted()
    }

    @Test(
        "words select states; a list omits records that wait, unless a word names them or a status",
        arguments: [
            ([], ["buy", "later", "paint", "plain", "started", "waited"]), (["waiting"], ["waits"]),
            (["not:waiting", "task"], ["buy", "later", "paint", "plain", "started", "waited"]),
            (["pending", "task"], ["buy", "later", "paint", "plain", "started", "waited", "waits"]),
            (["wait>today"], ["note", "waits"]), (["active"], ["started"]), (["blocked"], ["paint"]),
            (["blocking"], ["buy"]), (["-blocked", "blocking"], ["buy"]),
            (["ready"], ["buy", "plain", "started", "waited"]), (["depends:bu"], ["paint"]),
            (["depends:", "-waiting", "note"], []), (["wait.after:today"], ["note", "waits"]),
            (["has:wait"], ["note", "waited", "waits"]), (["waiting", "or", "active"], ["started", "waits"]),
            (["depends.is:bu"], ["paint"]), (["not", "(", "ready", "or", "note", ")"], ["later", "paint"]),
        ] as [([String], [String])])
    func states(words: [String], expected: [String]) throws {
        #expect(try ids(words) == expected)
    }

    @Test(
        "a state in a branch of a filter exempts only the records of that branch from the usual ones",
        arguments: [
            (["done", "or", "note"], ["done", "note"]),
            (
                ["done", "or", "task"],
                [
                    "buy", "done", "later", "paint", "plain", "started", "waited",
                ]
            ),
            (["(", "done", "or", "has:scheduled", ")", "has:depends"], ["done"]),
            (["waiting", "or", "has:depends"], ["buy", "note", "paint", "waits"]),
            (["has:depends", "or", "wait>today", "has:depends"], ["buy", "note", "paint"]),
            (["all", "(", "done", "or", "has:depends", ")"], ["buy", "done", "note", "paint"]),
            (["done", "xor", "has:depends"], ["buy", "note", "paint"]),
            (["not", "(", "done", "or", "note", ")", "has:wait"], ["waited", "waits"]),
            (["+COMPLETED", "or", "active"], ["done", "started"]),
        ] as [([String], [String])])
    func branches(words: [String], expected: [String]) throws {
        #expect(try ids(words) == expected)
    }

    @Test(
        "a record waits until the day begins in the user's time zone, and is ready from then",
        arguments: [("2026-11-30T22:59:59Z", true), ("2026-11-30T23:00:00Z", false)])
    func days(now: String, isEarly: Bool) throws {
        let dates = try DateExpressionTests.context(now)
        let hidden = Self.task("hidden", ["wait": "2026-12-01"])
        let planned = Self.task("planned", ["scheduled": "2026-12-01"])
        #expect(try Query(["waiting"], dates: dates, types: .standard).matches(hidden) == isEarly)
        #expect(try Query([], dates: dates, types: .standard, scope: .open).matches(hidden) != isEarly)
        #expect(try Query(["ready"], dates: dates, types: .standard).matches(planned) != isEarly)
    }

    @Test("all and the status done include records that wait")
    func all() throws {
        #expect(try ids(["all"]).count == rows.count)
        #expect(try ids(["done"]) == ["done"])
    }

    @Test("a search looks for the words of states, and for the names of states that no type declares")
    func words() throws {
        let plain = RecordTypes([NoteRecord.type])
        let row = QueryRow(collection: "notes", id: "n", fields: ["title": "I am ready"])
        let query = try Query(["ready"], dates: DateExpressionTests.context(), types: plain)
        #expect(query.matches(row))
        #expect(try SearchQuery(["ready"], dates: DateExpressionTests.context(), types: .standard).words == ["ready"])
    }

    @Test("a number of a list is refused in a filter, since only lists know it")
    func number() throws {
        let dates = try DateExpressionTests.context()
        let error = try #require(throws: InputError.self) { try Query(["depends:2"], dates: dates, types: .standard) }
        #expect(error.description.contains("depends:wkxp"))
    }

    @Test("parts are counted for the record of which they are parts, whether it is known or not")
    func progress() {
        let parts = [
            Self.task("a", ["partof": "p"]), Self.task("b", ["partof": "p", "status": "completed"]),
            Self.task("c", ["partof": "c"]),
        ]
        let links = RecordLinks(parts, types: .standard)
        #expect(links.progress(of: "p")?.done == 1)
        #expect(links.progress(of: "p")?.total == 2)
        #expect(links.progress(of: "c") == nil)
    }
}
