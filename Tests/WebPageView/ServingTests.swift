import ControllerKit
import Controllers
import SatchelScreens
import TestSupport
import Testing

@testable import WebPageView

@MainActor
@Suite struct ServingTests {
    private func page() throws -> WebPage {
        let services = try Services.testing()
        return try WebPage(
            .satchel(services), design: .satchel, ownScreens: .satchel(services)
        ) { Issue.record($0) }
    }

    private func port(of link: String) throws -> Int {
        try #require(link.firstMatch(of: /^http:\/\/127\.0\.0\.1:(\d+)\/open\?key=[\w-]{43}$/).flatMap { Int($0.1) })
    }

    @Test func `a page creates a new link each time, and none when it isn't served`() async throws {
        let page = try page()
        #expect(throws: Failure.self) { try page.link() }
        try await page.start(port: 0)
        #expect(try page.link() != page.link())
        #expect(try port(of: page.link()) > 0)
        await page.stop()
        #expect(!page.isServing)
        #expect(throws: Failure.self) { try page.link() }
    }

    @Test func `a port in use is reported, and may be used again once it is free`() async throws {
        let (one, two) = (try page(), try page())
        try await one.start(port: 0)
        let port = try port(of: one.link())
        await #expect(throws: WebPage.failure(inUse: port)) { try await two.start(port: port) }
        await one.stop()
        try await two.start(port: port)
        #expect(try self.port(of: two.link()) == port)
        await two.stop()
    }
}
