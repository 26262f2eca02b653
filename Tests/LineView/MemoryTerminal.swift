import ControllerKit
import LineView

/// A terminal in memory: lines that are typed, files that are there, what was written.
final class MemoryTerminal: LineTerminal {
    struct Contents {
        var page = LinePage()
        var isInteractive = false
        var lines: [String] = []
        var secrets: [String] = []
        var files: [String: String] = [:]
        var data = ""
        var messages = ""
        var prompts: [String] = []
        var isBroken = false
    }

    struct Broken: Error {}

    /// A line that stands for one that is not UTF-8.
    static let unreadable = "unreadable"

    @MainActor private var contents: Contents
    let page: LinePage
    let isInteractive: Bool

    @MainActor
    init(_ change: (inout Contents) -> Void = { _ in }) {
        var contents = Contents()
        change(&contents)
        self.contents = contents
        page = contents.page
        isInteractive = contents.isInteractive
    }

    @MainActor var data: String { contents.data }
    @MainActor var messages: String { contents.messages }
    @MainActor var prompts: [String] { contents.prompts }
    @MainActor func file(_ name: String) -> String? { contents.files[name] }

    @MainActor
    func write(_ text: String, to stream: LineStream) async throws {
        if contents.isBroken { throw Broken() }
        switch stream {
        case .data: contents.data += text
        case .messages: contents.messages += text
        }
    }

    @MainActor
    func readLine(prompt: String) async throws -> String? {
        contents.prompts.append(prompt)
        guard !contents.lines.isEmpty else { return nil }
        let line = contents.lines.removeFirst()
        if line == Self.unreadable { throw Failure(.usage, "That is no text.") }
        return line
    }

    @MainActor
    func readSecret(prompt: String) async throws -> String {
        contents.prompts.append(prompt)
        guard !contents.secrets.isEmpty else { throw CancellationError() }
        return contents.secrets.removeFirst()
    }

    @MainActor
    func contents(of file: String) async throws -> String {
        guard let text = contents.files[file] else { throw Failure(.notFound, "There is no file “\(file)”.") }
        return text
    }

    @MainActor
    func append(_ text: String, to file: String) async throws { contents.files[file, default: ""] += text }
}
