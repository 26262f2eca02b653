import ControllerKit
import TestSupport
import Testing

@MainActor
@Suite("A, C The pair of controller and views", .timeLimit(.minutes(5)))
struct PresentationTests {
    /// A view that records what happens to it.
    private final class TracingView: View {
        typealias Screen = CounterScreen
        let trace: (String) -> Void
        init(_ trace: @escaping (String) -> Void) {
            self.trace = trace
            trace("view made")
        }
        func attached(to delegate: ViewDelegate<CounterScreen>) { trace("handlers set") }
        func render(_ state: CounterScreen.State) async throws { trace("shown \(state.count)") }
        func detached() { trace("detached") }
    }

    private final class LoadTracer: LifecycleObserver {
        let trace: (String) -> Void
        init(_ trace: @escaping (String) -> Void) { self.trace = trace }
        func didLoad() { trace("controller loaded") }
        func didUnload() { trace("unloaded") }
    }

    private struct BrokenMedium: Error {}

    @Test(
        "A3 A5 A6 C5 C8 the order: controller loaded, view created, attached with handlers, shown; unloaded, detached")
    func order() async {
        var trace: [String] = []
        let presentation = Presentation(CounterController(7)) { Issue.record($0) }
        let tracer = LoadTracer { trace.append($0) }
        presentation.lifecycle.add(tracer)
        presentation.attach(TracingView { trace.append($0) })
        await presentation.waitForViews()
        presentation.unload()
        #expect(
            trace == ["controller loaded", "view made", "handlers set", "shown 7", "unloaded", "detached"])
    }

    @Test("A failed expectation shows only the differences")
    func difference() async throws {
        let view = ScriptedView<CounterScreen>()
        let presentation = Presentation(CounterController(7)) { Issue.record($0) }
        presentation.attach(view)
        await presentation.waitForViews()
        let report = "“counter” shows another state than expected:\n  count: expected “9”, shown “8”"
        try await withKnownIssue {
            try await view.send(.add(1)) {
                $0.count = 9
                $0.notice = "Added 1."
            }
        } matching: {
            $0.comments.map(\.rawValue).joined() == report
        }
        presentation.unload()
    }

    @Test("A1 A2 A7 D2 D3 no reference cycle; release is asserted for the controller and for the view")
    func release() async throws {
        weak var releasedController: CounterController?
        weak var releasedView: ScriptedView<CounterScreen>?
        do {
            let controller = CounterController()
            let view = ScriptedView<CounterScreen>()
            releasedController = controller
            releasedView = view
            let presentation = Presentation(controller) { Issue.record($0) }
            presentation.attach(view)
            try await view.send(.add(1))
            controller.notifyDataChanged()
            await view.next { $0.count == 0 }
        }
        while releasedController != nil || releasedView != nil { await Task.yield() }
        #expect(releasedController == nil)
        #expect(releasedView == nil)
    }

    @Test("C1 C9 n calls from any thread cause one refresh and one rendering")
    func notifications() async {
        let controller = CounterController()
        let presentation = Presentation(controller) { Issue.record($0) }
        let view = ScriptedView<CounterScreen>()
        presentation.attach(view)
        await view.next()
        controller.stored = 42
        for _ in 0..<1_000 { controller.notifyDataChanged() }
        await view.next { $0.count == 42 }
        await presentation.waitForViews()
        #expect(controller.refreshes == 1)
        #expect(view.shown.map(\.count) == [0, 42])
    }

    @Test("C1 a notification from another thread is handled, also during a refresh")
    func notificationFromAThread() async {
        let controller = CounterController()
        let presentation = Presentation(controller) { Issue.record($0) }
        let view = ScriptedView<CounterScreen>()
        presentation.attach(view)
        for value in 1...50 {
            controller.stored = value
            await Task.detached { controller.notifyDataChanged() }.value
            await view.next { $0.count == value }
        }
        #expect(controller.refreshes == 50)
    }

    @Test("Intermediate states are coalesced; the last one is always shown before handle returns")
    func coalescing() async throws {
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        let view = ScriptedView<CounterScreen>()
        presentation.attach(view)
        await view.next()
        try await view.send(.burst(100)) { $0.count = 100 }
        #expect(view.shown.count == 2)
    }

    @Test(
        "C23 E6 several views read one state and send intents; a late one receives the present state at once"
    )
    func severalViews() async throws {
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        let early = ScriptedView<CounterScreen>()
        presentation.attach(early)
        try await early.send(.add(3))
        let late = ScriptedView<CounterScreen>()
        presentation.attach(late)
        #expect(await late.next().count == 3)
        try await late.send(.add(1))
        #expect(early.shown.last?.count == 4)
        #expect(late.shown.last?.count == 4)
    }

    /// Another controller of the same screen.
    private final class DoublingController: Controller {
        typealias Screen = CounterScreen
        let model = Model(CounterScreen.State(count: 1))
        func handle(_ intent: CounterScreen.Intent) async throws {
            if case .add(let amount) = intent { state.count += 2 * amount }
        }
    }

    @Test("C11 the screen is the contract: one view serves every controller that implements it")
    func contract() async throws {
        let view = ScriptedView<CounterScreen>()
        let one = Presentation(CounterController()) { Issue.record($0) }
        let attachment = one.attach(view)
        await view.next { $0.count == 0 }
        try await view.send(.add(3)) { ($0.count, $0.notice) = (3, "Added 3.") }
        one.detach(attachment)
        let other = Presentation(DoublingController()) { Issue.record($0) }
        other.attach(view)
        await view.next { $0.count == 1 }
        try await view.send(.add(3)) { $0.count = 7 }
    }

    @Test("C12 a view reads what it shows from the screen's state at any time")
    func pulling() async throws {
        final class PullingView: View {
            typealias Screen = CounterScreen
            var delegate: ViewDelegate<CounterScreen>?
            func attached(to delegate: ViewDelegate<CounterScreen>) { self.delegate = delegate }
            func render(_ state: CounterScreen.State) async throws {}
        }
        let view = PullingView()
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        presentation.attach(view)
        #expect(view.delegate?.state?.count == 0)
        try await presentation.send(.add(2))
        #expect(view.delegate?.state?.count == 2)
    }

    @Test("C13 a view sends the user's actions to its delegate, which passes them to the controller in order")
    func pushing() async throws {
        final class RecordingController: Controller {
            typealias Screen = CounterScreen
            let model = Model(CounterScreen.State())
            var amounts: [Int] = []
            func handle(_ intent: CounterScreen.Intent) async throws {
                if case .add(let amount) = intent { amounts.append(amount) }
            }
        }
        let controller = RecordingController()
        let presentation = Presentation(controller) { Issue.record($0) }
        let view = ScriptedView<CounterScreen>()
        presentation.attach(view)
        for amount in [3, 1, 2] { try await view.send(.add(amount)) }
        #expect(controller.amounts == [3, 1, 2])
    }

    @Test("A failed intent is thrown to its sender after the views have shown the resulting state")
    func failure() async {
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        let view = ScriptedView<CounterScreen>()
        presentation.attach(view)
        await #expect(throws: Failure(.conflict, "It failed.")) { try await view.send(.fail) }
        #expect(view.shown.last?.count == -1)
    }

    @Test("A rendering that sends an intent is refused: no feedback loop")
    func feedback() async {
        final class LoopingView: View {
            typealias Screen = CounterScreen
            var delegate: ViewDelegate<CounterScreen>?
            func attached(to delegate: ViewDelegate<CounterScreen>) { self.delegate = delegate }
            func render(_ state: CounterScreen.State) async throws { try await delegate?.send(.add(1)) }
        }
        var reported: [Failure] = []
        let presentation = Presentation(CounterController()) { reported.append(Failure($0)) }
        presentation.attach(LoopingView())
        await presentation.waitForViews()
        #expect(reported.map(\.category) == [.failed])
        #expect(presentation.state.count == 0)
    }

    @Test("E10 work started for a presentation is cancelled with it, and none is started afterwards")
    func work() async throws {
        let gate = Gate()
        let controller = CounterController()
        let presentation = Presentation(controller) { Issue.record($0) }
        controller.run { try await gate.pass() }
        await gate.untilWorkWaits()
        presentation.unload()
        await gate.untilCancelled()
        controller.run { Issue.record("started after the end") }
        await #expect(throws: Failure.self) { try await presentation.send(.show) }
    }

    @Test("E10 work doesn't retain a presentation")
    func abandonedWork() async {
        let gate = Gate()
        do {
            let controller = CounterController()
            let presentation = Presentation(controller) { Issue.record($0) }
            controller.run {
                try await gate.pass()
                controller.state.count = 1
            }
            await gate.untilWorkWaits()
            #expect(presentation.state.count == 0)
        }
        await gate.untilCancelled()
        #expect(gate.wasCancelled)
    }

    @Test("An error thrown by started work is reported")
    func failedWork() async {
        await confirmation { reported in
            let gate = Gate()
            let presentation = Presentation(CounterController()) {
                #expect($0 is BrokenMedium)
                reported()
                gate.open()
            }
            presentation.run { throw BrokenMedium() }
            try? await gate.pass()
        }
    }
}
