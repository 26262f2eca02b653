import ControllerKit
public import Terminal

/// A terminal in memory for tests of line sessions: lines that are typed, files that are there, what was written.
@MainActor
public final class ScriptedTerminal: LineTerminal {
    /// Thrown by writing to a terminal that is broken.
    public struct Broken: Error {}

    /// A line that stands for one that is not UTF-8.
    public nonisolated static let unreadable = "unreadable"

    public nonisolated let page: LinePage
    public nonisolated let isInteractive: Bool

    /// The lines still to be typed.
    public var lines: [String] = []
    /// The secrets still to be typed; when there are none, the person cancels.
    public var secrets: [String] = []
    /// The texts of the files by name; `-` is the standard input.
    public var files: [String: String] = [:]
    /// The notes of the folders by name, as `notes(in:)` gives them.
    public nonisolated let folders: [String: [String: String]]
    /// Called, with how many were typed before, whenever a line is waited for: what happens while a person thinks.
    public var whileWaiting: @MainActor (Int) async -> Void = { _ in }
    /// Whether the output is closed.
    public var isBroken = false

    /// What was written to the standard output.
    public private(set) var data = ""
    /// What was written to the standard error.
    public private(set) var messages = ""
    /// The texts that were shown in a pager, in order.
    public private(set) var browsed: [String] = []
    /// Whether there is no pager that works.
    public var hasNoPager = false
    /// What the person makes of a text in an editor; nil: there is no editor. Who leaves what is offered again as it is, or
    /// writes the same again, gives up.
    public var edits: (@MainActor (String) -> String)?
    /// The prompts shown, in order.
    public private(set) var prompts: [String] = []
    /// The prompt that was set last.
    public private(set) var prompt = ""

    /// A terminal without typed lines, not interactive unless stated.
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
            let edited = edits(text)
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

    public func contents(of file: String) async throws -> String {
        guard let text = files[file] else { throw Failure(.notFound, "There is no file “\(file)”.") }
        return text
    }

    public nonisolated var messageColumns: Int? { page.columns }

    public nonisolated func isFolder(_ path: String) -> Bool { folders[path] != nil }

    public func notes(in folder: String) async throws -> [String: String] { folders[folder, default: [:]] }

    public func append(_ text: String, to file: String) async throws { files[file, default: ""] += text }
}
