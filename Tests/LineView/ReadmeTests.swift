import Foundation
import Manual
import Testing

@testable import LineView

@Suite("The README says what help says")
struct ReadmeTests {
    private func text() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    @Test("Exit codes are those of the program", arguments: CommandStatus.allCases)
    func exitCodes(status: CommandStatus) throws {
        #expect(try text().contains("\n| \(status.rawValue) | \(status.meaning) |\n"))
    }

    @Test("Every variable and every file that help names is there, too")
    func surroundings() throws {
        let readme = try text()
        for topic in [HelpTopic.environment, .files] {
            for case .terms(let terms) in topic.blocks {
                for name in terms.flatMap({ $0.name.split(separator: ", ") }) {
                    #expect(readme.contains("`\(name)") || readme.contains("$\(name)"), "\(name)")
                }
            }
        }
    }
}
