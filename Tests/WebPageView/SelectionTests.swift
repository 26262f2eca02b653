import ControllerKit
import Controllers
import Records
import TestSupport
import Testing

@testable import WebPageView

@MainActor
@Suite struct SelectionTests {
    private let house: House
    private let site: Site

    init() throws {
        house = try House()
        site = house.site
    }

    private func add(_ titles: String...) async throws {
        for title in titles { try await house.prompt.perform("add", ["words": .list([title])]) }
    }

    /// The records that match a filter.
    private func rows(_ filter: String...) async throws -> [ListScreen.State.Row] {
        let session = Coordinator(site.catalog) { _ in }
        defer { session.end() }
        try await session.perform("list", ["filter": .list(filter)])
        return (session.state(of: "list") as? ListScreen.State)?.rows ?? []
    }

    /// The inputs of the check boxes of these records.
    private func boxes(_ titles: String...) async throws -> [(String, String)] {
        try await rows("all").filter { titles.contains($0.title) }.map { ("record", $0.id) }
    }

    private func titles(_ filter: String...) async throws -> [String] {
        let session = Coordinator(site.catalog) { _ in }
        defer { session.end() }
        try await session.perform("list", ["filter": .list(filter)])
        return ((session.state(of: "list") as? ListScreen.State)?.rows ?? []).map(\.title).sorted()
    }

