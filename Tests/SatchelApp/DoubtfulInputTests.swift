import CanonicalJSON
import ControllerKit
import Testing

/// What could be read in two ways, or would otherwise be stored unnoticed.
@MainActor
@Suite("Doubtful input", .timeLimit(.minutes(5)))
struct DoubtfulInputTests {
    private let device: CommandDevice

    init() throws { device = try CommandDevice.alone() }

    private func refusal(_ words: String...) async throws -> String {
        let answer = try await device.attempt(words)
        #expect(answer.status == .usage, "\(words): \(answer.out)\(answer.err)")
        return answer.err
    }

    // MARK: Selections

    @Test("Words that find several records ask first; those that find one record don't")
    func parts() async throws {
        for title in ["Milkshake", "Almond milk", "Bread"] { try await device.run("add", title) }
        let refused = try await refusal("done", "milk")
        #expect(refused.contains("2 tasks: ") && refused.contains("“Almond milk”") && refused.contains("--yes"))
        try await device.run("done", "brea")
        #expect(try await device.run("done", "milk", "--yes").err.contains("Done: 2 tasks."))
        #expect(try await device.run("count").out == "0\n")
    }

    @Test("A filter in one pair of quotes is a filter, also in a saved filter and in a context")
    func quotedFilters() async throws {
        try await device.run("add", "X", "+x")
        try await device.run("add", "Y", "+y")
        try await device.run("add", "Z", "+z", "+x")
        #expect(try await device.run("count", "+x or +y").out == "3\n")
        #expect(try await device.run("count", "( +x or +y ) and +z").out == "1\n")
        #expect(try await device.run("count", "(+x or +y)", "-z").out == "2\n")
        try await device.run("save", "either", "+y or +z")
        #expect(try await device.run("count", "@either").out == "2\n")
        try await device.run("context", "define", "c", "+y or +z")
        try await device.run("context", "c")
        #expect(try await device.run("list", "--plain", "--columns", "title").out == "Y\nZ\n")
        // Words of a text stay a phrase.
        #expect(try await device.run("list", "buy and sell").out.contains("No matches for “\"buy and sell\"”."))
    }

    // MARK: Dates

    @Test("A number after a date that looks like a time is refused, with the time as it is written")
    func times() async throws {
        for (words, time) in [
            (["Call", "due:friday", "17.30"], "due:\"friday 17:30\""), (["Call", "due:tomorrow", "1700"], "17:00"),
            (["Dentist", "due:friday", "17h"], "due:\"friday 17:00\""), (["Dentist", "due:friday", "14h30"], "14:30"),
            (["Dentist", "due:friday", "5"], "due:\"friday 5pm\""),
        ] {
            let answer = try await device.attempt(["add"] + words)
            #expect(answer.status == .usage && answer.err.contains(time), "\(words): \(answer.err)")
        }
        #expect(try await device.titles() == [])
        try await device.run("add", "due:friday", "5", "eggs")
        try await device.run("add", "5", "due:friday")
        #expect(try await device.titles() == ["5", "5 eggs"])
    }

    @Test("A day that doesn't exist is refused with the reason, also without quotes")
    func impossibleDays() async throws {
        #expect(try await refusal("add", "Post", "due:31 nov").contains("November has 30 days"))
        #expect(try await refusal("add", "Post", "due:31", "nov").contains("November has 30 days"))
        #expect(try await refusal("add", "Post", "due:29 feb 2027").contains("February 2027 has 28 days"))
        #expect(try await refusal("add", "Post", "due:2026-02-30").contains("February 2026 has 28 days"))
        #expect(try await refusal("add", "Post", "due:mon", "15 jan 2031").contains("2031-01-15 is a Wednesday"))
        #expect(try await device.titles() == [])
    }

    @Test("`name=value` and empty levels of a project are refused")
    func signs() async throws {
        #expect(try await refusal("add", "x", "due=friday").contains("Write due:friday instead of “due=friday”."))
        try await device.run("add", "a=b", "--", "due=friday")
        for project in [".", "a..b", "a."] {
            #expect(try await refusal("add", "x", "project:" + project).contains("is empty"))
        }
        #expect(try await device.titles() == ["a=b due=friday"])
    }

    @Test("The answer to `add` names the interval, and the day until which lists omit the record")
    func answers() async throws {
        let repeating = try await device.run("add", "R", "due:2031-01-15", "repeat:every month on the 15th").err
        #expect(repeating.contains(", repeats the 15th of each month."), "\(repeating)")
        let hidden = try await device.run("add", "Paint", "wait:2031-01-15").err
        #expect(hidden.contains(", hidden until Wed 15 Jan 2031."), "\(hidden)")
    }

    // MARK: Lists

    @Test("A started task is marked, and a column may be named by the field's other name")
    func started() async throws {
        let id = try await device.add("Paint")
        try await device.run("start", id)
        #expect(try await device.run("list").out.contains("started"))
        #expect(try await device.run("list", "--plain", "--columns", "created,title").out.hasSuffix("\tPaint\n"))
    }

    @Test("Records of the same second are listed in the order in which they were added")
    func order() async throws {
        device.files["-"] = ["first", "second", "third", "fourth"].map { "add \($0)\n" }.joined()
        let titles = ["e", "d", "c", "b", "a"]
        device.files["tasks.txt"] = titles.map { $0 + "\n" }.joined()
        try await device.run("import", "todotxt", "tasks.txt")
        #expect(try await device.run("list", "--plain", "--columns", "title").out == "e\nd\nc\nb\na\n")
    }

    @Test("The next task of a series has unchecked boxes")
    func checkBoxes() async throws {
        let id = try await device.add("Weekly review", "due:2031-01-15", "repeat:weekly", "body:- [ ] Inbox")
        try await device.run("check", id, "1")
        try await device.run("done", id)
        let next = try #require(try await device.records().first { $0.fields["status"] == "pending" })
        #expect(next.fields["body"] == "- [ ] Inbox")
        #expect(try await device.fields(id)["body"] == "- [x] Inbox")
    }

    // MARK: Imports

    @Test("A task that depends on a template of Taskwarrior is blocked; a user-defined attribute may have any name")
    func taskwarrior() async throws {
        device.files["tw.json"] = """
            [{"uuid":"11111111-1111-4111-8111-111111111111","description":"Water","status":"recurring","recur":"5h",
              "due":"20310115T000000Z","entry":"20260101T000000Z"},
             {"uuid":"22222222-2222-4222-8222-222222222222","description":"Harvest","status":"pending",
              "depends":["11111111-1111-4111-8111-111111111111"],"entry":"20260101T000000Z","remind":"tomorrow"}]
            """
        try await device.run("import", "taskwarrior", "tw.json")
        #expect(try await device.run("list", "blocked").out.contains("Harvest"))
        let exported = try await device.run("export", "taskwarrior", "-").out
        #expect(exported.contains("\"remind\":\"tomorrow\""), "\(exported)")
    }

    @Test("A note of a file that is named by digits gets its title from the first heading")
    func numberedFiles() async throws {
        device.files = [
            "notes/20261125101112.md": "# Recipe for bread\n\nFlour.\n",
            "notes/20261125101113.todo.md": "- [ ] Buy milk\n",
            "notes/Plan.md": "# Other\n",
        ]
        for name in device.files.keys.sorted() { try await device.run("import", name) }
        #expect(
            try await device.titles("notes").sorted() == ["20261125101113.todo", "Plan", "Recipe for bread"])
    }
}
