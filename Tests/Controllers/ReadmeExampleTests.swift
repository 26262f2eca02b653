import ControllerKit
import Controllers
import Foundation
import TestSupport
import Testing

@MainActor
@Suite("The README's example: a controller's test without a server, a socket or a screen", .timeLimit(.minutes(5)))
struct ReadmeExampleTests {
    // The README shows this test word for word, from here to the end of the function.
    @Test("Completing a task is reported")
    func done() async throws {
        let services = try Services.testing()
        let list = Presentation(ListController(services.notebook)) { Issue.record($0) }
        let view = ScriptedView<ListScreen>()
        list.attach(view)
        try await view.send(.add(["Buy", "milk", "+shop"], body: nil))
        try await view.send(.list(filter: ["+shop"], limit: nil, offset: nil))
        try await view.send(.complete(["1"]))
        #expect(view.shown.last?.notice == "Done: “Buy milk”.")
    }

    @Test("The README shows it word for word")
    func sameText() throws {
        let here = URL(filePath: #filePath)
        let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let lines = try String(contentsOf: here, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex { $0.hasSuffix("to the end of the function.") })
        let end = try #require(lines[begin...].firstIndex(of: "    }"))
        let example = lines[(begin + 1)...end].map { $0.dropFirst(4) }.joined(separator: "\n")
        let readme = try String(contentsOf: top.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n" + example + "\n```"))
    }
}
