import ControllerKit
import TestSupport
import Testing

@testable import square

@MainActor
@Suite("B The sample of ViewSpecificController: a square in its zone")
struct SquareTests {
    @Test("The rule needs no view", arguments: [(0.0, 0.0, true), (10, 10, true), (10.1, 5, false), (5, -0.1, false)])
    func rule(x: Double, y: Double, isInside: Bool) {
        #expect(Zone().contains(x: x, y: y) == isInside)
    }

    @Test("B6 B8 B9 the state has terms of the domain, and is right before the first layout and after each move")
    func moves() async throws {
        let presentation = Presentation(SquareController()) { Issue.record($0) }
        #expect(presentation.state.positionIsValid)
        let view = ScriptedView<SquareScreen>()
        presentation.attach(view)
        await view.next()

        try await view.send(.move(x: 11, y: 2)) { $0 = SquareScreen.State(x: 11, y: 2) }
        #expect(!presentation.state.positionIsValid)
        try await view.send(.restore) { $0 = SquareScreen.State() }
        view.expectNothingElse()
    }

    @Test("B7 B10 state and verbs have terms of the domain: no colours, labels or touches")
    func words() {
        let given = Mirror(reflecting: SquareScreen.State()).children.compactMap(\.label)
        #expect(given == ["x", "y", "zone", "positionIsValid"])
        #expect(SquareScreen.verbs.map(\.signature.name) == ["move", "restore"])
    }
}
