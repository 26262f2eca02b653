import ControllerKit
import Controllers
import TestSupport
import Testing

@MainActor
@Suite("The states' schemas")
struct StateSchemasTests {
    @Test("The state of every screen has a schema that names its members")
    func complete() throws {
        let catalog = try Catalog.standard(.testing())
        for screen in catalog.screens {
            #expect(try #require(catalog.stateSchema(of: screen.name)) != .anyObject, "\(screen.name)")
        }
    }
}
