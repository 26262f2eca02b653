import ControllerKit
import Foundation
import TestSupport
import Testing

@MainActor
@Suite("C Coordinator", .timeLimit(.minutes(5)))
struct CoordinatorTests {
    /// Opens a counter as its child and keeps its outcome.
    private enum ParentScreen: Screen {
        static let name = "parent"
        static let summary = "Opens a counter."
        struct State: ScreenState { var outcomes: [String] = [] }
        enum Intent: Sendable { case pick(Int) }
        static let verbs = [Verb("pick", .integer("from"), help: "Pick.") { Intent.pick($0) }]
    }

    private final class ParentController: Controller {
        typealias Screen = ParentScreen
        let model = Model(ParentScreen.State())
        private let opening: Opening<ParentScreen>
        init(_ opening: Opening<ParentScreen>) { self.opening = opening }
        func handle(_ intent: ParentScreen.Intent) async throws {
            switch intent {
            case .pick(let start):
                try opening.open(CounterScreen.self, with: start) { [weak self] in self?.state.outcomes.append($0) }
            }
        }
    }

    private let catalog: Catalog

    init() throws {
        catalog = try Catalog([
            .screen(ParentScreen.self) { ParentController($0) },
            .screen(PointScreen.self) { _ in PointController() },
            .screen(CounterScreen.self, opensWith: 100) { opening in
                CounterController(opening.parameter) { opening.finish($0) }
            },
        ])
    }

    private func session() -> Coordinator { Coordinator(catalog) { Issue.record($0) } }

    @Test("C15 C16 the coordinator creates each controller with its dependencies and attaches the session's views")
    func performs() async throws {
        let session = session()
        let views = ScriptedViews()
        session.attach(views)
        try await session.perform("move", ["x": .number(1), "y": .integer(2)])
        #expect(session.path == ["point"])
        let shown = try #require(views.view(of: PointScreen.self)?.shown.last)
        #expect((shown.x, shown.y) == (1, 2))
    }

    @Test("A verb that answers with a notice doesn't change the screen of the session")
    func notices() async throws {
        let session = session()
        try await session.perform("restore")
        let counter = try await session.perform("plus", ["amount": .integer(1)])
        #expect(counter.anyState.notice == "Added 1.")
        #expect(session.path == ["counter", "point"])
        try await session.perform("count")
        #expect(session.path == ["point", "counter"])
    }

    @Test("C18 C19 D1 a parameter is typed, prepared by the opener, and consumed once")
    func parameters() async throws {
        let session = session()
        try session.open(CounterScreen.self, with: 7)
        #expect(session.presentation(of: CounterScreen.self)?.state.count == 7)
        session.end()
        try await session.perform("count")
        #expect(session.presentation(of: CounterScreen.self)?.state.count == 100)
    }

    @Test("E7 a child's outcome goes to its parent, typed and once; then the parent is in front")
    func outcomes() async throws {
        let session = session()
        try await session.perform("restore")
        let answering = try await session.perform("pick", ["from": .integer(3)])
        #expect(answering.screenName == "counter")
        #expect(session.path == ["point", "parent", "counter"])
        let child = try #require(session.presentation(of: CounterScreen.self))
        try await child.send(.hand("red"))
        #expect(session.path == ["point", "parent"])
        #expect(session.presentation(of: ParentScreen.self)?.state.outcomes == ["red"])
        await #expect(throws: Failure.self) { try await child.send(.hand("again")) }
    }

    @Test("A child that is left without an outcome passes none; closing a parent closes its children")
    func closing() async throws {
        let session = session()
        try await session.perform("restore")
        try await session.perform("pick", ["from": .integer(3)])
        let wentBack = session.goBack()
        #expect(wentBack)
        #expect(session.presentation(of: ParentScreen.self)?.state.outcomes == [])
        try await session.perform("pick", ["from": .integer(3)])
        try await session.perform("pick", ["from": .integer(4)])
        #expect(session.path == ["point", "counter", "parent", "counter"])
        session.goBack()
        session.goBack()
        #expect(session.path == ["point"])
        let leftLastScreen = session.goBack()
        #expect(!leftLastScreen)
    }

