import ControllerKit
import JSONLinesView
import TestSupport
import Testing

@MainActor
@Suite("A, B Views are attached late, detached, attached again, and fail", .timeLimit(.minutes(5)))
struct AttachmentTests {
    private struct BrokenMedium: Error {}

    private static func plus(_ amount: Int) -> @Sendable (inout CounterScreen.State) -> Void {
        { ($0.count, $0.notice) = ($0.count + amount, "Added \(amount).") }
    }

    // MARK: Attaching late, detaching, attaching again

    @Test("A view that is attached late receives the present state once, though nothing changes any more")
    func late() async throws {
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        try await presentation.send(.add(3))
        let view = ScriptedView<CounterScreen>()
        presentation.attach(view)
        #expect(await view.next().count == 3)
        await presentation.waitForViews()
        view.expectNothingElse()
    }

    @Test("A detached view receives nothing more; the controller and the other views live on")
    func detached() async throws {
        let controller = CounterController()
        let presentation = Presentation(controller) { Issue.record($0) }
        let gone = ScriptedView<CounterScreen>()
        let other = ScriptedView<CounterScreen>()
        let attachment = presentation.attach(gone)
        presentation.attach(other)
        await gone.next()
        await other.next()
        presentation.detach(attachment)
        try await other.send(.add(1), expecting: Self.plus(1))
        controller.stored = 7
        controller.notifyDataChanged()
        await other.next { $0.count == 7 }
        gone.expectNothingElse()
        #expect(!controller.events.contains(.didUnload))
    }

    @Test("The last view may be detached; the next one receives what has changed without a view")
    func withoutAny() async throws {
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        presentation.detach(presentation.attach(ScriptedView<CounterScreen>()))
        try await presentation.send(.add(5))
        let next = ScriptedView<CounterScreen>()
        presentation.attach(next)
        #expect(await next.next().count == 5)
    }

    @Test("A5 each re-attachment sets the handlers once and shows the present state")
    func reattachment() async throws {
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        let view = ScriptedView<CounterScreen>()
        let first = presentation.attach(view)
        #expect(presentation.attach(view) === first)
        await view.next()
        presentation.detach(first)
        presentation.detach(first)
        #expect((view.attachments, view.detachments) == (1, 1))
        await #expect(throws: Failure.self) { try await view.send(.show) }
        try await presentation.send(.add(1))
        presentation.attach(view)
        #expect((view.attachments, view.detachments) == (2, 1))
        #expect(await view.next().count == 1)
        try await view.send(.add(2), expecting: Self.plus(2))
    }

    @Test("A4 B5 C10 a view whose size changed n times is laid out once and not created again; others are unchanged")
    func resize() async {
        var made = 0
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        let resized = ScriptedView<CounterScreen>()
        let other = ScriptedView<CounterScreen>()
        func make() -> ScriptedView<CounterScreen> {
            made += 1
            return resized
        }
        let attachment = presentation.attach(make())
        presentation.attach(other)
        await presentation.waitForViews()
        for _ in 0..<3 { attachment.setNeedsRender() }
        await presentation.waitForViews()
        #expect((made, resized.shown.count, other.shown.count) == (1, 2, 1))
    }

    // MARK: Media that fail

    @Test("A view whose medium fails is detached and reported; the others continue")
    func brokenMedium() async throws {
        var reported: [any Error] = []
        let presentation = Presentation(CounterController()) { reported.append($0) }
        let broken = ScriptedView<CounterScreen>()
        let sound = ScriptedView<CounterScreen>()
        presentation.attach(broken)
        presentation.attach(sound)
        await presentation.waitForViews()
        broken.brokenMedium = BrokenMedium()
        try await sound.send(.add(1), expecting: Self.plus(1))
        try await sound.send(.add(1), expecting: Self.plus(1))
        #expect(reported.map { $0 is BrokenMedium } == [true])
        #expect((broken.shown.count, broken.detachments) == (1, 1))
    }

    @Test("The result of an intent isn't lost when the sender's medium fails to show it")
    func resultOfABrokenMedium() async throws {
        var reported = 0
        let presentation = Presentation(CounterController()) { _ in reported += 1 }
        let view = ScriptedView<CounterScreen>()
        presentation.attach(view)
        await view.next()
        view.brokenMedium = BrokenMedium()
        try await view.send(.add(1))
        #expect((presentation.state.count, reported) == (1, 1))
        // The controller's own failure also reaches the sender, instead of the medium's.
        view.brokenMedium = nil
        presentation.attach(view)
        await view.next { $0.count == 1 }
        view.brokenMedium = BrokenMedium()
        await #expect(throws: Failure(.conflict, "It failed.")) { try await view.send(.fail) }
        #expect((presentation.state.count, reported) == (-1, 2))
    }

