import ControllerKit
import Foundation
import Testing

@testable import WebPageView

/// A room with a lamp in it.
private enum RoomScreen: Screen {
    struct State: ScreenState {
        var isTidy = false
        var notice: String?
    }
    enum Intent: Sendable { case look, tidy }
    static let name = "room"
    static let summary = "A room."
    static let verbs: [Verb<Intent>] = [
        Verb("look", help: "Look at the room.") { .look }, Verb("tidy", answer: .notice, help: "Tidy it.") { .tidy },
    ]
    static var children: [any Screen.Type] { [LampScreen.self] }
}

private final class RoomController: Controller {
    typealias Screen = RoomScreen
    let model = Model(RoomScreen.State())
    func handle(_ intent: RoomScreen.Intent) async throws {
        if case .tidy = intent { (state.isTidy, state.notice) = (true, "Tidied.") }
    }
}

private enum LampScreen: Screen {
    struct State: ScreenState {
        var isLit = false
        var notice: String?
    }
    enum Intent: Sendable { case light }
    static let name = "lamp"
    static let summary = "A lamp."
    static let verbs: [Verb<Intent>] = [Verb("light", answer: .notice, help: "Light the lamp.") { .light }]
}

private final class LampController: Controller {
    typealias Screen = LampScreen
    let model = Model(LampScreen.State())
    func handle(_ intent: LampScreen.Intent) async throws { (state.isLit, state.notice) = (true, "Lit.") }
}

@MainActor
@Suite struct NestedPageTests {
    @Test func `C6 a page shows a container with its children and their forms, and stays there when a child is driven`()
        async throws
    {
        let catalog = try Catalog([
            .screen(RoomScreen.self) { _ in RoomController() }, .screen(LampScreen.self) { _ in LampController() },
        ])
        let makeCoordinator: @MainActor () -> Coordinator = { Coordinator(catalog) { Issue.record($0) } }
        let site = try Site(
            catalog, design: PageDesign(Program(name: "Room", command: "room", version: "1")), common: makeCoordinator,
            own: makeCoordinator)
        site.listens(at: 8290)
        let browser = try await Browser.letIn(to: site)
        let page = await browser.page("/room")
        #expect(page.contains("id=\"child-lamp\"") && page.contains("action=\"/lamp/light\""))
        #expect(page.contains("action=\"/room/tidy\""))

        let csrf = try #require(await browser.token("/room"))
        let answer = try await browser.post("/lamp/light", [], at: "/room", csrf: csrf)
        #expect(answer.status == 303 && answer.header("Location") == "/room")
        let lit = await browser.page("/room")
        #expect(lit.contains("Lit.") && lit.contains("<dt>is lit</dt>"))
    }
}
