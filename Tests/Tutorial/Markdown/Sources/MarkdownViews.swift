import ControllerKit

/// Markdown as a front end: `view markdown FILE` at a prompt attaches it.
public final class MarkdownFrontend: Frontend {
    public static let name = "markdown"
    public static let purpose = "states as Markdown"
    public static let canBeAttached = true

    public init() {}

    public func views(writing write: @escaping @MainActor (String) async throws -> Void) -> (any ViewFactory)? {
        MarkdownViews(write: write)
    }
}

/// Shows the states of all screens as Markdown. There is no code per screen.
public final class MarkdownViews: ViewFactory {
    /// Writes a text, which comes without its last line end.
    public typealias Write = @MainActor (String) async throws -> Void

    private let write: Write

    public init(write: @escaping Write) { self.write = write }

    public func makeView<S: Screen>(for screen: S.Type) -> any View<S> { MarkdownView<S>(write) }
}

private final class MarkdownView<S: Screen>: View {
    typealias Screen = S
    private let write: MarkdownViews.Write

    init(_ write: @escaping MarkdownViews.Write) { self.write = write }

    func render(_ state: S.State) async throws {
        let lines = ["## \(S.summary)", ""] + (try Outline(state)).markdownLines() + [""]
        try await write(lines.joined(separator: "\n"))
    }
}

extension Outline {
    /// A list, its members in lists of their own.
    fileprivate func markdownLines(_ indent: String = "") -> [String] {
        switch self {
        case .nothing: []
        case .text(let text): [indent + "- " + text.markdown]
        case .list(let elements): elements.map { indent + "- " + $0.inOneLine }
        case .members(let members): members.flatMap { $0.markdownLines(indent) }
        }
    }

    fileprivate var inOneLine: String {
        switch self {
        case .nothing: ""
        case .text(let text): text.markdown
        case .list(let elements): elements.map(\.inOneLine).joined(separator: ", ")
        case .members(let members):
            members.map { "**\($0.label.markdown)** \($0.value.inOneLine)" }.joined(separator: ", ")
        }
    }
}

extension Outline.Member {
    fileprivate func markdownLines(_ indent: String) -> [String] {
        let title = indent + "- **\(label.markdown)**"
        return switch value {
        case .nothing: []
        case .text(let text): [title + " " + text.markdown]
        case .list, .members: [title] + value.markdownLines(indent + "  ")
        }
    }
}

extension String {
    /// The text with nothing in it that Markdown would take for its own.
    fileprivate var markdown: String {
        let special: Set<Character> = ["\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "~", "&", "!"]
        return reduce(into: "") { text, character in
            if special.contains(character) { text += "\\" }
            text += character.isNewline ? "<br>" : String(character)
        }
    }
}