    @Test("C7 E1 a screen is notified when it leaves the front and when it returns; its state is unchanged")
    func pausing() async throws {
        let session = session()
        try await session.perform("count")
        let counter = try #require(session.presentation(of: CounterScreen.self))
        let controller = try #require(counter.controller as? CounterController)
        try await session.perform("restore")
        #expect(controller.events == [.didLoad, .willAppear, .didAppear, .willDisappear, .didDisappear])
        // No view shows it now, but what it is asked isn't lost.
        try await session.perform("plus", ["amount": .integer(1)])
        try await session.perform("count")
        #expect(controller.events.suffix(2) == [.willAppear, .didAppear])
        #expect(session.presentation(of: CounterScreen.self) === counter)
        #expect(counter.state.count == 101)
    }

    @Test("C6 C7 navigation in one session doesn't affect another; each has its own controllers")
    func sessions() async throws {
        let one = session()
        let other = session()
        try await one.perform("move", ["x": .number(1), "y": .number(1)])
        try await other.perform("count")
        #expect(one.path == ["point"])
        #expect(other.path == ["counter"])
        try await other.perform("restore")
        #expect(one.presentation(of: PointScreen.self)?.state.x == 1)
    }

    @Test("Two sessions may share a presentation: it lives until both release it, and appears once")
    func sharing() async throws {
        let one = Coordinator(catalog) { Issue.record($0) }
        let other = Coordinator(catalog, sharingWith: one) { Issue.record($0) }
        try await one.perform("count")
        let presentation = try #require(one.presentation(of: CounterScreen.self))
        let controller = try #require(presentation.controller as? CounterController)
        let views = ScriptedViews()
        other.attach(views)
        #expect(other.join("counter"))
        try await one.perform("plus", ["amount": .integer(1)])
        #expect(views.view(of: CounterScreen.self)?.shown.last?.count == 101)
        one.end()
        #expect(controller.events == [.didLoad, .willAppear, .didAppear])
        try await other.perform("plus", ["amount": .integer(1)])
        #expect(views.view(of: CounterScreen.self)?.shown.last?.count == 102)
        other.end()
        #expect(controller.events.suffix(3) == [.willDisappear, .didDisappear, .didUnload])
    }

    @Test("A view is notified whether its screen is in front, when it is attached and at each change")
    func front() async throws {
        let session = session()
        let views = ScriptedViews()
        session.attach(views)
        try await session.perform("restore")
        let point = try #require(views.view(of: PointScreen.self))
        #expect(point.fronts.last == true)
        try await session.perform("count")
        let counter = try #require(views.view(of: CounterScreen.self))
        #expect(point.fronts.last == false)
        #expect(counter.fronts.last == true)
        session.goBack()
        #expect(point.fronts.last == true)
        let late = ScriptedViews()
        session.attach(late)
        #expect(late.view(of: PointScreen.self)?.fronts == [true])
    }

    @Test("C17 a session begins with the screen that the state requests")
    func firstScreen() async throws {
        @MainActor
        final class Waiting { var isWaiting = false }
        let waiting = Waiting()
        let catalog = catalog.beginning {
            waiting.isWaiting ? FirstScreen(CounterScreen.self, verb: "count") : nil
        }
        let session = Coordinator(catalog) { Issue.record($0) }
        #expect(try await session.begin() == false)
        #expect(session.path == [])
        waiting.isWaiting = true
        #expect(try await session.begin())
        #expect(session.current?.screenName == "counter")
    }

