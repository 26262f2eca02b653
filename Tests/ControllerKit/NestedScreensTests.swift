import ControllerKit
import JSONLinesView
import LineView
import TestSupport
import Testing

/// A desk with a lamp and a drawer on it.
private enum DeskScreen: Screen {
    struct State: ScreenState { var isTidy = false }
    enum Intent: Sendable { case look, tidy }
    static let name = "desk"
    static let summary = "A desk."
    static let verbs: [Verb<Intent>] = [
        Verb("look", help: "Look at the desk.") { .look }, Verb("tidy", answer: .notice, help: "Tidy it.") { .tidy },
    ]
    static var children: [any Screen.Type] { [LampScreen.self] }
}

private final class DeskController: Controller {
    typealias Screen = DeskScreen
    let model = Model(DeskScreen.State())
    func handle(_ intent: DeskScreen.Intent) async throws {
        if case .tidy = intent { state.isTidy = true }
    }
}

private enum LampScreen: Screen {
    struct State: ScreenState { var isLit = false }
    enum Intent: Sendable { case turn(Bool), locate }
    static let name = "lamp"
    static let summary = "A lamp."
    static let verbs: [Verb<Intent>] = [
        Verb("turn", .flag("on"), help: "Turn the lamp on or off.") { .turn($0) },
        Verb("locate", help: "Show where it is.") { .locate },
    ]
}

private final class LampController: Controller {
    typealias Screen = LampScreen
    let model = Model(LampScreen.State())
    var events: [LifecycleEvent] = []
    private let opening: Opening<LampScreen>
    init(_ opening: Opening<LampScreen>) { self.opening = opening }
    func handle(_ intent: LampScreen.Intent) async throws {
        switch intent {
        case .turn(let isOn): state.isLit = isOn
        case .locate: try opening.open(PointScreen.self, with: ())
        }
    }
    func didAppear() { events.append(.didAppear) }
    func didDisappear() { events.append(.didDisappear) }
    func didUnload() { events.append(.didUnload) }
}

@MainActor
@Suite("C6 C7 Screens contain screens", .timeLimit(.minutes(5)))
struct NestedScreensTests {
    private let catalog: Catalog

    init() throws {
        catalog = try Catalog([
            .screen(DeskScreen.self) { _ in DeskController() }, .screen(LampScreen.self) { LampController($0) },
            .screen(PointScreen.self) { _ in PointController() },
        ])
    }

    @Test("C6 the children of a container open with it, each with a view of its own, and close with it")
    func life() async throws {
        let session = Coordinator(catalog) { Issue.record($0) }
        let views = ScriptedViews()
        session.attach(views)
        try await session.perform("look")
        #expect(session.path == ["desk"])
        let lamp = try #require(session.presentation(of: LampScreen.self))
        let controller = try #require(lamp.controller as? LampController)
        #expect(views.view(of: LampScreen.self)?.fronts.last == true)
        #expect(controller.events == [.didAppear])
        try await session.perform("restore")
        #expect(views.view(of: LampScreen.self)?.fronts.last == false)
        #expect(controller.events == [.didAppear, .didDisappear])
        session.end()
        #expect(controller.events == [.didAppear, .didDisappear, .didUnload])
    }

    @Test("C6 the child performs its verbs, and its container comes to the front")
    func addressing() async throws {
        let session = Coordinator(catalog) { Issue.record($0) }
        try await session.perform("look")
        try await session.perform("restore")
        let answer = try await session.perform("turn", ["on": .flag(true)])
        #expect(answer.screenName == "lamp")
        #expect(session.current?.screenName == "desk")
        #expect(session.presentation(of: LampScreen.self)?.state.isLit == true)
        #expect(session.goBack())
        #expect(session.path == ["point"])
        #expect(session.presentation(of: LampScreen.self) == nil)
    }

    @Test("C6 when a screen that a child opened is closed, the child's container is in front again")
    func openedByAChild() async throws {
        let session = Coordinator(catalog) { Issue.record($0) }
        try await session.perform("look")
        try await session.perform("locate")
        #expect(session.path == ["desk", "point"])
        #expect(session.goBack())
        #expect(session.path == ["desk"])
        #expect(session.current?.screenName == "desk")
    }

    @Test("C6 lines show a container with its children")
    func lines() async throws {
        let terminal = ScriptedTerminal()
        let session = try LineSession(catalog, of: .testing, terminal: terminal)
        #expect(await session.say(["look"]) == .ok)
        #expect(terminal.data == "is tidy: no\n\nlamp\nis lit: no\n")
        #expect(await session.say(["turn", "--on"]) == .ok)
        #expect(terminal.data.hasSuffix("\nis lit: yes\n"))
    }

    @Test("C6 JSON lines show the state of a container and of its children")
    func jsonLines() async throws {
        var written: [String] = []
        let session = JSONLinesSession(catalog, version: "1") { written.append($0) }
        let input = AsyncStream { stream in
            stream.yield(Array((#"{"id":1,"verb":"look"}"# + "\n").utf8))
            stream.yield(Array((#"{"id":2,"verb":"turn","arguments":{"on":true}}"# + "\n").utf8))
            stream.finish()
        }
        try await session.run(input)
        #expect(written.contains { $0.contains(#""screen":"desk""#) && $0.contains(#""type":"state""#) })
        #expect(written.contains(#"{"id":2,"screen":"lamp","state":{"isLit":true},"type":"state"}"#))
    }

    @Test("A screen that isn't in the catalogue or contains itself can't be a child")
    func unusable() {
        enum EndlessScreen: Screen {
            struct State: ScreenState {}
            enum Intent: Sendable {}
            static let name = "endless"
            static let summary = "A mirror."
            static let verbs: [Verb<Intent>] = []
            static var children: [any Screen.Type] { [EndlessScreen.self] }
        }
        final class EndlessController: Controller {
            typealias Screen = EndlessScreen
            let model = Model(EndlessScreen.State())
            func handle(_ intent: EndlessScreen.Intent) async throws {}
        }
        #expect(throws: CatalogError.childUnusable("endless")) {
            try Catalog([.screen(EndlessScreen.self) { _ in EndlessController() }])
        }
        #expect(throws: CatalogError.childUnusable("lamp")) {
            try Catalog([.screen(DeskScreen.self) { _ in DeskController() }])
        }
    }
}
