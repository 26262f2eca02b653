import ControllerKit
import TestSupport
import Testing

@testable import WebPageView

/// A screen whose state has a secret until its next verb.
private enum MintScreen: Screen {
    struct State: ScreenState {
        var secret: String?
        var notice: String?
    }
    enum Intent: Sendable { case make, forget }
    static let name = "mint"
    static let summary = "Makes secrets."
    static let verbs: [Verb<Intent>] = [
        Verb("make", answer: .notice, help: "Make a secret.") { .make },
        Verb("forget", answer: .notice, help: "Forget the secret.") { .forget },
    ]
}

private final class MintController: Controller {
    typealias Screen = MintScreen
    let model = Model(MintScreen.State())
    func handle(_ intent: MintScreen.Intent) async throws {
        switch intent {
        case .make: (state.secret, state.notice) = ("s3cret", "Made.")
        case .forget: (state.secret, state.notice) = (nil, "Forgotten.")
        }
    }
}

@MainActor
@Suite struct ShownOnceTests {
    private let site: Site

    init() throws {
        let page = WebRenderer(
            MintScreen.self, title: "Mint", shownOnce: { state, _ in state.secret.map { "<code>\($0)</code>" } },
            content: { _, _ in "" })
        let catalog = try Catalog([.screen(MintScreen.self) { _ in MintController() }])
            .shown(by: [ScreenRendererGroup(MintScreen.self) { [page] }])
        let root = Coordinator(catalog) { _ in }
        site = try Site(
            catalog, design: PageDesign(.testing), common: { Coordinator(catalog, sharingWith: root) { _ in } },
            own: { Coordinator(catalog) { _ in } })
        site.listens(at: 8290)
    }

    /// A browser that has sent the form.
    private func sent() async throws -> Browser {
        let browser = try await Browser.letIn(to: site)
        _ = try await browser.post("/mint/make", [], at: "/mint", csrf: await browser.token("/mint"))
        return browser
    }

    @Test func `a secret is shown by the page after its form, and not by a reload`() async throws {
        let browser = try await sent()
        #expect(await browser.page("/mint").contains("<code>s3cret</code>"))
        #expect(await !browser.page("/mint").contains("s3cret"))
    }

    @Test func `the script's request for changes neither shows the secret nor uses it up`() async throws {
        let browser = try await sent()
        #expect(await !browser.page("/mint?live=1").contains("s3cret"))
        #expect(await browser.page("/mint").contains("<code>s3cret</code>"))
    }

    @Test func `a verb of another browser before the page doesn't lose the secret`() async throws {
        let browser = try await sent()
        let other = try await Browser.letIn(to: site)
        _ = try await other.post("/mint/forget", [], at: "/mint", csrf: await other.token("/mint"))
        #expect(await browser.page("/mint").contains("<code>s3cret</code>"))
    }

    @Test func `another browser of the same process isn't shown the secret`() async throws {
        _ = try await sent()
        let other = try await Browser.letIn(to: site)
        #expect(await !other.page("/mint").contains("s3cret"))
    }
}
