import ControllerKit
import Controllers
import TestSupport
import Testing

@testable import WebPageView

@MainActor
@Suite struct SiteTests {
    private let house: House
    private let site: Site

    init() throws {
        house = try House()
        site = house.site
    }

    @Test func `an added task is in the list, with its notice shown once`() async throws {
        let browser = try await Browser.letIn(to: site)
        let answer = try await browser.post("/list/add", [("words", "Buy milk +shop")])
        #expect(answer.status == 303 && answer.header("Location") == "/list")
        let page = await browser.page("/list")
        #expect(page.contains("Added task") && page.contains("+shop") && page.contains("id=\"form-undo-notice\""))
        #expect(await !browser.page("/list").contains("Added task"))
    }

    @Test func `Undo in a notice undoes the command of the notice and no other`() async throws {
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/list/add", [("words", "Bread")])
        let page = await browser.page("/list")
        let entry = try #require(page.firstMatch(of: /type="hidden" name="entry" value="([^"]+)"/)).output.1
        try await house.prompt.perform("add", ["words": .list(["Milk"])])
        _ = try await browser.post("/undo/undo", [("entry", String(entry))])
        let refused = await browser.page("/list")
        #expect(refused.contains("Nothing was undone: the last command is another one, `add` “Milk”."))
        #expect(refused.contains("Bread") && !refused.contains("form-undo-notice"))
        try await house.prompt.perform("undo")
        _ = try await browser.post("/undo/undo", [("entry", String(entry))])
        #expect(await browser.page("/list").contains("Undid `add`: “Bread”."))
    }

    @Test func `a notice about no change offers no Undo`() async throws {
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/list/add", [("words", "Bread")])
        let id = try await house.id(of: "Bread")
        _ = try await browser.post("/list/start", [("records", id)])
        #expect(await browser.page("/list").contains("form-undo-notice"))
        _ = try await browser.post("/list/start", [("records", id)])
        let page = await browser.page("/list")
        #expect(page.contains("Nothing to change") && !page.contains("form-undo-notice"))
    }

    @Test func `the page of the last commands has one Undo without a field`() async throws {
        try await house.prompt.perform("add", ["words": .list(["Bread"])])
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/undo")
        #expect(page.contains("id=\"form-undo\"") && !page.contains("name=\"entry\""))
    }

    @Test func `a script in a title stays text everywhere`() async throws {
        let browser = try await Browser.letIn(to: site)
        let script = "<script>alert(1)</script>\"'\u{338}"
        _ = try await browser.post("/list/add", [("words", script)])
        let id = try await house.id(of: script)
        for address in ["/list", "/list?filter=all", "/detail?record=\(id)", "/undo"] {
            let page = await browser.page(address)
            #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;\u{338}"))
            #expect(!page.contains("<script>"))
        }
    }

    @Test func `a page that is served again begins where it was left`() async throws {
        let kept = Kept()
        let memory = PageMemory(load: { kept.address }, save: { kept.address = $0 })
        let first = try House(memory: memory).site
        let browser = try await Browser.letIn(to: first)
        #expect(await browser.get("/").header("Location") == "/list", "nothing was kept")
        _ = await browser.page("/list?filter=%2Bshop")
        first.end()
        #expect(kept.address == "/list?filter=%2Bshop")

        let again = try House(memory: memory).site
        let next = try await Browser.letIn(to: again)
        #expect(await next.get("/").header("Location") == "/list?filter=%2Bshop")
        #expect(await next.get("/").header("Location") == "/list", "the first screen is reached by its link")
        for invalid in ["//elsewhere", "/nowhere"] {
            kept.address = invalid
            let other = try await Browser.letIn(to: again)
            #expect(await other.get("/").header("Location") == "/list")
        }
    }

    @MainActor
    private final class Kept {
        var address: String?
    }

