/// The limits of texts that are parsed as Markdown. Within a paragraph and in nested blocks, the time of the parser may
/// grow with the square of the length (CVE-2023-22483, CVE-2023-22486, CVE-2023-24824 and CVE-2023-26485 of cmark-gfm
/// before 0.29.0.gfm.10). The limits make it linear in the length of the whole text.
public enum MarkdownLimits {
    /// The maximum length of a text, in bytes of UTF-8.
    public static let textBytes = 256 << 10
    /// The maximum length of the lines between two empty lines, in bytes of UTF-8.
    public static let sectionBytes = 16 << 10
    /// The maximum number of block markers at the beginning of a line: `> - 1.`
    public static let lineMarkers = 16
    /// The maximum number of cells of all tables, counted as the pipes of the longest line times the lines.
    public static let cells = 20_000
    /// The maximum nesting depth of blocks and inlines.
    public static let depth = 24

    /// Returns whether a text is within the limits of bytes, markers and cells. The time is linear.
    static func allow(_ text: String) -> Bool {
        guard text.utf8.count <= textBytes else { return false }
        var sections = Sections()
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            guard sections.add(line) else { return false }
        }
        return sections.end()
    }

    /// The sizes of the section that is being read, and of all tables.
    private struct Sections {
        private var (bytes, lines, pipes, cells) = (0, 0, 0, 0)

        /// Adds a line. Returns false if it exceeds a limit.
        mutating func add(_ line: Substring.UTF8View) -> Bool {
            if line.allSatisfy({ $0 <= UInt8(ascii: " ") }) { return end() }
            bytes += line.count + 1
            lines += 1
            pipes = max(pipes, line.count(where: { $0 == UInt8(ascii: "|") }))
            return bytes <= MarkdownLimits.sectionBytes && MarkdownLimits.markers(line) <= MarkdownLimits.lineMarkers
        }

        /// Ends a section. Returns false if the tables have too many cells.
        mutating func end() -> Bool {
            cells += pipes * lines
            (bytes, lines, pipes) = (0, 0, 0)
            return cells <= MarkdownLimits.cells
        }
    }

    /// The number of block markers at the beginning of a line, and of deep indentation.
    private static func markers(_ line: Substring.UTF8View) -> Int {
        var (markers, spaces, isMarker) = (0, 0, false)
        for byte in line {
            let isSpace = byte <= UInt8(ascii: " ")
            // A list marker is followed by a space.
            if isMarker, isSpace {
                markers += 1
                isMarker = false
                continue
            }
            isMarker = false
            switch byte {
            case UInt8(ascii: ">"): markers += 1
            case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "."), UInt8(ascii: ")"):
                isMarker = true
            case UInt8(ascii: "\t"): spaces += 4
            case 0x30...0x39: break
            default:
                guard isSpace else { return markers + spaces / 8 }
                spaces += 1
            }
        }
        return markers + spaces / 8
    }
}
