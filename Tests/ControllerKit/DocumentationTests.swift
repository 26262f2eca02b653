import Foundation
import Testing

/// The documentation says what is true: its code is tested, and the tests it names are there.
@Suite("Documentation")
struct DocumentationTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let pages = tests.deletingLastPathComponent().appending(
        path: "Sources/ControllerKit/ControllerKit.docc")

    private func text(_ page: String) throws -> String {
        try String(contentsOf: Self.pages.appending(path: page), encoding: .utf8)
    }

    /// The text of all our own test files of these folders.
    private func sources(_ folders: String...) throws -> String {
        try folders.flatMap { folder in
            let root = Self.tests.appending(path: folder).resolvingSymlinksInPath()
            return try FileManager.default.subpathsOfDirectory(atPath: root.path())
                .filter { $0.hasSuffix(".swift") }
                .map { try String(contentsOf: root.appending(path: $0), encoding: .utf8) }
        }.joined()
    }

    @Test("The article's code stands in the sample that is compiled and tested")
    func code() throws {
        let blocks = try text("ControllerKit.md").matches(of: /```swift\n((?s).*?)```/).map { String($0.1) }
        let sources = try sources("ControllerKit")
        #expect(blocks.count == 5)
        for block in blocks { #expect(sources.contains(block), "not in the tests: \(block)") }
    }

    @Test("Every line of the checklist that names a test has one that bears its number")
    func checklist() throws {
        let rows = try text("Checklist.md").matches(of: /(?m)^\| ([A-E]\d+) \|.*\*\*test\*\*/).map { String($0.1) }
        let names = try sources("ControllerKit", "LineView").matches(of: /@(?:Test|Suite)\(\s*"([^"]*)"/)
        let borne = Set(names.flatMap { $0.1.matches(of: /\b[A-E]\d+\b/).map { String($0.0) } })
        #expect(rows.count > 40)
        #expect(rows.filter { !borne.contains($0) } == [])
    }
}
