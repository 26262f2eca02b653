internal import Notebook
internal import TextMerge

/// The difference between two texts as typed lines, which each view renders in its own way.
public struct TextDiff: Codable, Equatable, Sendable {
    /// The lines that differ, with common lines around them.
    public var lines: [Line]
    /// The number of lines that were omitted at the end.
    public var left: Int

    /// A line of a difference.
    public struct Line: Codable, Equatable, Sendable {
        /// Its kind.
        public var kind: Kind
        /// The line, cut if it is very long; empty for skipped lines.
        public var text: String
        /// The number of common lines that are skipped here; nil for any other line.
        public var count: Int?
    }

    /// The kind of a line of a difference.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// A line of both texts; of the old or earlier one only; of the new or later one only; omitted common lines.
        case same, removed, added, skipped
    }

    /// The maximum number of lines, unless the whole difference is requested.
    package static let linesMaximum = 60

    /// Creates the difference of two texts.
    ///
    /// - Parameter whole: Whether to include all lines of both texts, uncut.
    public init(from old: String, to new: String, whole: Bool = false) {
        let all = UnifiedDiff(from: old, to: new, context: whole ? nil : 3).lines
        let shown = whole ? all[...] : all.prefix(Self.linesMaximum)
        left = all.count - shown.count
        lines = shown.map { line in
            switch line {
            case .same(let text): Line(kind: .same, text: whole ? text : text.truncatedForDisplay)
            case .removed(let text): Line(kind: .removed, text: whole ? text : text.truncatedForDisplay)
            case .added(let text): Line(kind: .added, text: whole ? text : text.truncatedForDisplay)
            case .skipped(let count): Line(kind: .skipped, text: "", count: count)
            }
        }
    }
}

extension String {
    /// Whether it has several lines, so that its difference is shown by lines. A line end at the end doesn't count.
    var hasLines: Bool { utf8.dropLast().contains(UInt8(ascii: "\n")) }
}
