/// A form in which a command's answer is written for programs. Every command has it as an option: `list --json`.
public enum LineForm: String, Sendable, CaseIterable {
    /// Lines of fields with tabs between them, nothing cut and nothing emphasised.
    case plain
    /// The whole state as JSON in one line, as the JSON-lines view writes it.
    case json

    /// One line of help.
    public var help: String {
        switch self {
        case .plain: "For scripts: fields separated by tabs, not truncated."
        case .json: "For scripts: the whole state as JSON."
        }
    }
}
