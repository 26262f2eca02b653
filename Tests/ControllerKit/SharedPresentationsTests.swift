import ControllerKit
import Testing

@MainActor
@Suite struct SharedPresentationsTests {
    private func session(sharingWith other: Coordinator? = nil) throws -> Coordinator {
        Coordinator(
            try Catalog([.screen(PointScreen.self) { _ in PointController() }]), sharingWith: other
        ) { Issue.record($0) }
    }

    /// Two sessions that share presentations.
    private func sessions() throws -> (Coordinator, Coordinator) {
        let one = try session()
        return (one, try session(sharingWith: one))
    }

    @Test func `sessions that share presentations have one controller of a screen`() async throws {
        let (one, two) = try sessions()
        try await one.perform("move", ["x": .integer(1), "y": .integer(2)])
        #expect(two.path == [])
        #expect(two.join("point"))
        #expect(one.current === two.current)
        one.end()
        try await two.perform("move", ["x": .integer(3), "y": .integer(4)])
        #expect((two.state(of: "point") as? PointScreen.State)?.x == 3)
    }

    @Test func `a released presentation isn't shared`() async throws {
        let (one, two) = try sessions()
        try await one.perform("restore")
        let held = one.current
        one.end()
        #expect(held?.isUnloaded == true)
        #expect(!two.join("point"))
        try await two.perform("restore")
        #expect(two.current !== held)
    }

    @Test func `a session that shares with no other has its own controllers`() async throws {
        let (one, two) = (try session(), try session())
        try await one.perform("restore")
        try two.prepare("point")
        #expect(!(one.current === two.current))
        #expect(throws: Failure.self) { try two.prepare("circle") }
    }
}
