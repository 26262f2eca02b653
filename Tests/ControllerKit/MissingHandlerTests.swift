import Testing

@Suite("The compiler reports an endpoint without a handler")
struct MissingHandlerTests {
    private static let endpoints = #"""
        import SyncAPI
        enum OwnRoute: Endpoint {
            case count(space: String)
            CASES
            enum Kind: CaseIterable { case count }
            static let table = RouteTable<Self> { _ in .init(.get, "/own/\(.space)", Self.count) }
            var kindAndValues: (kind: Kind, values: [String]) { (.count, ["space"]) }
        }
        func handle(_ route: OwnRoute) -> Int {
            switch route {
            case .count: 1
            }
        }
        """#

    @Test("A handler for each endpoint compiles")
    func complete() async throws {
        let errors = try await Compiler.errors(in: Self.endpoints.replacing("CASES", with: ""))
        #expect(errors == "")
    }

    @Test("For a new endpoint the compiler reports the missing handler")
    func incomplete() async throws {
        let errors = try await Compiler.errors(in: Self.endpoints.replacing("CASES", with: "case motto"))
        #expect(errors.contains("Program.swift:10:5: error: switch must be exhaustive"))
        #expect(errors.contains("'.motto'"))
    }
}
