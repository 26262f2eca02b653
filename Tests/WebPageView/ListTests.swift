import ControllerKit
import Controllers
import Records
import Testing

@testable import WebPageView

@MainActor
@Suite struct ListTests {
    private let house: House
    private let site: Site

    init() throws {
        house = try House()
        site = house.site
    }

    private func add(_ line: String...) async throws {
        try await house.prompt.perform("add", ["words": .list(line)])
    }

    @Test func `what the prompt added before its first list is shown`() async throws {
        try await add("Buy milk")
        let browser = try await Browser.letIn(to: site)
        #expect(await browser.page("/list").contains("Buy milk"))
    }

    @Test func `rows are under the headings of their group, in the list's order`() async throws {
        try await add("Late", "due:yesterday")
        try await add("Now", "due:today")
        try await add("Whenever")
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/list?filter=")
        let headings = page.matches(of: /<h2>([^<]+) <span class="count">1/).map { String($0.1) }
        #expect(headings == ["Overdue", "Today", "No date"])
        #expect(page.contains("Overdue by 1 day") && page.contains("Due today"))
    }

    @Test func `the page of another record type is named by its declaration`() async throws {
        let states = FieldKind.choice([Choice("reported"), Choice("fixed", isClosed: true)])
        let bug = RecordType(
            collection: "bugs", names: ["bug", "bugs"],
            fields: [
                Field(.title, kind: .title, place: .form),
                Field(FieldKey<String>("state"), kind: states, place: .form),
            ])
        let house = try House(types: RecordTypes([bug]))
        let browser = try await Browser.letIn(to: house.site)
        let empty = await browser.page("/list?filter=")
        let blank = "<h2>No open bugs</h2><p><code>add TITLE</code> adds a bug, and <code>list all</code> shows"
        for text in [">Bugs</a>", ">Add a bug</label>", blank, ">Fixed</a>"] {
            #expect(empty.contains(text), "\(text)")
        }
        #expect(!empty.contains(">Notes</a>") && !empty.contains(">Overdue</a>"))
        #expect(empty.contains(">@list, or any words</span>"))
        try await house.prompt.perform("add", ["words": .list(["Crash"])])
        let page = await browser.page("/list?filter=")
        #expect(page.contains("Crash") && page.contains("Done: Crash"))
        #expect(page.contains("<h2>Bugs <span class=\"count\">1"))
        #expect(await browser.page("/list?filter=note").contains("<h2>No matches for “note”</h2>"))
    }

    @Test(
        arguments: [
            ("projects", "No projects", "add TITLE project:NAME"), ("tags", "No tags", "add TITLE +NAME"),
            ("summary", "No projects", "add TITLE project:NAME"),
            ("agenda", "Nothing with a date", "add TITLE due:tomorrow"),
            ("stats", "Nothing added or completed in these weeks", "add TITLE"),
            ("context", "No contexts", "context define NAME FILTER"),
            ("list?filter=note", "No matches for “note”", "note TITLE"),
        ])
    func `a page without records says what is missing and which command adds it`(
        address: String, title: String, command: String
    ) async throws {
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/" + address)
        #expect(page.contains("<h2>\(title)</h2>") && page.contains("<code>\(command)</code>"))
    }

    @Test func `the page of records that can't be completed doesn't distinguish open records`() async throws {
        let book = RecordType(
            collection: "books", names: ["book", "books"], fields: [Field(.title, kind: .title, place: .form)])
        let house = try House(types: RecordTypes([book]))
        let browser = try await Browser.letIn(to: house.site)
        let empty = await browser.page("/list?filter=")
        #expect(empty.contains("<h2>No books</h2><p><code>add TITLE</code> adds a book.</p>"))
        let unmatched = await browser.page("/list?filter=emma")
        #expect(unmatched.contains("<h2>No matches for “emma”</h2>") && unmatched.contains(">Show all books</a>"))
        try await house.prompt.perform("add", ["words": .list(["Dune"])])
        let page = await browser.page("/list?filter=")
        #expect(page.contains("Dune") && page.contains(">Everything</a>"))
        for html in [empty, unmatched, page] {
            #expect(!html.contains(">To do<") && !html.contains(">Nothing to do<"))
            let text = html.replacing(/<[^>]*>/, with: " ").lowercased()
            let words = Set(text.split { !$0.isLetter }.map(String.init))
            let satchels: Set = ["open", "done", "complete", "reopen", "tag", "tags", "task", "note"]
            #expect(words.intersection(satchels) == [])
        }
    }

    @Test func `the help of the filter names the declared fields`() async throws {
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/list")
        #expect(page.contains(">+tag -tag project:home due&lt;=eow priority:H @list, or any words</span>"))
        #expect(page.contains("placeholder=\"+shop due&lt;=eow\""))
    }

    @Test func `a list in a custom order has no headings`() async throws {
        try await add("Late", "due:yesterday")
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/list?filter=sort%3Atitle")
        #expect(page.contains("Late") && !page.contains("class=\"count\""))
    }

    @Test func `a repeating task shows its interval, visibly and to screen readers`() async throws {
        try await add("Water the plants", "due:today", "repeat:weekly")
        let browser = try await Browser.letIn(to: site)
        let chip = "<span aria-hidden=\"true\">↻ </span><span class=\"unseen\">repeats </span>weekly</li>"
        #expect(await browser.page("/list").contains(chip))
    }

    @Test func `matches of a search are marked in the title and in the text`() async throws {
        try await house.prompt.perform(
            "add", ["words": .list(["Call", "the", "plumber"]), "body": .text("The <plumber> next door.")])
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/list?filter=plumb&search=1")
        #expect(page.contains("Call the <mark>plumber</mark></a>"))
        #expect(page.contains("The &lt;<mark>plumber</mark>&gt; next door."))
    }

    @Test func `a phrase in quotation marks is searched for as one`() async throws {
        try await add("peas", "and", "beans")
        try await add("beans", "and", "peas")
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/list?filter=%22peas%20and%22&search=1")
        #expect(page.contains("More for peas and beans") && !page.contains("More for beans and peas"))
        #expect(page.contains("value=\"&quot;peas and&quot;\""))
    }

    @Test func `a filter is saved under a name, used by it, and removed`() async throws {
        try await add("Buy milk", "+shop")
        try await add("Mend the gate")
        let browser = try await Browser.letIn(to: site)
        #expect(await browser.page("/list?filter=%2Bshop").contains("id=\"form-save\""))
        let fields = [("name", "errands"), ("filter", "+shop due:\"friday 15:00\"")]
        _ = try await browser.post("/lists/save", fields, at: "/list?filter=%2Bshop")
        let lists = await browser.page("/lists")
        #expect(lists.contains("+shop due:&quot;friday 15:00&quot;"))
        _ = try await browser.post("/lists/save", [("name", "errands"), ("filter", "+shop")], at: "/lists")
        #expect(await browser.page("/list").contains("href=\"/list?filter=%40errands\">@errands</a>"))
        let shown = await browser.page("/list?filter=%40errands")
        #expect(shown.contains("Buy milk") && !shown.contains("Mend the gate") && !shown.contains("id=\"form-save\""))
        _ = try await browser.post("/lists/forget", [("names", "errands")], at: "/lists")
        #expect(await !browser.page("/list").contains("@errands</a>"))
    }

    @Test func `a field for a line shows an example`() async throws {
        let browser = try await Browser.letIn(to: site)
        #expect(await browser.page("/list").contains("placeholder=\"Call the plumber +house due:friday\""))
    }
}
