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

    /// The lines of the sources' checklists; the numbers that are missing are lines that promise nothing by themselves.
    private static let lines =
        (1...10).map { "A\($0)" } + (1...11).map { "B\($0)" } + (1...24).map { "C\($0)" } + (1...11).map { "D\($0)" }
        + [1, 2, 3, 6, 7, 8, 10].map { "E\($0)" }

    /// The folders of all tests.
    private func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            at: Self.tests, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles
        ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }.map(\.lastPathComponent)
    }

    @Test("Every line of the checklist has a test that bears its number, or says what holds it or why it isn't ported")
    func checklist() throws {
        let rows = try text("Checklist.md").matches(of: /(?m)^\| ([A-E][^|]*) \|.*\| ([^|]*) \|$/).map {
            (line: String($0.1), holder: String($0.2))
        }
        #expect(rows.map(\.line) == Self.lines)
        let names = try folders().flatMap { try sources($0).matches(of: /@(?:Test|Suite)\(\s*"([^"]*)"/) }
        let borne = Set(names.flatMap { $0.1.matches(of: /\b[A-E]\d+\b/).map { String($0.0) } })
        let reasons = ["not ported, because ", "held by the build: ", "held by the compiler: "]
        for row in rows {
            if row.holder.hasPrefix("**test**") {
                #expect(borne.contains(row.line), "no test bears the number \(row.line)")
            } else {
                #expect(reasons.contains { row.holder.hasPrefix($0) }, "\(row.line): \(row.holder)")
            }
        }
    }
}
