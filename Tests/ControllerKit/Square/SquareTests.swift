import ControllerKit
import TestSupport
import Testing

@MainActor
@Suite("B The sample of ViewSpecificController: a square in its zone")
struct SquareTests {
    @Test("The rule needs no view", arguments: [(0.0, 0.0, true), (10, 10, true), (10.1, 5, false), (5, -0.1, false)])
    func rule(x: Double, y: Double, isInside: Bool) {
        #expect(isInsideZone(x: x, y: y) == isInside)
    }

    @Test("B6 B7 B8 B9 B10 the state speaks the domain, before the first layout and after each move")
    func moves() async throws {
        let presentation = Presentation(SquareController()) { Issue.record($0) }
        #expect(presentation.state.positionIsValid)
        let view = ScriptedView<SquareScreen>()
        presentation.attach(view)
        await view.next()

        try await view.send(.move(x: 11, y: 2)) {
            $0.x = 11
            $0.y = 2
            $0.positionIsValid = false
        }
        try await view.send(.restore) { $0 = SquareScreen.State() }
        view.expectNothingElse()
    }

    @Test("B5 C10 a view whose size changed n times is shown the state again once, and the others are not")
    func resize() async {
        let presentation = Presentation(SquareController()) { Issue.record($0) }
        let resized = ScriptedView<SquareScreen>()
        let other = ScriptedView<SquareScreen>()
        let attachment = presentation.attach(resized)
        presentation.attach(other)
        await presentation.settle()
        for _ in 0..<3 { attachment.setNeedsRender() }
        await presentation.settle()
        #expect(resized.shown.count == 2)
        #expect(other.shown.count == 1)
    }

    @Test("B11 one view type serves several controllers of a screen")
    func otherController() async throws {
        final class StubbornController: Controller {
            typealias Screen = SquareScreen
            let model = Model(SquareScreen.State())
            func handle(_ intent: SquareScreen.Intent) async throws { throw Failure(.rejected, "I stay here.") }
        }
        let presentation = Presentation(StubbornController()) { Issue.record($0) }
        let view = ScriptedView<SquareScreen>()
        presentation.attach(view)
        await #expect(throws: Failure(.rejected, "I stay here.")) { try await view.send(.restore) }
    }
}
