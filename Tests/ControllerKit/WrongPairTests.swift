import Foundation
import Testing

/// Runs the compiler on small programs against the module that was just built.
@Suite("B2 B3 A9 The pair is checked by the compiler")
struct WrongPairTests {
    private static let pair = """
        import ControllerKit
        enum One: Screen {
            struct State: ScreenState {}
            enum Intent: Sendable { case go }
            static let name = "one", summary = "", verbs: [Verb<Intent>] = []
        }
        enum Other: Screen {
            struct State: ScreenState {}
            enum Intent: Sendable { case go }
            static let name = "other", summary = "", verbs: [Verb<Intent>] = []
        }
        final class OneController: Controller {
            typealias Screen = One
            let model = Model(One.State())
            func handle(_ intent: One.Intent) async throws {}
        }
        final class ViewOf<S: Screen>: View {
            typealias Screen = S
            func render(_ state: S.State) async throws {}
        }
        @MainActor func pair() {
            let presentation = Presentation(OneController()) { _ in }
            presentation.attach(ViewOf<ATTACHED>())
        }
        """

    @Test("A view of the controller's screen compiles")
    func rightPair() throws {
        let errors = try errors(in: Self.pair.replacing("ATTACHED", with: "One"))
        #expect(errors == "")
    }

    @Test("A view of another screen does not compile")
    func wrongPair() throws {
        let errors = try errors(in: Self.pair.replacing("ATTACHED", with: "Other"))
        #expect(errors.contains("error: "))
        #expect(errors.contains("ViewOf<Other>"))
    }

    /// What the compiler says about a program; empty when it compiles.
    private func errors(in program: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wrong-pair-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: "Pair.swift")
        try program.write(to: source, atomically: true, encoding: .utf8)

        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-I", try modules().path(),
            "-module-cache-path", folder.appending(path: "cache").path(), source.path(),
        ]
        let output = Pipe()
        compiler.standardError = output
        try compiler.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        compiler.waitUntilExit()
        return compiler.terminationStatus == 0 ? "" : String(decoding: said, as: UTF8.self)
    }

    /// The folder of the built modules: beside the test bundle, or beside the folder that it lies in.
    private func modules() throws -> URL {
        let bundle = URL(filePath: try #require(CommandLine.arguments.first)).resolvingSymlinksInPath()
        let parents = sequence(first: bundle.deletingLastPathComponent()) { $0.deletingLastPathComponent() }
        let candidates = parents.prefix(5).map { $0.appending(path: "Modules") }
        return try #require(
            candidates.first {
                FileManager.default.fileExists(atPath: $0.appending(path: "ControllerKit.swiftmodule").path())
            }, "no Modules folder near \(bundle.path())")
    }
}
