import Foundation
import Testing

@Suite("Views and controllers are separate")
struct SeparationTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    /// The modules that a module's files import.
    private func imports(of module: String) throws -> Set<String> {
        let folder = Self.sources.appending(path: module)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".swift") }
        let lines = try paths.flatMap { path in
            try String(contentsOf: folder.appending(path: path), encoding: .utf8).split(separator: "\n")
        }
        return Set(lines.compactMap { $0.firstMatch(of: /^(?:public |internal )?import (\w+)/).map { String($0.1) } })
    }

    @Test("A8 no controller imports a view", arguments: ["ControllerKit", "Controllers"])
    func controllers(module: String) throws {
        let imported = try imports(of: module)
        #expect(imported.isDisjoint(with: ["LineView", "JSONLinesView", "WebPageView", "Mustache", "CLibedit"]))
    }

    @Test(
        "A8 a view receives its content from its controller: it imports no store, no engine and no way to a server",
        arguments: ["LineView", "JSONLinesView", "WebPageView"])
    func views(module: String) throws {
        let imported = try imports(of: module)
        #expect(imported.contains("ControllerKit"))
        #expect(
            imported.isDisjoint(with: [
                "Controllers", "LocalStore", "SyncEngine", "Backend", "SyncAPI", "CurlTransport", "GRDB",
            ]))
    }
}
