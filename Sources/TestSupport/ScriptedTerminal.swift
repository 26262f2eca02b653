import ControllerKit
public import Terminal

/// A terminal in memory for tests of line sessions: with scripted lines and files, and a record of the output.
@MainActor
public final class ScriptedTerminal: LineTerminal {
    /// The error of writing to a broken terminal.
    public struct Broken: Error {}

    /// A line that represents one that isn't UTF-8.
    public nonisolated static let unreadable = "unreadable"

    public nonisolated let page: LinePage
    public nonisolated let isInteractive: Bool

    /// The lines that will be typed.
    public var lines: [String] = []
    /// The secrets that will be typed; when there are none, the user cancels.
    public var secrets: [String] = []
    /// The answers to questions that will be typed; when there are none, the user cancels.
    public var answers: [String] = []
    /// The texts of files by their names; `-` is the standard input.
    public var files: [String: String] = [:]
    /// The notes of folders by their names, as `notes(in:)` returns them.
    public nonisolated let folders: [String: [String: String]]
    /// Called whenever a line is read, with the number of lines before: events while the user thinks.
    public var whileWaiting: @MainActor (Int) async -> Void = { _ in }
    /// Called with each question, before its answer is read: events while the user thinks.
    public var whileAsked: @MainActor (String) async throws -> Void = { _ in }
    /// Whether the output is closed.
    public var isBroken = false

    /// The text that was written to the standard output.
    public private(set) var data = ""
    /// The text that was written to the standard error.
    public private(set) var messages = ""
    /// The texts that were shown in a pager, in order.
    public private(set) var browsed: [String] = []
    /// Whether no pager works.
    public var hasNoPager = false
    /// The user's edit of a text in an editor; nil: there is no editor. A user who leaves a rejected text unchanged, or
    /// writes the same text again, gives up. An error is a failure of the editor.
    public var edits: (@MainActor (String) async throws -> String)?
    /// The prompts shown, in order.
    public private(set) var prompts: [String] = []
    /// The prompt that was set last.
    public private(set) var prompt = ""

    /// Creates a terminal without typed lines, not interactive by default.
    public init(
        isInteractive: Bool = false, page: LinePage = LinePage(), lines: [String] = [],
        folders: [String: [String: String]] = [:]
    ) {
        self.isInteractive = isInteractive
        self.folders = folders
        self.page = page
        self.lines = lines
    }

    public func write(_ text: String, to stream: LineStream) async throws {
        if isBroken { throw Broken() }
        switch stream {
        case .data: data += text
        case .messages: messages += text
        }
    }

    public func browse(_ text: String) async throws {
        if hasNoPager { throw Failure(.failed, "There is no pager.") }
        browsed.append(text)
    }

    public func edit(
        _ text: String, ending: String, accept: @MainActor (String) async throws -> EditAgain?
    ) async throws -> Bool {
        guard let edits else { return false }
        var (text, last): (String, (text: String, reason: any Error)?) = (text, nil)
        while true {
            let edited = try await edits(text)
            // Otherwise the same text would be rejected again without end.
            if let last, edited == text || edited == last.text { throw last.reason }
            guard let again = try await accept(edited) else { return true }
            (text, last) = (again.text, (edited, again.reason))
        }
    }

    public func readLine(assistant: LineAssistant) async throws -> String? {
        prompts.append(prompt)
        await whileWaiting(prompts.count - 1)
        guard !lines.isEmpty else { return nil }
        let line = lines.removeFirst()
        if line == Self.unreadable { throw Failure(.usage, "That is not a text.") }
        return line
    }

    public func setPrompt(_ prompt: String) { self.prompt = prompt }

    public func readSecret(prompt: String) async throws -> String {
        prompts.append(prompt)
        guard !secrets.isEmpty else { throw CancellationError() }
        return secrets.removeFirst()
    }

    public func readAnswer(prompt: String) async throws -> String {
        prompts.append(prompt)
        try await whileAsked(prompt)
        guard !answers.isEmpty else { throw CancellationError() }
        return answers.removeFirst()
    }

    public func contents(of file: String) async throws -> String {
        guard let text = files[file] else { throw Failure(.notFound, "There is no file “\(file)”.") }
        return text
    }

    public nonisolated var messageColumns: Int? { page.columns }

    public nonisolated func isFolder(_ path: String) -> Bool { folders[path] != nil }

    public func notes(in folder: String) async throws -> [String: String] { folders[folder, default: [:]] }

    public func append(_ text: String, to file: String) async throws { files[file, default: ""] += text }
}
