import ControllerKit
import TestSupport
import Testing

@testable import WebPageView

/// A screen whose verb takes as long as the test wants.
private enum Mill: Screen {
    struct State: ScreenState {
        var progress: WorkProgress?
        var notice: String?
    }
    enum Intent { case grind(String) }
    static let name = "mill"
    static let summary = "Grinds."
    static let verbs: [Verb<Intent>] = [
        Verb("grind", .text("corn"), answer: .notice, help: "Grind.") { .grind($0) }
    ]
}

private final class MillController: Controller {
    typealias Screen = Mill
    let model = Model(Mill.State())
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    func handle(_ intent: Mill.Intent) async throws {
        guard case .grind(let corn) = intent else { return }
        state = Mill.State(progress: WorkProgress("Grinding", 3, of: 10))
        defer { state.progress = nil }
        do { try await gate.pass() } catch { throw CancellationError() }
        state.notice = "Ground \(corn)."
    }
}

@MainActor
@Suite struct LongWorkTests {
    private let gate = Gate()
    private let site: Site

    init() throws {
        let gate = gate
        let catalog = try Catalog([.screen(Mill.self) { _ in MillController(gate) }])
        let root = Coordinator(catalog) { _ in }
        site = try Site(
            catalog, design: PageDesign(.testing), common: { Coordinator(catalog, sharingWith: root) { _ in } },
            own: { Coordinator(catalog) { _ in } }, patience: { try? await Task.sleep(for: .milliseconds(1)) })
        site.listens(at: 8290)
    }

    /// A browser whose form is answered while its work runs.
    private func grinding() async throws -> Browser {
        let browser = try await Browser.letIn(to: site)
        let answer = try await browser.post(
            "/mill/grind", [("corn", "rye")], at: "/mill", csrf: await browser.token("/mill"))
        #expect(answer.header("Location") == "/mill")
        return browser
    }

    private func cancel(_ browser: Browser) async throws {
        let page = await browser.page("/mill?live=1")
        let work = try #require(page.firstMatch(of: /name="work" value="([^"]+)"/)).1
        let answer = try await browser.post(
            "/cancel", [("work", String(work))], at: "/mill", csrf: await browser.token("/mill?live=1"))
        #expect(answer.header("Location") == "/mill")
    }

    @Test func `a form with long work is answered by a page that shows its progress`() async throws {
        let browser = try await grinding()
        let page = await browser.page("/mill")
        #expect(page.contains("Grinding: 3 of 10"))
        #expect(page.contains("id=\"form-cancel\""))
        gate.open()
    }

    @Test func `a browser without scripts polls while the result is pending, and no longer`() async throws {
        let browser = try await grinding()
        let refresh = "<noscript><meta http-equiv=\"refresh\""
        #expect(await browser.page("/mill").contains(refresh))
        gate.open()
        try await eventually("the result is shown") { await browser.page("/mill").contains("Ground rye.") }
        #expect(await !browser.page("/mill").contains(refresh))
    }

    @Test func `the page's script fetches the result of the work that it has shown`() async throws {
        let browser = try await grinding()
        _ = await browser.page("/mill")
        gate.open()
        try await eventually("the result is shown") { await browser.page("/mill?live=1").contains("Ground rye.") }
        #expect(await !browser.page("/mill").contains("Ground rye."))
    }

    @Test func `the result of work that no page has shown waits for the next page`() async throws {
        let browser = try await grinding()
        gate.open()
        try await eventually("the result is shown") {
            await !browser.page("/mill?live=1").contains("id=\"form-cancel\"")
        }
        #expect(await !browser.page("/mill?live=1").contains("Ground rye."))
        #expect(await browser.page("/mill").contains("Ground rye."))
    }

    @Test func `work is cancelled by its form, and the page reports it`() async throws {
        let browser = try await grinding()
        try await cancel(browser)
        try await eventually("the result is shown") { await browser.page("/mill").contains("Interrupted.") }
        #expect(await !browser.page("/mill").contains("id=\"progress\""))
    }

    @Test func `after a cancellation, the script of the former page doesn't consume the result`() async throws {
        let browser = try await grinding()
        #expect(await browser.page("/mill").contains("id=\"form-cancel\""))
        try await cancel(browser)
        try await eventually("the work has ended") {
            let fetched = await browser.page("/mill?live=1")
            #expect(!fetched.contains("Interrupted."))
            return !fetched.contains("id=\"form-cancel\"")
        }
        #expect(await browser.page("/mill").contains("Interrupted."))
    }

    @Test func `work that has ended can't be cancelled any more, and its result is shown`() async throws {
        let browser = try await grinding()
        let page = await browser.page("/mill?live=1")
        let work = try #require(page.firstMatch(of: /name="work" value="([^"]+)"/)).1
        gate.open()
        try await eventually("the result is shown") {
            await !browser.page("/mill?live=1").contains("id=\"form-cancel\"")
        }
        _ = try await browser.post(
            "/cancel", [("work", String(work))], at: "/mill", csrf: await browser.token("/mill?live=1"))
        #expect(await browser.page("/mill").contains("Ground rye."))
    }

    @Test func `another session sees the work, and can't cancel it`() async throws {
        let first = try await grinding()
        let other = try await Browser.letIn(to: site)
        let page = await other.page("/mill")
        #expect(page.contains("Grinding: 3 of 10"))
        #expect(!page.contains("action=\"/cancel\""))
        let mine = await first.page("/mill?live=1")
        let work = try #require(mine.firstMatch(of: /name="work" value="([^"]+)"/)).1
        _ = try await other.post("/cancel", [("work", String(work))], at: "/mill", csrf: await other.token("/mill"))
        #expect(await first.page("/mill?live=1").contains("Grinding: 3 of 10"))
        gate.open()
    }

    @Test func `work ends with its session`() async throws {
        let browser = try await grinding()
        let other = try await Browser.letIn(to: site)
        #expect(await other.page("/mill").contains("Grinding"))
        _ = try await browser.post("/leave", [], csrf: await browser.token("/mill"))
        try await eventually("the result is shown") { await !other.page("/mill?live=1").contains("Grinding") }
    }
}
