import Foundation
import TestSupport
import Testing

/// Compiles small programs against the modules that were just built.
enum Compiler {
    /// The compiler's output for a program; empty if it compiles.
    static func errors(in program: String) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: "Program.swift")
        try program.write(to: source, atomically: true, encoding: .utf8)

        let outcome = try await TestProgram.run(
            "swiftc",
            [
                "-typecheck", "-swift-version", "6", "-I", try modules().path(),
                "-module-cache-path", folder.appending(path: "cache").path(), source.path(),
            ])
        return outcome.succeeded ? "" : outcome.errors
    }

    /// The folder of the built modules: next to the test bundle or next to its parent folder.
    private static func modules() throws -> URL {
        let bundle = URL(filePath: try #require(CommandLine.arguments.first)).resolvingSymlinksInPath()
        let parents = sequence(first: bundle.deletingLastPathComponent()) { $0.deletingLastPathComponent() }
        let candidates = parents.prefix(5).map { $0.appending(path: "Modules") }
        return try #require(
            candidates.first {
                FileManager.default.fileExists(atPath: $0.appending(path: "ControllerKit.swiftmodule").path())
            }, "no Modules folder near \(bundle.path())")
    }
}
