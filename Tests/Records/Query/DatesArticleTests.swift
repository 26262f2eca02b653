import Foundation
import Records
import Testing

@Suite("The article on dates")
struct DatesArticleTests {
    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Records/Records.docc/Dates.md").standardizedFileURL

    /// The examples of a section's table: its first column.
    private func examples(in section: String) throws -> [String] {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let part = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(section + "\n") })
        let cells = part.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap {
            $0.split(separator: "|").first
        }
        return cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
    }

    @Test("Every example is parsed as its section says", arguments: [("Days", true), ("Moments", false)])
    func examples(section: String, isDay: Bool) throws {
        let context = try DateExpressionTests.context()
        let examples = try examples(in: section)
        #expect(examples.count > 20)
        for example in examples {
            #expect(try DateExpression(example, in: context).isDay == isDay, "\(example)")
        }
    }
}
