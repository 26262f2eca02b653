import Testing

@Suite("The compiler reports an endpoint without a handler")
struct MissingHandlerTests {
    private static let endpoints = """
        import SyncAPI
        enum OwnRoute: Endpoint {
            case count(space: String)
            CASES
            var request: RequestLine { .get("/own") }
            static let table = RouteTable<Self>([{ .count(space: $0[0]) }])
        }
        func handle(_ route: OwnRoute) -> Int {
            switch route {
            case .count: 1
            }
        }
        """

    @Test("A handler for each endpoint compiles")
    func complete() throws {
        #expect(try Compiler.errors(in: Self.endpoints.replacing("CASES", with: "")) == "")
    }

    @Test("For a new endpoint the compiler reports the missing handler")
    func incomplete() throws {
        let errors = try Compiler.errors(in: Self.endpoints.replacing("CASES", with: "case motto"))
        #expect(errors.contains("Program.swift:9:5: error: switch must be exhaustive"))
        #expect(errors.contains("'.motto'"))
    }
}
