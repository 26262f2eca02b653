import ControllerKit
import Foundation
import Manual
import Terminal
import Testing

@testable import LineView
@testable import SatchelScreens

@Suite("The pages for users match help")
struct UserPagesTests {
    private func page(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(
            contentsOf: root.appending(path: "Sources/SatchelScreens/SatchelScreens.docc/\(name).md"), encoding: .utf8)
    }

    @Test("Exit codes are those of the program", arguments: CommandStatus.allCases)
    func exitCodes(status: CommandStatus) throws {
        #expect(try page("Scripting").contains("\n| \(status.rawValue) | \(status.meaning) |\n"))
    }

    @Test("Every variable and every file of help is there, too")
    func surroundings() throws {
        for (topic, name) in [(HelpTopic.environment(of: .satchel), "Scripting"), (.files(of: .satchel), "UserGuide")] {
            let page = try page(name)
            for case .terms(let terms) in topic.blocks {
                for name in terms.flatMap({ $0.name.split(separator: ", ") }) {
                    #expect(page.contains("`\(name)") || page.contains("$\(name)"), "\(name)")
                }
            }
        }
    }
}
