import ControllerKit
import Foundation
import TestSupport
import Testing

@testable import WebPageView

@MainActor
@Suite struct AccessTests {
    private let house: House

    init() throws { house = try House() }

    @Test func `a link opens the page once, and redirects to an address without its key`() async throws {
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

    @Test func `the creator of a link is notified once when it becomes invalid`() async throws {
        let spent = Count()
        let used = house.site.makeLink { spent.add("used") }
        _ = house.site.makeLink { spent.add("expired") }
        #expect(await Browser(house.site).get(used).status == 200)
        #expect(await Browser(house.site).get(used).status == 403)
        #expect(spent.names == ["used"])
        house.clock.advance(by: .seconds(601))
        _ = house.site.makeLink { spent.add("revoked") }
        #expect(spent.names == ["used", "expired"])
        house.site.end()
        house.site.end()
        #expect(spent.names == ["used", "expired", "revoked"])
    }

    @Test func `a link that is older than ten minutes is refused`() async throws {
        let link = house.site.makeLink()
        house.clock.advance(by: .seconds(601))
        #expect(await Browser(house.site).get(link).status == 403)
    }

    @Test func `a session that was unused for half a day has ended`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        house.clock.advance(by: .seconds(11 * 3600))
        #expect(await browser.get("/list").status == 200)
        house.clock.advance(by: .seconds(13 * 3600))
        #expect(await browser.get("/list").status == 401)
    }

    @Test func `another host name of this machine is refused`() async throws {
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

    @Test func `a request embedded by another site is refused; following a link from there shows how to continue`()
        async throws
    {
        let browser = try await Browser.letIn(to: house.site)
        #expect(await browser.get("/list", headers: ["sec-fetch-site": "cross-site"]).status == 403)
        let link = ["sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"]
        #expect(await Browser(house.site).get("/list", headers: link).status == 401)
    }

    @Test func `every answer forbids what Satchel's pages never need`() async throws {
        let browser = Browser(house.site)
        let policy = try #require(await browser.get("/list").header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(!policy.contains("unsafe"))
        for part in ["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(await browser.get("/page.css").header("X-Content-Type-Options") == "nosniff")
        #expect(await browser.get("/list").header("Referrer-Policy") == "same-origin")
    }

    @Test func `a form that is longer than any import is refused`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        let text = String(repeating: "a", count: Site.bodyMaximum)
        #expect(try await browser.post("/list/add", [("words", text)]).status == 413)
    }

    @Test func `closing a session signs out this browser and no other`() async throws {
        let (browser, other) = (try await Browser.letIn(to: house.site), try await Browser.letIn(to: house.site))
        _ = try await browser.post("/leave", [])
        #expect(browser.cookie == nil)
        #expect(await browser.get("/list").status == 401)
        #expect(await other.get("/list").status == 200)
    }
}

/// The actions, in order.
@MainActor
private final class Count {
    private(set) var names: [String] = []
    func add(_ name: String) { names.append(name) }
}

@Suite struct RedirectFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID().uuidString)")

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `the file redirects to the link, is private to its owner, and can be removed`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try RedirectFile(to: "http://127.0.0.1:8290/open?key=a-_b&c=\"", in: folder)
        #expect(try mode(file.path) == 0o600)
        #expect(try mode(folder.path) == 0o700)
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(text.contains("content=\"0; url=http://127.0.0.1:8290/open?key=a-_b&amp;c=&quot;\""))
        #expect(!file.path.contains("key"))
        file.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `files older than a link's lifetime are removed when the next one is written`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (old, recent) = (try RedirectFile(to: "x", in: folder), try RedirectFile(to: "y", in: folder))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: old.path)
        let new = try RedirectFile(to: "z", in: folder)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
            folder.appending(path: $0).path
        }
        #expect(Set(left) == [recent.path, new.path])
    }

    @Test func `a link in the folder's place is refused`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createSymbolicLink(
            at: folder, withDestinationURL: FileManager.default.temporaryDirectory)
        #expect(throws: Failure.self) { try RedirectFile(to: "x", in: folder) }
    }
}
