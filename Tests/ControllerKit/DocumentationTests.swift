import Foundation
import Testing

/// The documentation is correct: its code is tested, and the tests that it names exist.
@Suite("Documentation")
struct DocumentationTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let pages = tests.deletingLastPathComponent().appending(
        path: "Sources/ControllerKit/ControllerKit.docc")

    private func text(_ page: String) throws -> String {
        try String(contentsOf: Self.pages.appending(path: page), encoding: .utf8)
    }

    // MARK: Code

    @Test("Each code block of the tutorial is in the file named before it, which is built and tested")
    func code() throws {
        let tutorial = try text("Tutorial.md")
        let blocks = tutorial.matches(of: /```swift\n((?s).*?)```/)
        #expect(blocks.count > 10)
        for block in blocks {
            let file = try #require(
                tutorial[..<block.range.lowerBound].matches(of: /`(\w+(?:\/\w+)*\.swift)`/).last?.output.1,
                "no file is named before: \(block.output.1)")
            let path = Self.tests.appending(path: "Tutorial").appending(path: String(file))
            let source = try String(contentsOf: path, encoding: .utf8)
            #expect(source.contains(block.output.1), "not in \(file): \(block.output.1)")
        }
    }

    // MARK: The checklist

    /// The lines of the sources' checklists; lines without a promise have no number.
    private static let lines =
        (1...10).map { "A\($0)" } + (1...11).map { "B\($0)" } + (1...24).map { "C\($0)" } + (1...11).map { "D\($0)" }
        + [1, 2, 3, 6, 7, 8, 10].map { "E\($0)" }

    @Test("Every line of the checklist has a test with its number or the reason why it isn't ported")
    func checklist() throws {
        let rows = try text("Checklist.md").matches(of: /(?m)^\| ([A-E][^|]*) \|.*\| ([^|]*) \|$/).map {
            (line: String($0.1), holder: String($0.2))
        }
        #expect(rows.map(\.line) == Self.lines)
        for row in rows {
            if let place = row.holder.firstMatch(of: /^\*\*test\*\* `([\w\/]+)`(: .+)?$/)?.1 {
                let tested = try numbers(in: String(place))
                #expect(tested.contains(row.line), "no test in \(place) has the number \(row.line)")
            } else {
                #expect(row.holder.hasPrefix("not ported, because "), "\(row.line): \(row.holder)")
            }
        }
    }

    /// The numbers in the names of the tests and suites of a file. The file is named by any of its parent folders and
    /// its name without extension: `Controllers/LoginTests`.
    private func numbers(in place: String) throws -> Set<String> {
        let parts = place.split(separator: "/").map(String.init)
        let folder = Self.tests.appending(path: parts.dropLast().joined(separator: "/"))
        let name = "/\(parts.last ?? "").swift"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path()).filter {
            "/\($0)".hasSuffix(name)
        }
        let file = try #require(files.first, "there is no \(place)")
        let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        let names = source.matches(of: /@(?:Test|Suite)\(\s*"([^"]*)"/).map(\.1)
        return Set(names.flatMap { $0.matches(of: /\b[A-E]\d+\b/).map { String($0.0) } })
    }
}
