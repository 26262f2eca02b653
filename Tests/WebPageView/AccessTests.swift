import TestSupport
import Testing

@testable import WebPageView

@MainActor
@Suite struct AccessTests {
    private let house: House

    init() throws { house = try House() }

    @Test func `a link lets in once, and leads to an address without its key`() async throws {
        let link = house.site.makeLink()
        let (first, second) = (Browser(house.site), Browser(house.site))
        let answer = await first.get(link)
        #expect(answer.status == 200 && answer.text.contains("url=/"))
        #expect(answer.header("Set-Cookie")?.contains("HttpOnly; SameSite=Strict") == true)
        #expect(answer.header("Set-Cookie")?.hasPrefix("satchel-8290=") == true)
        #expect(await first.get("/list").status == 200)
        #expect(await second.get(link).status == 403)
        #expect(await second.get("/list").status == 401)
    }

    @Test func `a link that waited for more than ten minutes lets nobody in`() async throws {
        let link = house.site.makeLink()
        house.clock.advance(by: .seconds(601))
        #expect(await Browser(house.site).get(link).status == 403)
    }

    @Test func `a session that was left alone for half a day is over`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        house.clock.advance(by: .seconds(11 * 3600))
        #expect(await browser.get("/list").status == 200)
        house.clock.advance(by: .seconds(13 * 3600))
        #expect(await browser.get("/list").status == 401)
    }

    @Test func `another name that leads to this machine is refused`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:81", "localhost.evil.example:8290", ""] {
            #expect(await browser.get("/list", headers: ["host": host]).status == 421)
        }
        #expect(await browser.get("/list", headers: ["host": "LOCALHOST:8290"]).status == 200)
    }

    @Test(arguments: [
        ["origin": "http://evil.example"], ["origin": "null"], ["origin": "http://127.0.0.1:8291"],
        ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"],
    ])
    func `a form from another page is refused`(headers: [String: String]) async throws {
        let browser = try await Browser.letIn(to: house.site)
        let answer = try await browser.post("/list/add", [("words", "Not mine")], headers: headers)
        #expect(answer.status == 403)
        #expect(await !browser.page("/list").contains("Not mine"))
    }

    @Test func `a form without the session's token is refused`() async throws {
        let (browser, other) = (try await Browser.letIn(to: house.site), try await Browser.letIn(to: house.site))
        let foreign = await other.page("/list").firstMatch(of: /name="csrf" value="([^"]+)"/).map { String($0.1) }
        for token in ["", "x", try #require(foreign)] {
            #expect(try await browser.post("/list/add", [("words", "Not mine")], csrf: token).status == 403)
        }
        #expect(await !browser.page("/list").contains("Not mine"))
    }

    @Test func `what another site embeds is refused, and who follows a link from there is shown the way on`()
        async throws
    {
        let browser = try await Browser.letIn(to: house.site)
        #expect(await browser.get("/list", headers: ["sec-fetch-site": "cross-site"]).status == 403)
        let link = ["sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"]
        #expect(await Browser(house.site).get("/list", headers: link).status == 401)
    }

    @Test func `every answer forbids what a page of Satchel never needs`() async throws {
        let browser = Browser(house.site)
        let policy = try #require(await browser.get("/list").header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(!policy.contains("unsafe"))
        for part in ["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(await browser.get("/page.css").header("X-Content-Type-Options") == "nosniff")
    }

    @Test func `a form that is longer than any import is refused`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        let text = String(repeating: "a", count: Site.bodyMaximum)
        #expect(try await browser.post("/list/add", [("words", text)]).status == 413)
    }

    @Test func `who closes the session is out, and nobody else`() async throws {
        let (browser, other) = (try await Browser.letIn(to: house.site), try await Browser.letIn(to: house.site))
        _ = try await browser.post("/leave", [])
        #expect(browser.cookie == nil)
        #expect(await browser.get("/list").status == 401)
        #expect(await other.get("/list").status == 200)
    }
}
