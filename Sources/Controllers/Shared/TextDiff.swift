internal import Notebook
internal import TextMerge

/// What differs between two texts, as a state has it: typed lines, so that each view shows them in its own way.
public struct TextDiff: Codable, Equatable, Sendable {
    /// The lines in order: those that differ, with common ones around them.
    public var lines: [Line]
    /// How many more lines there are, where the state has room for the first ones only.
    public var left: Int

    /// A line of a difference.
    public struct Line: Codable, Equatable, Sendable {
        /// What it is.
        public var kind: Kind
        /// The line, cut where it is very long; empty where lines are skipped.
        public var text: String
        /// How many common lines are skipped here; nil for any other line.
        public var count: Int?
    }

    /// What a line of a difference is.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// A line of both texts; of the old or earlier one alone; of the new or later one alone; common lines left out.
        case same, removed, added, skipped
    }

    /// How many lines a state has at most where the whole isn't asked for.
    public static let linesMaximum = 60

    /// - Parameter whole: whether all lines of both texts are wanted, and none cut.
    init(from old: String, to new: String, whole: Bool = false) {
        let all = UnifiedDiff(from: old, to: new, context: whole ? nil : 3).lines
        let shown = whole ? all[...] : all.prefix(Self.linesMaximum)
        left = all.count - shown.count
        lines = shown.map { line in
            switch line {
            case .same(let text): Line(kind: .same, text: whole ? text : text.cut)
            case .removed(let text): Line(kind: .removed, text: whole ? text : text.cut)
            case .added(let text): Line(kind: .added, text: whole ? text : text.cut)
            case .skipped(let count): Line(kind: .skipped, text: "", count: count)
            }
        }
    }
}

extension String {
    /// Whether it has several lines, so that a difference of it is shown by lines.
    var hasLines: Bool { utf8.dropLast().contains(UInt8(ascii: "\n")) }
}
