import ControllerKit
import Testing

@MainActor
@Suite struct SharedPresentationsTests {
    private let shared = SharedPresentations()

    private func session(sharing: SharedPresentations?) throws -> Coordinator {
        Coordinator(
            try Catalog([.screen(SquareScreen.self) { _ in SquareController() }]), sharing: sharing
        ) { Issue.record($0) }
    }

    @Test func `sessions that share have one controller of a screen`() async throws {
        let (one, two) = (try session(sharing: shared), try session(sharing: shared))
        try await one.perform("move", ["x": .integer(1), "y": .integer(2)])
        #expect(two.path == [])
        #expect(two.join("square"))
        #expect(one.current === two.current)
        one.end()
        try await two.perform("move", ["x": .integer(3), "y": .integer(4)])
        #expect((two.state(of: "square") as? SquareScreen.State)?.x == 3)
    }

    @Test func `what nobody holds any more isn't shared`() async throws {
        let (one, two) = (try session(sharing: shared), try session(sharing: shared))
        try await one.perform("restore")
        let held = one.current
        one.end()
        #expect(held?.isUnloaded == true)
        #expect(!two.join("square"))
        try await two.perform("restore")
        #expect(two.current !== held)
    }

    @Test func `a session that shares nothing has controllers of its own`() async throws {
        let (one, two) = (try session(sharing: shared), try session(sharing: nil))
        try await one.perform("restore")
        try two.prepare("square")
        #expect(!(one.current === two.current))
        #expect(throws: Failure.self) { try two.prepare("circle") }
    }
}
