internal import Records

/// A format for import and export.
public enum ExchangeFormat: String, CaseIterable, Sendable {
    /// Satchel's own JSON: everything, of every kind.
    case satchel
    /// What `task export` writes and `task import` reads.
    case taskwarrior
    /// Tasks, one a line (todotxt.org).
    case todotxt
    /// A table of tasks, notes and other records (RFC 4180).
    case csv
    /// Notes, a file each, in a folder.
    case markdown

    /// What people call it.
    public var title: String {
        switch self {
        case .satchel: "Satchel's JSON"
        case .taskwarrior: "Taskwarrior's JSON"
        case .todotxt: "todo.txt"
        case .csv: "CSV"
        case .markdown: "Markdown"
        }
    }

    /// The format that the extension of a file shows: `.txt`, `.csv`, `.md`, a folder's `/`, or Satchel's for `.json`;
    /// nil if it shows none.
    public init?(path: String) {
        if path.hasSuffix("/") {
            self = .markdown
            return
        }
        let parts = path.split(separator: "/").last?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        // A word without a full stop has no ending: `export json` is a format's name mistaken, and no file's.
        switch parts.count > 1 ? parts.last?.lowercased() : nil {
        case "json": self = .satchel
        case "txt": self = .todotxt
        case "csv": self = .csv
        case "md", "markdown": self = .markdown
        default: return nil
        }
    }

    /// The format of a text that shows it plainly: the two of JSON, a folder's files, and CSV by its header. Any text at all
    /// could be todo.txt, so that is never guessed.
    public init?(recognising text: String) {
        let start = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }
        switch start.first {
        case "[": self = .taskwarrior
        case "{":
            guard let value = try? JSONValue(parsing: String(start)) else {
                self = .taskwarrior
                return
            }
            self = value.object?["format"] != nil ? .satchel : NoteFolder(value) != nil ? .markdown : .taskwarrior
        default:
            guard CSVFormat.isHeader(start.prefix { !$0.isNewline }) else { return nil }
            self = .csv
        }
    }
}