    /// Sends the form of the page that asks for a confirmation.
    private func confirm(_ page: String, _ browser: Browser) async throws {
        let action = try #require(page.firstMatch(of: /action="([^"]+)" id="form-confirm"/)).output.1
        let sent = page.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)">/)
            .map { (String($0.output.1), String($0.output.2)) }
            .filter { $0.0 != "csrf" && $0.0 != "at" }
        _ = try await browser.post(String(action), sent)
    }

    @Test func `each record has a check box with its title, and the form names the changes`() async throws {
        try await add("Bread & butter")
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/list")
        #expect(page.contains("name=\"record\" value=\"\(try await rows("all")[0].id)\" form=\"form-selection\""))
        #expect(page.contains("aria-label=\"Select: Bread &amp; butter\""))
        #expect(page.contains("Select all 1 on this page"))
        #expect(page.contains("<option value=\"list/done\">Mark tasks as done</option>"))
        #expect(page.contains("<option value=\"detail/edit\">Change records</option>"))
    }

    @Test func `an empty list has no form of selected records`() async throws {
        let browser = try await Browser.letIn(to: site)
        #expect(await !browser.page("/list").contains("form-selection"))
    }

    @Test(arguments: [
        ("list/done", "", "done"), ("list/tag", "+shop", "+shop"),
        ("detail/edit", "priority:H due:friday", "priority:H"),
        ("detail/annotate", "by post", "has:annotations"), ("list/start", "", "active"),
    ])
    func `selected records are changed by one command, which one undo reverts`(
        verb: String, words: String, filter: String
    ) async throws {
        try await add("Bread", "Milk", "Rent")
        let browser = try await Browser.letIn(to: site)
        let fields = try await boxes("Bread", "Milk") + [("verb", verb), ("words", words)]
        let answer = try await browser.post("/selection", fields)
        #expect(answer.status == 303 && answer.header("Location") == "/list")
        #expect(await browser.page("/list").contains("id=\"form-undo-notice\""))
        #expect(try await titles(filter) == ["Bread", "Milk"])
        _ = try await browser.post("/undo/undo", [])
        #expect(try await titles(filter) == [])
    }

    @Test func `selected records are deleted, and reopened`() async throws {
        try await add("Bread", "Milk", "Rent")
        let browser = try await Browser.letIn(to: site)
        let bread = try await boxes("Bread")
        _ = try await browser.post("/selection", bread + [("verb", "list/done")])
        #expect(try await titles() == ["Milk", "Rent"])
        _ = try await browser.post("/selection", bread + [("verb", "list/undone")])
        #expect(try await titles() == ["Bread", "Milk", "Rent"])
        _ = try await browser.post("/selection", try await boxes("Milk", "Rent") + [("verb", "list/rm")])
        #expect(try await titles("all") == ["Bread"])
    }

    @Test func `the box for all records selects those of the page`() async throws {
        try await add("Bread", "Milk")
        let shown = try await rows("all").map { ("shown", $0.id) }
        try await add("Rent")
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/selection", shown + [("all", "true"), ("verb", "list/done")])
        #expect(try await titles("done") == ["Bread", "Milk"])
    }

    @Test func `a change of many records is performed when its page is confirmed`() async throws {
        for number in 1...11 { try await add("Task \(number)") }
        let browser = try await Browser.letIn(to: site)
        let shown = try await rows("all").map { ("shown", $0.id) }
        _ = try await browser.post("/selection", shown + [("all", "true"), ("verb", "list/done")])
        let question = await browser.page("/list")
        #expect(question.contains("11 tasks: “") && question.contains(">Mark them as done</button>"))
        #expect(!question.contains("<script"))
        #expect(try await titles("done") == [])
        try await confirm(question, browser)
        #expect(await browser.page("/list").contains("id=\"form-undo-notice\""))
        #expect(try await titles("done").count == 11)
        _ = try await browser.post("/undo/undo", [])
        #expect(try await titles("done") == [])
    }

    @Test func `a change that isn't confirmed leaves the form as it was sent`() async throws {
        for number in 1...11 { try await add("Task \(number)") }
        let browser = try await Browser.letIn(to: site)
        let boxes = try await rows("all").map { ("record", $0.id) }
        _ = try await browser.post("/selection", boxes + [("verb", "list/tag"), ("words", "+shop")])
        #expect(await browser.page("/list").contains("<h1>Confirm</h1>"))
        let page = await browser.page("/list")
        #expect(page.matches(of: /form="form-selection" aria-label="[^"]+" checked/).count == 11)
        #expect(page.contains("<option value=\"list/tag\" selected>") && page.contains("value=\"+shop\""))
        #expect(try await titles("+shop") == [])
        let next = await browser.page("/list")
        #expect(!next.contains(" checked><input"))
    }

    @Test func `every form asks for a confirmation that its command needs`() async throws {
        for title in ["Bread", "Milk"] {
            try await house.prompt.perform("add", ["words": .list([title, "+shop"])])
        }
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/list/rm", [("records", "+shop")])
        let question = await browser.page("/list")
        #expect(question.contains("2 tasks: “") && question.contains("class=\"dangerous\">Delete them</button>"))
        #expect(try await titles() == ["Bread", "Milk"])
        try await confirm(question, browser)
        #expect(try await titles() == [])
    }

    @Test func `a confirmation is for the records of its question only`() async throws {
        try await house.prompt.perform("add", ["words": .list(["Bread", "+shop"])])
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/list/rm", [("records", "+shop")])
        let question = await browser.page("/list")
        #expect(question.contains("1 task: “Bread”. Delete it?"))
        try await house.prompt.perform("add", ["words": .list(["Milk", "+shop"])])
        try await confirm(question, browser)
        let again = await browser.page("/list")
        #expect(again.contains("The selection has changed since the question. 2 tasks: “"))
        #expect(try await titles() == ["Bread", "Milk"])
        try await confirm(again, browser)
        #expect(try await titles() == [])
    }

    @Test(arguments: [
        (false, "list/done", "", "No records are selected."), (true, "", "", "Choose an action"),
        (true, "list/list", "", "Choose an action"), (true, "list/done", "+shop", "needs no text"),
        (true, "detail/edit", " ", "Fill in “Changes or text” for “Change records”."),
        (true, "list/tag", "2", "change “2”"),
        (true, "detail/edit", "due:whenever", "whenever"), (true, "detail/edit", "\"due", "is not closed"),
    ])
    func `an incomplete form changes nothing, and reports why`(
        isSelected: Bool, verb: String, words: String, message: String
    ) async throws {
        try await add("Bread")
        let browser = try await Browser.letIn(to: site)
        let boxes = isSelected ? try await boxes("Bread") : []
        _ = try await browser.post("/selection", boxes + [("verb", verb), ("words", words)])
        let page = await browser.page("/list")
        #expect(page.contains("id=\"failure\"") && page.contains(message))
        #expect(page.contains("aria-label=\"Select: Bread\" checked") == isSelected)
        #expect(try await titles() == ["Bread"])
        #expect(try await titles("+shop") == [])
    }

    @Test func `a form of selected records without the session's token is refused`() async throws {
        try await add("Bread")
        let browser = try await Browser.letIn(to: site)
        let fields = try await boxes("Bread") + [("verb", "list/done")]
        #expect(try await browser.post("/selection", fields, csrf: "forged").status == 403)
        #expect(try await titles() == ["Bread"])
    }

    @Test func `records of a program's own type are selected, too`() async throws {
        let book = RecordType(
            collection: "books", names: ["book", "books"], fields: [Field(.title, kind: .title, place: .form)])
        let house = try House(types: RecordTypes([book]))
        for title in ["Dune", "Emma"] { try await house.prompt.perform("add", ["words": .list([title])]) }
        let browser = try await Browser.letIn(to: house.site)
        let page = await browser.page("/list?filter=")
        #expect(page.contains("<option value=\"list/rm\">Delete books</option>"))
        #expect(!page.contains("value=\"list/done\"") && !page.contains("value=\"list/tag\""))
        let selected = [("record", try await house.id(of: "Dune")), ("record", try await house.id(of: "Emma"))]
        _ = try await browser.post("/selection", selected + [("verb", "list/rm")])
        #expect(await browser.page("/list?filter=").contains("<h2>No books</h2>"))
    }
}

