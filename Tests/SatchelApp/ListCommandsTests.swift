import CanonicalJSON
import ControllerKit
import Testing

@MainActor
@Suite("Lists by commands: groups, forms, filters, names, searches", .timeLimit(.minutes(5)))
struct ListCommandsTests {
    /// A device with an overdue task, one for tomorrow, one without a date, and a note.
    private func filled() async throws -> CommandDevice {
        let device = try await SharedServer().device()
        try await device.run("add", "Pay the rent", "due:yesterday", "priority:H", "project:home")
        try await device.run("add", "Buy oat milk", "+shop", "due:tomorrow 15:00")
        try await device.run("add", "Rivière bleue", "+shop", "+later")
        device.files["plan"] = "beans, then the plumber\n"
        try await device.run("note", "Garden plan", "+garden", "--body-file", "plan")
        return device
    }

    /// The rows of a list.
    private func rows(of state: JSONObject) -> [JSONObject] { (state["rows"]?.array ?? []).compactMap(\.object) }

    /// The titles of a list's rows.
    private func titles(of state: JSONObject) -> [String] { rows(of: state).compactMap { $0["title"]?.string } }

    // MARK: Groups

    @Test("A list is grouped, and has dates in words and no escape codes")
    func groups() async throws {
        let device = try await filled()
        let out = try await device.run("list", "task", "or", "note").out
        let lines = out.split(separator: "\n")
        #expect(
            lines.filter { $0.hasSuffix("(1)") } == ["Overdue (1)", "Tomorrow (1)", "No date (1)", "Notes (1)"])
        #expect(lines.contains { $0.contains("-1d") })
        #expect(lines.contains("Tomorrow (1)") && lines.contains { $0.contains("15:00") })
        #expect(!out.contains("\u{1B}"))
    }

    // MARK: Forms for programs

    @Test("`--json` and `--plain` show the same rows")
    func forms() async throws {
        let device = try await filled()
        let listed = rows(of: try await device.state("list", "task", "or", "note"))
        #expect(listed.compactMap { $0["group"]?.string } == ["overdue", "tomorrow", "no-date", "notes"])
        let plain = try await device.run("list", "task", "or", "note", "--plain").out.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        try #require(plain.count == 4 && plain.allSatisfy { $0.count > 8 })
        #expect(plain.map { $0[8] } == listed.compactMap { $0["title"]?.string })
        #expect(plain.map { $0[1] } == listed.compactMap { $0["id"]?.string })
        #expect(plain[1][7] == "shop" && plain[1][5].hasSuffix("Z"))
    }

    @Test("`--columns` chooses the columns of `--plain` by name, also those of fields without a column")
    func columns() async throws {
        let device = try await filled()
        let lines = try await device.run("list", "--plain", "--columns", "title,priority,status").out
            .split(separator: "\n")
        #expect(
            lines == [
                "Pay the rent\tH\tpending", "Buy oat milk\t\tpending", "Rivière bleue\t\tpending",
            ])
        let notes = try await device.run("list", "note", "--plain", "--columns=tags,body").out
        #expect(notes.hasPrefix("garden\tbeans, then the plumber"))
        let unknown = try await device.attempt("list", "--plain", "--columns=id,du")
        #expect(unknown.status == .usage)
        #expect(unknown.out.isEmpty)
        #expect(unknown.err.contains("Unknown column “du”. Did you mean “due”?"))
        #expect(try await device.attempt("list", "--columns", "id").status == .usage)
        #expect(try await device.attempt("lists", "--plain", "--columns", "name").status == .usage)
    }

    @Test("With `--exit-status`, a command that finds nothing exits with 1, without another message")
    func exitStatus() async throws {
        let device = try await filled()
        for words in [["list", "+nothing"], ["search", "nothing"], ["next", "+nothing"]] {
            #expect(try await device.attempt(words).status == .ok)
            let answer = try await device.attempt(words + ["--plain", "--exit-status"])
            #expect(answer.status == .failed)
            #expect(answer.out.isEmpty)
            #expect(answer.err.isEmpty)
        }
        #expect(try await device.attempt("list", "--exit-status").status == .ok)
        let none = try await device.attempt("count", "+nothing", "--exit-status")
        #expect(none.status == .failed)
        #expect(none.out == "0\n")
        #expect(none.err.isEmpty)
        #expect(try await device.attempt("count", "--exit-status").status == .ok)
        for report in ["agenda", "projects", "tags", "summary", "stats", "notes"] {
            let answer = try await device.attempt(report, "+nothing", "--exit-status")
            #expect(answer.status == .failed && answer.err == "", "\(report): \(answer.err)")
        }
        #expect(try await device.run("count", "+nothing", "--plain", "--columns", "count").out == "0\n")
        #expect(try await device.attempt("show", "1", "--exit-status").status == .usage)
    }

    @Test("`show`, `status` and `add` have output for programs")
    func otherForms() async throws {
        let device = try await filled()
        try await device.run("list", "--plain")
        #expect(try await device.state("show", "2")["record"]?.object?["title"]?.string == "Buy oat milk")
        #expect(try await device.state("status")["unsent"]?.integer == 4)
        #expect(try await device.run("status", "--plain").out.split(separator: "\n").contains("unsent\t4"))
        let shown = try await device.run("show", "2", "--plain").out.split(separator: "\n")
        #expect(shown.first?.hasPrefix("id\t") == true && shown.contains("title\tBuy oat milk"))
        #expect(shown.contains("tags\tshop") && !shown.contains { $0.hasPrefix("record.") })
        let added = try await device.state("add", "Another")
        let id = try await device.record("Another").id
        #expect(added["changed"] == JSONValue.array([.string(id)]))
    }

    @Test("A part of a list reports on the standard error that there is more")
    func window() async throws {
        let answer = try await filled().run("list", "--plain", "--limit", "1")
        #expect(answer.out.count(where: \.isNewline) == 1 && answer.err.contains("1 of 3 records"))
    }

    // MARK: Filters and their names

    @Test("Filters select by tag, status, priority, project, date and text")
    func filters() async throws {
        let device = try await filled()
        try await device.run("done", try await device.record("Rivière bleue").id)
        #expect(titles(of: try await device.state("list", "+shop")) == ["Buy oat milk"])
        #expect(titles(of: try await device.state("list", "all", "-done", "+shop")) == ["Buy oat milk"])
        #expect(titles(of: try await device.state("list", "priority:H,M")) == ["Pay the rent"])
        let several = try await device.state("list", "project:home", "due<today", "the rent")
        #expect(titles(of: several) == ["Pay the rent"])
        #expect(try await device.attempt("list", "due<tomorow").status == .usage)
    }

    @Test("A saved filter syncs, is exported, and its deletion can be undone")
    func saved() async throws {
        let account = try SharedServer()
        let (laptop, desktop) = (try await account.device(), try await account.device())
        try await laptop.run("add", "Buy milk", "+shop")
        try await laptop.run("save", "shopping", "+shop", "due<eow")
        try await laptop.run("save", "shopping", "+shop")
        try await meet(laptop, desktop)
        #expect(try await desktop.run("list", "@shopping").out.contains("Buy milk"))
        #expect(try await desktop.run("lists", "--plain").out == "shopping\t+shop\n")
        let filters = try await desktop.records("lists").map { $0.fields["filter"] ?? JSONValue.null }
        #expect(filters == [JSONValue.array(["+shop"])])
        try await desktop.run("forget", "shopping")
        #expect(try await desktop.attempt("list", "@shopping").status == .notFound)
        try await desktop.run("undo")
        #expect(try await desktop.run("list", "@shopping").out.contains("Buy milk"))
    }

    @Test("An export has the saved filters, and a device that imports it can use them")
    func exportedLists() async throws {
        let device = try await filled()
        try await device.run("save", "Einkauf", "+shop", "not:+later")
        let other = try await SharedServer().device()
        other.files["all.json"] = try await device.run("export").out
        try await other.run("import", "all.json")
        let lists: JSONValue = [
            ["filter": "+shop not:+later", "name": "Einkauf", "words": ["+shop", "not:+later"]]
        ]
        #expect(try await other.state("lists")["lists"] == lists)
        #expect(try await other.run("list", "@einkauf").out.contains("Buy oat milk"))
    }

    // MARK: Searches

    @Test("A search shows where its words are, ignores accents, and accepts filters")
    func searches() async throws {
        let device = try await filled()
        let out = try await device.run("search", "plumb").out
        #expect(out.contains("Garden plan") && out.contains("[plumber]"))
        #expect(try await device.run("search", "RIVIERE").out.contains("Rivière bleue"))
        let phrase = try await device.run("search", "oat milk", "+shop", "--plain").out
        #expect(phrase.count(where: \.isNewline) == 1)
        #expect(try await device.run("search", "milk oat", "--plain").out.isEmpty)
        #expect(try await device.state("search", "bleue", "-later")["rows"] == JSONValue.array([]))
    }
}