    @Test func `every screen of the catalogue has its page, and every verb its form or its address`() async throws {
        let house = try House(isPlain: true)
        let browser = try await Browser.letIn(to: house.site)
        for screen in house.site.catalog.screens {
            let page = await browser.page("/\(screen.name)")
            for verb in screen.verbs { #expect(page.contains("data-verb=\"\(verb.name)\"")) }
        }
    }

    @Test func `a form that failed shows the reason, and keeps its input except for passwords`() async throws {
        let browser = try await Browser.letIn(to: site)
        let fields = [("name", "ada"), ("password", "secret-word"), ("server", "not an address")]
        _ = try await browser.post("/login/login", fields, at: "/login")
        let page = await browser.page("/login")
        #expect(page.contains("id=\"failure\"") && page.contains("value=\"ada\""))
        #expect(!page.contains("secret-word"))
    }

    @Test func `a server without encryption is refused by the form, which has a box to accept it`() async throws {
        let browser = try await Browser.letIn(to: site)
        let fields = [("name", "ada"), ("password", "secret-word"), ("server", "http://notes.example.org")]
        _ = try await browser.post("/login/login", fields, at: "/login")
        let page = await browser.page("/login")
        #expect(page.contains("http://notes.example.org is not encrypted"))
        #expect(page.contains("the option `insecure-http`"))
        #expect(page.contains("name=\"insecure-http\" value=\"true\""))
    }

    @Test func `an invalid field is marked, and associated with its error`() async throws {
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/list/add", [("words", "")])
        let page = await browser.page("/list")
        #expect(page.contains("aria-invalid=\"true\" aria-describedby=\"form-add-words-help form-add-words-error\""))
        #expect(page.contains("id=\"form-add-words-error\""))
    }

    @Test func `an edit sends what was changed, and keeps what another device changed meanwhile`() async throws {
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/list/add", [("words", "Old title"), ("body", "Old text")])
        let id = try await house.id(of: "Old title")
        let bases = [
            ("was.words.title", Base.digest(of: "Old title")), ("was.words.body", Base.digest(of: "Old text")),
        ]
        try await house.prompt.perform("edit", ["record": .text(id), "body": .text("Newer text")])
        let edit = [("record", id), ("words.title", "New title"), ("words.body", "Old text")]
        _ = try await browser.post("/detail/edit", edit + bases, at: "/detail?record=\(id)")
        let page = await browser.page("/detail?record=\(id)")
        #expect(page.contains("New title") && page.contains("Newer text"))
    }

    @Test
    func `an edit of what another device changed meanwhile returns with both, and is stored when it is sent again`()
        async throws
    {
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/list/add", [("words", "Plan"), ("body", "Old")])
        let id = try await house.id(of: "Plan")
        let address = "/detail?record=\(id)"
        try await house.prompt.perform("edit", ["record": .text(id), "body": .text("Theirs")])
        let mine = [("record", id), ("words.body", "Mine")]
        _ = try await browser.post("/detail/edit", mine + [("was.words.body", Base.digest(of: "Old"))], at: address)
        let page = await browser.page(address)
        #expect(page.contains("Changed elsewhere in the meantime: body."))
        #expect(page.contains("<p>Theirs</p>"))
        #expect(page.contains("Mine</textarea>"))
        #expect(page.contains("name=\"was.words.body\" value=\"\(Base.digest(of: "Theirs"))\""))
        _ = try await browser.post("/detail/edit", mine + [("was.words.body", Base.digest(of: "Theirs"))], at: address)
        #expect(await browser.page(address).contains("<p>Mine</p>"))
    }

    @Test func `a list longer than its window is paged by links`() async throws {
        for number in 0..<(ListScreen.windowDefault + 5) {
            try await house.prompt.perform("add", ["words": .list(["Task", "\(number)"])])
        }
        let browser = try await Browser.letIn(to: site)
        let first = await browser.page("/list?filter=task")
        #expect(first.contains("1–100 of 105 records"))
        let found = try #require(first.firstMatch(of: /href="([^"]+)" rel="next"/))
        let next = String(found.1).replacing("&amp;", with: "&")
        let second = await browser.page(next)
        #expect(
            second.contains("101–105 of 105 records") && second.contains("rel=\"prev\"")
                && !second.contains("rel=\"next\""))
    }

    @Test func `the keys of a page are those of its screen, and those that lead to screens`() async throws {
        let browser = try await Browser.letIn(to: site)
        let list = await browser.page("/list")
        #expect(list.contains("data-key=\"n\" data-action=\"focus\" data-target=\"#form-add-words\""))
        #expect(list.contains("data-key=\"j\" data-action=\"next\" data-target=\".title\" data-row=\".row\""))
        let sync = await browser.page("/sync")
        #expect(sync.contains("data-key=\"l\" data-action=\"open\" data-target=\"/list\""))
        #expect(!sync.contains("data-key=\"n\""))
    }

    @Test func `an export is saved by the browser, and no path is written`() async throws {
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/list/add", [("words", "Keep me")])
        _ = try await browser.post("/transfer/export", [("format", "csv"), ("path", "/tmp/never")], at: "/transfer")
        // The answer to the form doesn't wait for the export to end.
        try await eventually("the document is there") { await browser.get("/transfer/document").status == 200 }
        let file = await browser.get("/transfer/document")
        #expect(file.text.contains("Keep me"))
        // A name of the program's own: nothing of the request is in it.
        #expect(file.header("Content-Disposition") == "attachment; filename=\"satchel-export.txt\"")
    }
}