    @Test(
        "E1 a session's open screens are restored in another one: read-only verbs with their arguments"
    )
    func restoring() async throws {
        enum PageScreen: Screen {
            struct State: ScreenState { var number = 0, edits = 0 }
            enum Intent: Sendable { case show(Int), edit }
            static let name = "page"
            static let summary = "A page."
            static let verbs: [Verb<Intent>] = [
                Verb("turn", .integer("number"), traits: .readOnly, help: "Show a page.") { .show($0) },
                Verb("write", help: "Write on it.") { .edit },
            ]
        }
        final class PageController: Controller {
            typealias Screen = PageScreen
            let model = Model(PageScreen.State())
            func handle(_ intent: PageScreen.Intent) async throws {
                switch intent {
                case .show(13): throw Failure(.notFound, "There is no page 13.")
                case .show(let number): state.number = number
                case .edit: state.edits += 1
                }
            }
        }
        let catalog = try Catalog([.screen(PageScreen.self) { _ in PageController() }])
        let one = Coordinator(catalog) { Issue.record($0) }
        try await one.perform("turn", ["number": .integer(7)])
        try await one.perform("write")
        let saved = try JSONEncoder().encode(one.memory)
        one.end()
        let other = Coordinator(catalog) { Issue.record($0) }
        await other.restore(try JSONDecoder().decode(SessionMemory.self, from: saved))
        #expect(other.presentation(of: PageScreen.self)?.state == PageScreen.State(number: 7, edits: 0))
        var gone = SessionMemory()
        gone.screens = [.init(screen: "page", verb: "turn", values: ["number": .integer(13)])]
        await other.restore(gone)
        #expect(other.presentation(of: PageScreen.self)?.state.number == 7)
    }

    @Test("C17 ending a session releases its pairs")
    func release() async throws {
        weak var controller: (any Controller<PointScreen>)?
        weak var view: ScriptedView<PointScreen>?
        let session = session()
        let views = ScriptedViews()
        session.attach(views)
        do {
            try await session.perform("restore")
            controller = session.presentation(of: PointScreen.self)?.controller
            view = views.view(of: PointScreen.self)
            #expect(controller != nil && view != nil)
        }
        session.end()
        while controller != nil { await Task.yield() }
        #expect(controller == nil)
        #expect(view?.detachments == 1)
    }

    @Test("A medium is attached to open screens and to later ones until it is detached from all")
    func media() async throws {
        let session = session()
        try await session.perform("restore")
        let views = ScriptedViews()
        session.attach(views)
        session.attach(views)
        try await session.perform("count")
        let point = try #require(views.view(of: PointScreen.self))
        let counter = try #require(views.view(of: CounterScreen.self))
        await point.next()
        await counter.next()
        session.detach(views)
        try await session.perform("move", ["x": .number(1), "y": .number(1)])
        point.expectNothingElse()
        #expect((point.detachments, counter.detachments) == (1, 1))
    }

    @Test("Unknown verbs and arguments are reported and open nothing")
    func unknown() async throws {
        let session = session()
        await #expect(throws: Failure(.usage, "Unknown command “jump”.")) { try await session.perform("jump") }
        await #expect(throws: Failure.self) { try await session.perform("restore", ["x": .number(1)]) }
        #expect(session.path.isEmpty)
    }

    @Test("A verb of two screens is performed on one of them")
    func sharedVerbs() async throws {
        enum OtherScreen: Screen {
            struct State: ScreenState { var count = 0 }
            enum Intent: Sendable { case restore }
            static let name = "other"
            static let summary = "Another screen."
            static let verbs: [Verb<Intent>] = [Verb("restore", help: "Go back.") { .restore }]
        }
        final class OtherController: Controller {
            typealias Screen = OtherScreen
            let model = Model(OtherScreen.State())
            func handle(_ intent: OtherScreen.Intent) async throws { state.count += 1 }
        }
        let catalog = try Catalog([
            .screen(PointScreen.self) { _ in PointController() }, .screen(OtherScreen.self) { _ in OtherController() },
        ])
        let session = Coordinator(catalog) { Issue.record($0) }
        try await session.perform("restore", on: "other")
        #expect(session.presentation(of: OtherScreen.self)?.state.count == 1)
        #expect(session.path == ["other"])
        await #expect(throws: Failure.self) { try await session.perform("restore") }
        #expect(catalog.commands.map(\.spelling) == ["move", "point restore", "other restore"])
        await #expect(throws: Failure(.usage, "“move” belongs to the screen “point”.")) {
            try await session.perform("move", on: "other")
        }
    }

    @Test("A duplicate name is noticed when the catalogue is created")
    func duplicates() {
        #expect(throws: CatalogError.nameTaken("point")) {
            try Catalog([
                .screen(PointScreen.self) { _ in PointController() },
                .screen(PointScreen.self) { _ in PointController() },
            ])
        }
    }
}
