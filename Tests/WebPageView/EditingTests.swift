import ControllerKit
import Controllers
import Testing

@testable import WebPageView

@MainActor
@Suite struct EditingTests {
    private let house: House
    private let browser: Browser
    private let id: String
    private var address: String { "/detail?record=\(id)" }

    init() async throws {
        house = try House()
        browser = try await Browser.letIn(to: house.site)
        try await house.prompt.perform("add", ["words": .list(["Plan", "+home"]), "body": .text("Old text")])
        id = try await house.id(of: "Plan")
    }

    private func edit(_ fields: [(String, String)]) async throws -> String {
        _ = try await browser.post("/detail/edit", [("record", id)] + fields, at: address)
        return await browser.page(address)
    }

    /// The record as text, after it was requested.
    private func offered() async throws -> String {
        let page = try await edit([])
        let area = try #require(page.firstMatch(of: /(?s)<textarea[^>]* name="text"[^>]*>\n(.*?)<\/textarea>/))
        return String(area.1).replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
    }

    @Test func `saving an unchanged form changes nothing, and reports so`() async throws {
        let bases = [("was.words.title", Base.digest(of: "Plan")), ("was.words.body", Base.digest(of: "Old text"))]
        let page = try await edit([("words.title", "Plan"), ("words.body", "Old text")] + bases)
        #expect(page.contains("Nothing was changed.") && !page.contains("id=\"failure\""))
        #expect(!page.contains("id=\"form-edit-text\""))
    }

    @Test func `a record is edited as a text, with its fields on top`() async throws {
        let text = try await offered()
        #expect(text.contains("title: Plan") && text.contains("Old text"))
        let page = try await edit([("text", text.replacing("title: Plan", with: "title: Better plan"))])
        #expect(page.contains("Better plan") && page.contains("Old text") && !page.contains("id=\"form-edit-text\""))
    }

    @Test func `an invalid text returns as it was typed, with the errors`() async throws {
        let text = try await offered().replacing("title: Plan", with: "title: Plan\ndue: whenever")
        let page = try await edit([("text", text)])
        #expect(
            page.contains("id=\"failure\"") && page.contains("due: whenever") && page.contains("id=\"form-edit-text\""))
    }

    @Test func `a text is merged with what others changed meanwhile`() async throws {
        let text = try await offered()
        try await house.prompt.perform("edit", ["record": .text(id), "words": .list(["project:house"])])
        let page = try await edit([("text", text.replacing("Old text", with: "New text"))])
        #expect(page.contains("New text") && page.contains("<dd class=\"\">house</dd>"))
    }

    @Test func `the form is shown again when the page is requested again`() async throws {
        _ = try await offered()
        let page = await browser.page(address)
        #expect(page.contains("id=\"form-edit\"") && !page.contains("id=\"form-edit-text\""))
    }
}