    @Test(
        "A medium that fails at each attachment is reported each time; once repaired, it shows everything")
    func brokenForGood() async throws {
        var reported = 0
        let presentation = Presentation(CounterController()) { _ in reported += 1 }
        let broken = ScriptedView<CounterScreen>()
        broken.brokenMedium = BrokenMedium()
        for attempt in 1...3 {
            presentation.attach(broken)
            try await presentation.send(.add(1))
            #expect((reported, broken.attachments, broken.detachments) == (attempt, attempt, attempt))
        }
        broken.brokenMedium = nil
        presentation.attach(broken)
        #expect(await broken.next().count == 3)
    }

    // MARK: Media that are slow

    @Test("A slow view receives the last state, a fast one every state that it can show")
    func slowView() async throws {
        let gate = Gate()
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        let slow = SlowView(gate)
        presentation.attach(slow)
        await gate.untilWorkWaits()
        let fast = ScriptedView<CounterScreen>()
        presentation.attach(fast)
        await fast.next()
        async let first: Void = presentation.send(.add(1))
        await fast.next { $0.count == 1 }
        async let second: Void = presentation.send(.add(1))
        await fast.next { $0.count == 2 }
        gate.open()
        try await first
        try await second
        #expect(slow.shown == [0, 2])
    }

    @Test("A slow view that is detached while it shows is cancelled; those that waited for it continue")
    func slowViewDetached() async throws {
        let gate = Gate()
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        let attachment = presentation.attach(SlowView(gate))
        await gate.untilWorkWaits()
        async let sent: Void = presentation.send(.add(1))
        while presentation.state.count == 0 { await Task.yield() }
        presentation.detach(attachment)
        try await sent
        #expect(gate.wasCancelled)
    }

    private final class SlowView: View {
        typealias Screen = CounterScreen
        let gate: Gate
        var shown: [Int] = []
        init(_ gate: Gate) { self.gate = gate }
        func render(_ state: CounterScreen.State) async throws {
            shown.append(state.count)
            try await gate.pass()
        }
    }

    // MARK: Several media, several controllers

    @Test("B11 one view type serves several controllers of a screen")
    func otherController() async throws {
        final class StubbornController: Controller {
            typealias Screen = PointScreen
            let model = Model(PointScreen.State())
            func handle(_ intent: PointScreen.Intent) async throws { throw Failure(.rejected, "I stay here.") }
        }
        let stubborn = ScriptedView<PointScreen>()
        let presentation = Presentation(StubbornController()) { Issue.record($0) }
        presentation.attach(stubborn)
        await #expect(throws: Failure(.rejected, "I stay here.")) { try await stubborn.send(.restore) }
        let other = Presentation(PointController()) { Issue.record($0) }
        let willing = ScriptedView<PointScreen>()
        other.attach(willing)
        try await willing.send(.move(x: 1, y: 2))
        #expect((stubborn.shown.last?.x, willing.shown.last?.x) == (5, 1))
    }

    @Test("Views of several media on one controller receive the same states, whatever view sends or is detached")
    func severalMedia() async throws {
        let session = Coordinator(try Catalog([.screen(PointScreen.self) { _ in PointController() }])) {
            Issue.record($0)
        }
        var lines: [String] = []
        let (scripted, json) = (ScriptedViews(), JSONLinesViews { lines.append($0) })
        session.attach(scripted)
        session.attach(json)
        try await session.perform("move", ["x": .integer(1), "y": .integer(2)])
        let view = try #require(scripted.view(of: PointScreen.self))
        #expect(view.shown.last == PointScreen.State(x: 1, y: 2))
        #expect(lines.last == #"{"screen":"point","state":{"x":1,"y":2},"type":"state"}"#)
        try await view.send(.move(x: 3, y: 4))
        #expect(lines.last == #"{"screen":"point","state":{"x":3,"y":4},"type":"state"}"#)
        session.detach(json)
        let count = lines.count
        try await view.send(.restore) { $0 = PointScreen.State() }
        #expect(lines.count == count)
    }
}