@Suite struct SelectionVerbTests {
    private func choice(_ verb: VerbSignature) -> SelectionVerb? { SelectionVerb(verb, of: "shelf") }

    private let ids = WordTest("id") { !$0.isEmpty }

    @Test func `the records are the words of a verb`() throws {
        let verb = Verb("lend", .rest(.record("books"), isRequired: true), answer: .notice, help: "Lend books.") { _ in
            0
        }.signature
        let lend = try #require(choice(verb))
        #expect(lend.value == "shelf/lend" && lend.effect == "Lend books" && !lend.hasWords)
        #expect(try lend.values(["a", "b"], [], of: Parameters()) == ["books": .list(["a", "b"])])
        #expect(throws: Failure.self) { try lend.values(["a"], ["x"], of: Parameters()) }
    }

    @Test func `the records are a list, and the words another argument`() throws {
        let books: Argument<String> = .record("books").listed(while: ids)
        let verb = Verb(
            "mark", books, .rest(.text("remark"), isRequired: true), .confirmation, answer: .notice,
            help: "Write into books; a single one can be edited."
        ) { _, _, _ in 0 }.signature
        let mark = try #require(choice(verb))
        #expect(mark.effect == "Write into books" && mark.wordsHelp == "Any words.")
        #expect(
            try mark.values(["a", "b"], ["read", "it"], of: Parameters([("yes", "a-token")])) == [
                "books": .text("a,b"), "remark": .list(["read", "it"]), "yes": .text("a-token"),
            ])
        #expect(throws: Failure.self) { try mark.values(["a"], [], of: Parameters()) }
    }

    @Test func `words that follow the records begin with a sign`() throws {
        let records = CompletionKind("books and shelves", namesRecords: true)
        let verb = Verb(
            "shelve", .rest(.text("words", completing: records), isRequired: true), answer: .notice,
            help: "Shelve books."
        ) { _ in 0 }.signature
        let shelve = try #require(choice(verb))
        #expect(try shelve.values(["a"], ["+b", "-c"], of: Parameters()) == ["words": .list(["a", "+b", "-c"])])
        #expect(throws: Failure.self) { try shelve.values(["a"], ["b"], of: Parameters()) }
    }

    @Test func `a verb of one record, without effect, or with further required arguments isn't offered`() {
        let books: Argument<String> = .record("books").listed(while: ids)
        let one = Verb("lend", .record("book"), answer: .notice, help: "") { _ in 0 }
        let reading = Verb("find", .rest(.record("books")), traits: .readOnly, help: "") { _ in 0 }
        let further = Verb("move", books, .text("shelf"), answer: .notice, help: "") { _, _ in 0 }
        for verb in [one, reading, further] { #expect(choice(verb.signature) == nil) }
    }
}
